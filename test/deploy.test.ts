/** The files of deploy/: YAML, whose commands and flags are robust's, and which name what is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Document, parseAllDocuments } from 'yaml';
import { toolVersion } from '../src/app/context.js';
import { packageRoot } from '../src/core/package-root.js';
import { queueName } from '../src/fleet/redis.js';

interface ManifestCommand {
  readonly flags: Readonly<
    Record<string, { char?: string; aliases?: string[]; allowNo?: boolean; options?: string[] }>
  >;
  readonly args: Readonly<Record<string, { options?: string[] }>>;
}
const { commands } = JSON.parse(readFileSync(join(packageRoot, 'oclif.manifest.json'), 'utf8')) as {
  commands: Readonly<Record<string, ManifestCommand>>;
};

/** Faults of a `robust` command line. */
function faults(words: readonly string[]): string[] {
  const names = Object.keys(commands).map((id) => id.split(':'));
  const [name] = names
    .filter((each) => each.every((part, at) => words[at] === part))
    .sort((a, b) => b.length - a.length);
  if (name === undefined) return [`robust ${words[0]}`];
  const { flags, args } = commands[name.join(':')] as ManifestCommand;
  const known = Object.entries(flags).flatMap(([flag, { char, aliases = [], allowNo }]) => [
    ...[flag, ...aliases].map((each) => `--${each}`),
    ...(allowNo ? [`--no-${flag}`] : []),
    ...(char === undefined ? [] : [`-${char}`]),
  ]);
  const given = words.slice(name.length);
  const unknown = given.filter((word) => /^--?[a-z]/.test(word) && !known.includes(word.split('=', 1)[0] as string));
  const choices = Object.entries(flags).flatMap(([flag, { options }]) => {
    const value = given[given.indexOf(`--${flag}`) + 1];
    return given.includes(`--${flag}`) && options && !options.includes(value ?? '') ? [`--${flag} ${value}`] : [];
  });
  const [first] = Object.values(args);
  const action =
    first?.options && given[0] !== undefined && /^[a-z]+$/.test(given[0]) && !first.options.includes(given[0]);
  return [...unknown, ...choices, ...(action ? [given[0] as string] : [])].map(
    (word) => `robust ${name.join(' ')}: ${word}`,
  );
}

/** The commands of robust in a line of a shell, each as its words. */
const commandsIn = (line: string): string[][] =>
  Array.from(line.matchAll(/(?<![\w./@-])robust ([a-z][^|&;#`\n)]*)/g), ([, words = '']) =>
    words
      .replaceAll(/["'\\]/g, '')
      .trim()
      .split(/\s+/),
  );

const deploy = join(packageRoot, 'deploy');
const manifests = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));

const documentsOf = (file: string): Document[] =>
  parseAllDocuments(readFileSync(join(deploy, file), 'utf8'), { merge: true }) as Document[];

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly args?: readonly string[];
}

/** The containers of what a file of compose or Kubernetes holds. */
function containersIn(value: unknown): Container[] {
  if (typeof value !== 'object' || value === null) return [];
  const { containers, services } = value as { containers?: Container[]; services?: Record<string, Container> };
  return [...(containers ?? []), ...Object.values(services ?? {}), ...Object.values(value).flatMap(containersIn)];
}

test.each(manifests)('deploy/%s is YAML whose commands are robust’s', (file) => {
  const documents = documentsOf(file);
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  for (const { image, command = [], entrypoint = [], args = [] } of documents.flatMap((each) =>
    containersIn(each.toJS()),
  )) {
    if (image !== 'robust') continue;
    const words = [...entrypoint, ...command, ...args];
    // In a shell, or behind the image's own entry point.
    const lines = words[0] === 'sh' ? words.slice(2).flatMap(commandsIn) : [words];
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.flatMap(faults)).toEqual([]);
  }
});

test('what Kubernetes is given names files that are there, and the queue of this version', () => {
  for (const file of manifests.filter((each) => each.endsWith('kustomization.yaml'))) {
    const resources = documentsOf(file).flatMap((each) => (each.toJS() as { resources: string[] }).resources);
    for (const each of resources) expect(existsSync(join(deploy, file, '..', each))).toBe(true);
  }
  expect(readFileSync(join(deploy, 'kubernetes', 'keda', 'scaler.yaml'), 'utf8')).toContain(
    `listName: robust:${queueName(toolVersion)}:wait`,
  );
});

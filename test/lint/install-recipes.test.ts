/**
 * No document, template, workflow or printed text runs or installs a name that npm may hand to a stranger: robust is installed from a
 * commit of the repository until release/state.json says `published`, then by exact version, and `npx` runs only what is installed. `npm run lint:texts -- install-recipes -u` brings the recipes up to date.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';

interface Manifest {
  readonly published: boolean;
  readonly name: string;
  readonly version: string;
  readonly repository: { readonly url: string };
}

/** The specification for package managers. Readers replace `COMMIT` and `OWNER`. */
const installedAs = ({ published, name, version, repository }: Manifest): string =>
  published ? `${name}@${version}` : `${repository.url}#COMMIT`;

/** `text` with its recipes as `manifest` demands. Publication removes the blocks marked `unpublished` and uncovers what the comments `published` hold. */
function withRecipes(text: string, manifest: Manifest): string {
  const source = installedAs(manifest);
  const commit = installedAs({ ...manifest, published: false }).replace(/[.+]/g, '\\$&');
  const recipes = text.replace(new RegExp(`${commit}|(?<![\\w/])${manifest.name}@\\d+\\.\\d+\\.\\d+\\b`, 'g'), source);
  if (!manifest.published) return recipes;
  return recipes
    .replace(/<!-- unpublished -->\n[\s\S]*?<!-- \/unpublished -->\n/g, '')
    .replace(/<!-- published\n([\s\S]*?)-->\n/g, (_, later: string) =>
      later.replaceAll('{package}', source).replaceAll('{name}', manifest.name),
    );
}

const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');
const manifest = { ...JSON.parse(read('package.json')), ...JSON.parse(read('release/state.json')) } as Manifest;

/** Files that users and CI read or run; the messages are in the sources, the help pages in the manifest. */
const kinds = ['*.md', '*.yml', '*.yaml', '*.mjs', '*.sh', '*.ts', '*.template', 'Dockerfile'];
const files = execFileSync('git', ['ls-files', ...kinds], { cwd: packageRoot, encoding: 'utf8' })
  .concat('oclif.manifest.json')
  .split('\n')
  .filter((file) => !/^(?:test|\.changeset)\/|^CHANGELOG/.test(file));

/** A command that fetches a package, and what follows it up to the end of the command. */
const FETCHES =
  /\b(?:npm (?:install|i|add|exec|x|init|create)|npx|pnpm (?:add|dlx|install|i)|pnpx|yarn (?:add|dlx|global add)|bunx?(?: (?:add|x|install))?|deno (?:add|install))(?= )([^\n`;|)]*)/g;
/** From a network of copies of npm's packages. */
const COPIES = /\b(?:unpkg\.com|jsdelivr\.net\/npm|esm\.sh|esm\.run|skypack\.dev)\/robust-text(@[^/\s]*)?/g;
/** An identifier, which nothing fetches. */
const IDENTIFIER = /\$id(?:": "|: ')https:\/\/unpkg\.com\/robust-text\//g;

/** Faults of a text. */
function strangers(text: string, { published, name, version }: Manifest = manifest): string[] {
  const faults: string[] = [];
  for (const [command, rest = ''] of text.matchAll(FETCHES)) {
    // Up to the end of the first of several commands, or to a comment.
    const words = (rest.split(/&&|\s#/)[0] as string).trim().split(/\s+/);
    const bare = words.map((word) => word.replace(/^['"(]+|['",.]+$/g, ''));
    const runs = command.startsWith('npx') && bare.find((word) => !word.startsWith('-'));
    // `robust` is another package; robust-text is ours once it is published.
    const foreign = published ? /^robust(?:@|$)|^robust-text@/ : /^robust(?:-text)?(?:@|$)/;
    if (runs && foreign.test(runs) && !bare.includes('--no')) faults.push(command);
    // The packages with onnxruntime have its version; their names are ours once they are published.
    const named = bare.filter((word) =>
      new RegExp(`^(?:robust|${name}(?:-(?:cuda|linux|darwin|win32)[\\w-]*)?)(?:@.*)?$`).test(word),
    );
    const ours = (word: string): boolean => word === `${name}@${version}` || /^robust-text-[\w-]+@\d/.test(word);
    if (!command.startsWith('npx') && named.some((word) => !published || !ours(word))) faults.push(command);
  }
  for (const [address, at] of text.replace(IDENTIFIER, '').matchAll(COPIES))
    if (!published || (at !== `@${version}` && !/^@\$\{/.test(at ?? ''))) faults.push(address);
  return faults;
}

test('nothing fetches a package of a name that may be a stranger’s', () => {
  const faults = files.flatMap((file) => {
    // The one address that stands behind `published`.
    const text = file === 'src/app/published.ts' ? read(file).replace(/published\s*\? `[^`]*`/, '') : read(file);
    return strangers(text).map((command) => `${file}: ${command}`);
  });
  expect(files.length).toBeGreaterThan(1000);
  expect(faults).toEqual([]);
});

test('every recipe installs robust as package.json says', async () => {
  for (const file of files.filter((each) => /\.md$|^site\//.test(each))) {
    const [now, due] = [read(file), withRecipes(read(file), manifest)];
    // Only what differs: a snapshot of each file takes seconds.
    if (now !== due) await expect(due).toMatchFileSnapshot(join(packageRoot, file));
  }
});

describe('the check', () => {
  const later: Manifest = { ...manifest, published: true };

  test.each([
    'npm install -g robust-text && robust attack',
    'npm i robust-text@latest',
    'ONNXRUNTIME_NODE_INSTALL=skip yarn add robust-text',
    'pnpm dlx robust-text gate',
    'script: npx robust-text gate -o robust.xml',
    "sh 'npx robust gate'",
    'npx -y robust-text@0.1.0 gate',
    'npm install robust',
    'npm install robust-text-cuda@1.30.0',
    'https://unpkg.com/robust-text@0.1.0/schemas/x.json',
  ])('finds: %s', (line) => expect(strangers(line)).toHaveLength(1));

  test.each([
    `npm install -g ${installedAs(manifest)}`,
    'npx --no robust gate',
    'npx vitest run test/x.test.ts -u',
    'npm install bullmq@6 # beside robust',
    'robust attack --model distilbert',
  ])('lets pass: %s', (line) => expect(strangers(line)).toEqual([]));

  test('after publication every recipe names the exact version, and the former text is gone', () => {
    const before = `Ready.\n\n<!-- unpublished -->\nNot yet.\n<!-- /unpublished -->\n<!-- published\n    npm i -g {package}\n-->\n    npm i ${installedAs(manifest)}\n`;
    const after = withRecipes(before, later);
    const { name, version } = manifest;
    expect(after).toBe(`Ready.\n\n    npm i -g ${name}@${version}\n    npm i ${name}@${version}\n`);
    expect(strangers(after, later)).toEqual([]);
    expect(withRecipes(after, { ...later, version: '1.2.3' })).toBe(after.replaceAll(version, '1.2.3'));
    expect(strangers('npm install robust-text', later)).toHaveLength(1);
    expect(strangers('npx robust-text attack', later)).toEqual([]);
    expect(strangers('npx robust attack', later)).toHaveLength(1);
  });

  test('README and the guides of installing and of CI have a recipe, for now and for then', () => {
    for (const file of ['docs/reference/install.md', 'docs/ci.md']) expect(read(file)).toContain(installedAs(manifest));
    for (const file of ['README.md', 'docs/reference/install.md', 'site/build.mjs']) {
      expect(read(file).includes('git checkout COMMIT')).toBe(!manifest.published);
      // As it will be.
      const published = withRecipes(read(file), later);
      expect(published).toContain(`npm install -g ${installedAs(later)}`);
      expect(published).not.toMatch(/COMMIT|not on npm yet|<!-- (?:un)?published/);
    }
  });
});

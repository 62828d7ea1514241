/** A plan that somebody wrote into Redis: nothing that it names is loaded before it is allowed to. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPlan } from '../../src/app/queue/open-plan.js';
import { work } from '../../src/app/queue/work.js';
import { type ContentSource, hashOf } from '../../src/fleet/content.js';
import type { PlanDocument } from '../../src/fleet/messages.js';
import { folder } from '../commands/cli.js';

const PACKAGE = 'robust-planted';

/** A folder with a package that leaves a mark when it is loaded. */
function planted(): { readonly home: string; readonly mark: string } {
  const home = folder();
  const mark = join(home, 'ran');
  const code = `require('fs').writeFileSync(${JSON.stringify(mark)}, ''); module.exports = {};`;
  for (const name of [PACKAGE, `@scope/${PACKAGE}`]) {
    const path = join(home, 'node_modules', name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, main: 'index.js' }));
    writeFileSync(join(path, 'index.js'), code);
  }
  for (const name of ['planted.mjs', 'planted.js']) writeFileSync(join(home, name), code);
  return { home, mark };
}

const plan = (changes: Partial<PlanDocument>): PlanDocument => ({
  settings: { language: 'en', attacks: ['deepwordbug'] },
  model: { kind: 'name', name: 'bert-mini' },
  guessers: [],
  dataset: { name: 'd', labels: ['negative', 'positive'], source: { url: '', license: '', sha256: '' } },
  attacks: ['deepwordbug'],
  leftOut: [],
  texts: '0'.repeat(64),
  fingerprint: {},
  ...changes,
});

const settings = (more: object): Partial<PlanDocument> => ({ settings: { language: 'en', ...more } });
const recipe = (part: object): string => JSON.stringify({ name: 'mine', transformation: 'swap-synonyms', ...part });

/** Content by its hash, as a worker fetches it. */
function contentOf(home: string, files: Readonly<Record<string, string>>) {
  const found = Object.entries(files).map(([name, text]) => {
    const sha256 = hashOf(text);
    writeFileSync(join(home, sha256), text);
    return { name, sha256, bytes: text.length };
  });
  const content: ContentSource = {
    file: async (sha256: string) => join(home, sha256),
    bytes: async () => Buffer.from(''),
  } as ContentSource;
  return { files: found, content };
}

const open = async (home: string, document: PlanDocument, plugins: readonly string[], content?: ContentSource) => {
  const here = { cache: join(home, 'cache'), threads: 1, device: null, offline: true, plugins, warn() {} };
  const before = process.cwd();
  process.chdir(home);
  try {
    const opened = await openPlan(document, [], content ?? contentOf(home, {}).content, here);
    await opened.close();
  } finally {
    process.chdir(before);
  }
};

const NAMES = [PACKAGE, `@scope/${PACKAGE}`, `${PACKAGE}:depth=2`, `${PACKAGE}=3`];

const NOT_LISTED: readonly (readonly [what: string, changes: Partial<PlanDocument>])[] = [
  ...NAMES.map((name) => ['an attack', settings({ attacks: [name] })] as [string, Partial<PlanDocument>]),
  ...NAMES.map((name) => ['a suite', settings({ suites: [name] })] as [string, Partial<PlanDocument>]),
  ...NAMES.map((name) => ['a transformation', settings({ transformation: name })] as [string, Partial<PlanDocument>]),
  ...NAMES.map(
    (name) =>
      ['a search', settings({ transformation: 'swap-synonyms', search: name })] as [string, Partial<PlanDocument>],
  ),
  ...NAMES.map(
    (name) =>
      ['a constraint', settings({ attacks: ['deepwordbug'], constraints: [name] })] as [string, Partial<PlanDocument>],
  ),
  ...NAMES.map(
    (name) => ['a goal', settings({ attacks: ['deepwordbug'], goal: name })] as [string, Partial<PlanDocument>],
  ),
  ...NAMES.map(
    (name) => ['a defence', settings({ attacks: ['deepwordbug'], defend: [name] })] as [string, Partial<PlanDocument>],
  ),
  ['a language', settings({ language: PACKAGE })],
  ['a recipe', settings({ attacks: [recipe({ transformation: PACKAGE })] })],
  ['the search of a recipe', settings({ attacks: [recipe({ search: PACKAGE })] })],
  ['a constraint of a recipe', settings({ attacks: [recipe({ constraints: ['max-words=3', PACKAGE] })] })],
  ['the goal of a recipe', settings({ attacks: [recipe({ goal: PACKAGE })] })],
  ['an option', settings({ defend: [`spelling:by=${PACKAGE}`] })],
];

test.each(NOT_LISTED)('a package that is not listed is not loaded: %s', async (_, changes) => {
  const { home, mark } = planted();
  await expect(open(home, plan(changes), ['robust-other'])).rejects.toMatchObject({
    code: expect.stringMatching(/^QUEUE_(PLUGIN_NOT_FOUND|DAMAGED)$/),
  });
  expect(existsSync(mark)).toBe(false);
});

test('a package that is listed is loaded', async () => {
  const { home, mark } = planted();
  await expect(open(home, plan(settings({ attacks: [PACKAGE] })), [PACKAGE])).rejects.toMatchObject({
    code: 'PLUGIN_DAMAGED',
  });
  expect(existsSync(mark)).toBe(true);
});

test.each([
  ['a path', settings({ attacks: ['./planted.mjs'] })],
  ['a file', settings({ attacks: ['planted.mjs'] })],
  ['a language', settings({ language: './planted.mjs' })],
  ['a recipe', settings({ attacks: [recipe({ goal: 'planted.mjs' })] })],
  ['an escaped recipe', settings({ attacks: ['{"name":"x","transformation":"planted\\u002emjs"}'] })],
  ['saved texts', settings({ attacks: ['transfer:file=secret'] })],
  ['a model that is a package', { model: { kind: 'name', name: PACKAGE } }],
  ['a model that is a file of code', { model: { kind: 'name', name: 'planted.mjs' } }],
  ['a model that is a program', { model: { kind: 'name', name: 'cmd:node planted.mjs' } }],
  ['a model that is a folder there', { model: { kind: 'name', name: 'node_modules' } }],
] as const)('what could be code or a file of the worker is refused: %s', async (_, changes) => {
  const { home, mark } = planted();
  await expect(open(home, plan(changes as Partial<PlanDocument>), [PACKAGE])).rejects.toMatchObject({
    code: 'QUEUE_DAMAGED',
  });
  expect(existsSync(mark)).toBe(false);
});

test('fetched content is no endpoint and no code', async () => {
  const { home, mark } = planted();
  const code = `require('fs').writeFileSync(${JSON.stringify(mark)}, '');`;
  const { files, content } = contentOf(home, {
    'robust.json': JSON.stringify({ remote: { protocol: 'tei', url: 'http://127.0.0.1:9' } }),
    'package.json': JSON.stringify({ main: 'index.js' }),
    'index.js': code,
  });
  const document = plan({ model: { kind: 'files', entry: null, files } });
  await expect(open(home, document, [PACKAGE], content)).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
  expect(existsSync(mark)).toBe(false);
});

test.each(['./planted.mjs', 'left-pad', '../robust-x'])('--plugin takes names of packages, not %s', async (name) => {
  await expect(work({ queue: 'redis://127.0.0.1:1', plugins: [name] })).rejects.toMatchObject({ code: 'FLAG_INVALID' });
});

test('--plugin with a package that is not installed ends the worker at once', async () => {
  await expect(work({ queue: 'redis://127.0.0.1:1', plugins: ['robust-not-installed'] })).rejects.toMatchObject({
    code: 'PLUGIN_NOT_FOUND',
  });
});

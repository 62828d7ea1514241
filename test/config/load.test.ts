import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { configJsonSchema } from '../../src/config/schema.js';
import { packageRoot } from '../../src/core/package-root.js';
import type { RobustError } from '../../src/plugin.js';

/** A folder with these files, and `work` in it. */
function folder(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'robust-config-'));
  mkdirSync(join(root, 'work'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

const load = (files: Record<string, string>, file?: string) => loadConfig(folder(files), file);

/** The message of the refusal. */
async function refusal(files: Record<string, string>, file?: string): Promise<string> {
  const error = await load(files, file).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ exit: 2 });
  return (error as RobustError).message;
}

describe('the same settings', () => {
  const values = { model: 'm', suites: ['typos'], numExamples: 5 };
  test.each([
    ['robust.config.yaml', 'model: m\nsuites: [typos]\nnumExamples: 5\n'],
    ['robust.config.yml', 'model: m\nsuites:\n  - typos\nnumExamples: 5\n'],
    ['robust.config.json', JSON.stringify(values)],
    ['robust.config.mjs', `export default ${JSON.stringify(values)}`],
    ['robust.config.js', `export default ${JSON.stringify(values)}`],
    ['robust.config.ts', `const n: number = 5; export default { model: 'm', suites: ['typos'], numExamples: n }`],
  ])('in %s', async (name, text) => {
    const config = await load({ [name]: text });
    expect(config).toMatchObject({ file: name, values });
  });
});

test.skipIf(!existsSync(join(packageRoot, 'dist', 'src', 'plugin.js')))(
  'a program may import the plugin API',
  async () => {
    const text = `import { defineConfig } from 'robust-text'; export default defineConfig({ seed: 7 })`;
    expect((await load({ 'robust.config.ts': text }))?.values).toEqual({ seed: 7 });
  },
);

test('nothing is there', async () => expect(await load({})).toBeUndefined());

test('the nearest one above is found, and its paths lead from where it lies', async () => {
  const text = 'model: ./m\ndata: dev.tsv\nattacks: [./own.mjs, deepwordbug]\noutputs: [report.md]\nbaseline: {}\n';
  const root = folder({ 'robust.config.yaml': text, 'dev.tsv': '' });
  const config = await loadConfig(join(root, 'work'));
  expect(config?.file).toBe(join('..', 'robust.config.yaml'));
  expect(config?.values).toEqual({
    model: '../m',
    data: '../dev.tsv',
    attacks: ['../own.mjs', 'deepwordbug'],
    outputs: ['../report.md'],
    baseline: '../robust.baseline.json',
  });
  expect(await loadConfig(root)).toMatchObject({ values: { model: './m', data: 'dev.tsv' } });
});

test('what extends overrides, key by key where there are keys, and knows where each value was set', async () => {
  const config = await load({
    'robust.config.yaml':
      'extends: [robust:recommended, base.json]\nseed: 1\nrequire:\n  - typos.attackSuccessRate <= 0.3\n',
    'base.json': '{ "seed": 2,\n  "suites": ["chars"],\n  "require": [{ "limit": "clean.accuracy", "level": "off" }] }',
  });
  expect(config?.values).toMatchObject({
    seed: 1,
    suites: ['chars'],
    numExamples: 500,
    require: [
      'overall.accuracyUnderAttack >= 30 %',
      { limit: 'clean.accuracy', level: 'off' },
      'typos.attackSuccessRate <= 0.3',
    ],
  });
  expect(config?.origin('seed')).toBe('robust.config.yaml:2:1');
  expect(config?.origin('suites')).toBe('base.json:2:3');
  expect(config?.origin('numExamples')).toBe('robust:recommended');
  expect(config?.origin('require', 'clean.accuracy')).toBe('base.json:3:15');
  expect(config?.origin('require', 'overall.accuracyUnderAttack')).toBe('robust:recommended');
  expect(config?.origin('require', 'typos.attackSuccessRate')).toBe('robust.config.yaml:4:5');
});

describe('refuses', () => {
  test('all that is wrong at once, each with its place', async () => {
    const text = [
      'sutes: [typos]',
      'numExamples: "many"',
      'baseline: { fil: x }',
      'require:',
      '  - clean.accuracy',
      '  - { limit: clean.accuracy >= 0.9, levle: warn }',
      'waivers:',
      '  - { metric: a.b, owner: me, expires: soon }',
    ].join('\n');
    expect((await refusal({ 'robust.config.yaml': text })).split('\n')).toEqual([
      'robust.config.yaml:1:1: unknown key "sutes"; did you mean "suites"?',
      'robust.config.yaml:2:14: numExamples: expected a whole number of at least 0, got "many"',
      'robust.config.yaml:3:13: unknown key "fil"; did you mean "file"?',
      'robust.config.yaml:5:5: require.0: expected a figure and its limit, such as "typos.attackSuccessRate <= 0.3", got "clean.accuracy"',
      'robust.config.yaml:6:37: unknown key "levle"; did you mean "level"?',
      'robust.config.yaml:8:5: waivers.0.reason: expected a string, got nothing',
      'robust.config.yaml:8:40: waivers.0.expires: expected a day as YYYY-MM-DD, got "soon"',
    ]);
  });

  test.each([
    ['robust.config.yaml', 'a: [1\nb: 2', /^robust\.config\.yaml:2:1: Flow sequence/],
    ['robust.config.yaml', 'seed: 1\nseed: 2', /^robust\.config\.yaml:2:1: Map keys must be unique/],
    ['robust.config.yaml', '- 1', /:1:1: expected an object, got \[1\]/],
    ['robust.config.json', '{ "seed": 1, }x', /robust\.config\.json:1:\d+: /],
    ['robust.config.mjs', 'throw new Error("boom")', /robust\.config\.mjs could not be run: boom/],
    ['robust.config.mjs', 'export const a = 1', /expected the configuration as its default export|unknown key "a"/],
    [
      'robust.config.ts',
      '\nexport default { seed: 1,\n  sed: 4 }',
      /robust\.config\.ts:3:3: unknown key "sed"; did you mean "seed"/,
    ],
    [
      'robust.config.yaml',
      'extends: robust:recomended',
      /yaml:1:1: extends: expected robust:recommended .*got "robust:recomended"/,
    ],
    ['robust.config.yaml', 'extends: robust.config.yaml', /extends itself/],
  ])('%s: %s', async (name, text, told) => expect(await refusal({ [name]: text })).toMatch(told));

  test('files that are not there or of no known kind', async () => {
    expect(await refusal({}, 'nowhere.yaml')).toMatch(/expected a file at nowhere\.yaml/);
    expect(await refusal({ 'a.toml': '' }, 'a.toml')).toMatch(/ending in .*got "a\.toml"/);
  });
});

test('the published schema is the one of the sources', () => {
  const published = readFileSync(join(packageRoot, 'schemas', 'robust.config.schema.json'), 'utf8');
  // npm run build writes it.
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
});

describe('configurations of several endings in one folder', () => {
  const files = { 'robust.config.yaml': 'model: a\n', 'robust.config.js': 'export default { model: "b" }' };

  test('are refused, here and in a folder above, before any is run', async () => {
    const told = /^expected one configuration in .*, got robust\.config\.js and robust\.config\.yaml$/;
    expect(await refusal({ ...files, 'robust.config.js': 'throw new Error("it ran")' })).toMatch(told);
    await expect(loadConfig(join(folder(files), 'work'))).rejects.toMatchObject({
      message: expect.stringMatching(told),
      hint: expect.stringContaining(`--config ${join('..', 'robust.config.yaml')}`),
    });
  });

  test('are no question where one is named', async () => {
    expect((await load(files, 'robust.config.yaml'))?.values).toEqual({ model: 'a' });
  });
});

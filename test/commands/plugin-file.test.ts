import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { chooseAttacks } from '../../src/app/attacks/choose-attacks.js';
import { codeHash, loadPlugin, ownModuleIn } from '../../src/app/plugins/load-plugin.js';
import { isModuleSpec } from '../../src/modules/own-module.js';
import { refusal } from '../refusal.js';
import { folder, robust } from './cli.js';

const zod = pathToFileURL(fileURLToPath(new URL('../../node_modules/zod/index.js', import.meta.url))).href;

/** An attack's file; `overrides` is put after its members. */
const source = (overrides: string): string => `
import { z } from '${zod}';
export default {
  kind: 'evasion', name: 'mine', summary: 'Mine.', level: 'word', needs: 'scores', options: z.strictObject({}),
  create: () => ({ constraints: [], run: async () => { throw new Error('never run'); } }),
  ${overrides}
};`;

const load = (content: string) => loadPlugin('attack', join(folder({ 'mine.mjs': content }), 'mine.mjs'));

test.each([
  ['./mine.mjs', true],
  ['mine.mjs', true],
  ['../mine', true],
  ['C:\\mine.js', true],
  ['deepwordbug', false],
  ['robust-attack-vowels', true],
  ['@some/robust-vowels', true],
  ['vowels', false],
  ['@some-vowels', false],
  ['mine.txt', false],
])('%s is a path: %s', (spec, path) => expect(isModuleSpec(spec)).toBe(path));

test('an attack loads', async () => expect(await load(source(''))).toMatchObject({ kind: 'evasion', name: 'mine' }));

test.each([
  "kind: 'poison'",
  "kind: 'attack'",
  "name: 'My Attack'",
  'summary: undefined',
  "needs: 'everything'",
  'options: {}',
  'options: z.strictObject({ a: z.string() })',
  'create: undefined',
])('%s says what is missing', async (override) => {
  await refusal(load(source(override)), 'PLUGIN_DAMAGED');
});

test.each([
  ['no default export', 'export const attack = 1;'],
  ['an error while loading', 'throw new Error("boom");'],
])('%s', async (_, content) => {
  await refusal(load(content), 'PLUGIN_DAMAGED');
});

// Whose words are the engine's.
test('a syntax error', () => expect(load('export default {')).rejects.toMatchObject({ code: 'PLUGIN_DAMAGED' }));

test('an attack named as a built-in one is distinguished from it', async () => {
  const path = join(folder({ 'mine.mjs': source("name: 'leet'") }), 'mine.mjs');
  await expect(chooseAttacks([], ['leet', path])).rejects.toMatchObject({ code: 'NAME_TAKEN' });
  expect(await chooseAttacks([], [path, path])).toHaveLength(1);
});

test('no file', async () => {
  await expect(loadPlugin('attack', './nowhere.mjs')).rejects.toMatchObject({ code: 'PLUGIN_NOT_FOUND', exit: 2 });
});

test.each([
  ['./mine.mjs', './mine.mjs'],
  ['./mine.mjs:max-edits=3', './mine.mjs'],
  ['./a=b/mine.mjs', './a=b/mine.mjs'],
  ['deepwordbug:max-edits=3', undefined],
  ['targeted=a/b', undefined],
  ['max-edits=3', undefined],
])('the file in %s is %s', (spec, file) => expect(ownModuleIn(spec)).toBe(file));

test('the hash of code is that of its bytes, wherever it lies, and of several in their order', async () => {
  const [one, other] = [folder({ 'a.mjs': 'a', 'b.mjs': 'b' }), folder({ 'a.mjs': 'a', 'b.mjs': 'B' })];
  const of = (home: string, ...names: readonly string[]) => codeHash(names.map((name) => join(home, name)));
  expect(await codeHash(['deepwordbug', undefined, 'max-edits=3'])).toBeUndefined();
  expect(await of(one, 'a.mjs')).toBe(await of(other, 'a.mjs'));
  expect(await of(one, 'b.mjs')).not.toBe(await of(other, 'b.mjs'));
  expect(await of(one, 'a.mjs', 'b.mjs')).not.toBe(await of(one, 'b.mjs', 'a.mjs'));
  expect(await codeHash(['leet', `${join(one, 'a.mjs')}:x=1`])).toBe(await of(one, 'a.mjs'));
});

const rows = Array.from({ length: 12 }, (_, at) => `a ${at % 2 ? 'good' : 'dull'} film ${at}\t${at % 2}`).join('\n');
const training = ['--arch', 'layers=1:dim=16:heads=2:vocabulary=60', '--epochs', '1', '--no-compare'];

test.each([
  ['run', 'augment', ['-a', './mine.mjs', '-o', 'copies.tsv']],
  ['prepare', 'augment', ['-a', './mine.mjs', '-o', 'copies.tsv']],
  ['run', 'train', ['--adversarial', 'augment:./mine.mjs', ...training, '-o', 'model']],
] as const)('an attack whose %s never ends is reported by %s', async (method, command, args) => {
  const never = `{ constraints: [], run: async ({ text }) => ({ text }), ${method}: () => new Promise(() => {}) }`;
  const cwd = folder({ 'mine.mjs': source(`create: () => (${never}),`), 'data.tsv': `text\tlabel\n${rows}\n` });
  const ended = await robust([command, '-d', 'data.tsv', ...args, '--runtime', 'timeout=0.2', '--json'], { cwd });
  expect({ code: ended.code, error: JSON.parse(ended.stdout).error.code }).toEqual({
    code: 3,
    error: 'PLUGIN_UNREACHABLE',
  });
});

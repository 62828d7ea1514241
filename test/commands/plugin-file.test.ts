import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { chooseAttacks } from '../../src/app/attacks/choose-attacks.js';
import { isPluginFile, loadPlugin } from '../../src/app/attacks/plugin-file.js';
import { PluginError } from '../../src/plugin.js';
import { folder } from './cli.js';

const zod = pathToFileURL(fileURLToPath(new URL('../../node_modules/zod/index.js', import.meta.url))).href;

/** An attack's file; `overrides` is put after its members. */
const source = (overrides: string): string => `
import { z } from '${zod}';
export default {
  kind: 'evasion', name: 'mine', summary: 'Mine.', level: 'word', needs: 'scores', options: z.strictObject({}),
  create: () => ({ constraints: [], run: async () => { throw new Error('never run'); } }),
  ${overrides}
};`;

const load = (content: string) => loadPlugin(join(folder({ 'mine.mjs': content }), 'mine.mjs'));

test.each([
  ['./mine.mjs', true],
  ['mine.mjs', true],
  ['../mine', true],
  ['C:\\mine.js', true],
  ['deepwordbug', false],
  ['mine.txt', false],
])('%s is a path: %s', (spec, path) => expect(isPluginFile(spec)).toBe(path));

test('an attack loads', async () => expect(await load(source(''))).toMatchObject({ kind: 'evasion', name: 'mine' }));

test.each([
  ["kind: 'poison'", /kind: .*evasion/],
  ["name: 'My Attack'", /name: expected kebab-case/],
  ['summary: undefined', /summary: /],
  ["needs: 'everything'", /needs: /],
  ['options: {}', /options: expected a zod schema/],
  ['options: z.strictObject({ a: z.string() })', /expected \{\} to be valid/],
  ['create: undefined', /create: expected a function/],
])('%s says what is missing', async (override, message) => {
  await expect(load(source(override))).rejects.toThrow(message);
  await expect(load(source(override))).rejects.toThrow(PluginError);
});

test.each([
  ['no default export', 'export const attack = 1;', /default export/],
  ['a syntax error', 'export default {', /could not be loaded/],
  ['an error while loading', 'throw new Error("boom");', /could not be loaded: boom/],
])('%s', async (_, content, message) => {
  await expect(load(content)).rejects.toThrow(PluginError);
  await expect(load(content)).rejects.toThrow(message);
});

test('an attack named as a built-in one is told from it', async () => {
  const path = join(folder({ 'mine.mjs': source("name: 'leet'") }), 'mine.mjs');
  await expect(chooseAttacks([], ['leet', path])).rejects.toMatchObject({ code: 'ATTACK_NAME_TAKEN' });
  expect(await chooseAttacks([], [path, path])).toHaveLength(1);
});

test('no file', async () => {
  await expect(loadPlugin('./nowhere.mjs')).rejects.toMatchObject({ code: 'PLUGIN_NOT_FOUND', exit: 3 });
});

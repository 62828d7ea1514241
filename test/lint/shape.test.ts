/**
 * Which files a change touches. A measure is declared in its attack, a constraint and a report format are a file and a line of
 * a list, a setting is a row of the table: nothing else knows their names. (test/commands/measures.test.ts and
 * test/commands/recipes.test.ts check that third-party measures and constraints work from one file.)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { fileFormats } from '../../reports/index.js';
import { commandLine, recordOf, valuesOfRecord } from '../../src/app/command-line.js';
import { withDefaults } from '../../src/app/context.js';
import { environment } from '../../src/commands/_shared/environment.js';
import { flagsOf, settingRow, valuesOf } from '../../src/commands/_shared/flags.js';
import { optionOf } from '../../src/config/options.js';
import { configJsonSchema } from '../../src/config/schema.js';
import { flagOf, type Setting, type Settings, variableOf } from '../../src/config/setting.js';
import * as tables from '../../src/config/settings/index.js';
import { constraints } from '../../src/constraints/index.js';
import { GENERAL_MEASURES } from '../../src/core/measures/index.js';
import { defences } from '../../src/defence/index.js';
import { packageRoot, z } from '../../src/plugin.js';
import { adversarialMethods } from '../../src/train/adversarial/methods/index.js';

const sources = ['src', 'attacks', 'datasets', 'reports'].flatMap((top) =>
  readdirSync(join(packageRoot, top), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(top, file))
    .map((file) => ({ file, text: readFileSync(join(packageRoot, file), 'utf8') })),
);

/** The files that hold one of these texts as a literal of its own. */
const naming = (...texts: readonly string[]): string[] =>
  sources.filter(({ text }) => texts.some((each) => text.includes(`'${each}'`))).map(({ file }) => file);

const measures = new Map(
  [...GENERAL_MEASURES, ...attacks.flatMap(({ measures = [] }) => measures)].map((each) => [each.name, each]),
);

test('a measure is named by its own file, and by one more at most', () => {
  const faults = Array.from(measures.values(), ({ name, metrics = [] }) => {
    const files = naming(...metrics.map(({ label }) => label));
    return files.length > 2 || files.some((file) => !/measures|^attacks/.test(file)) ? [name, ...files] : [];
  });
  expect(faults.filter(({ length }) => length > 0)).toEqual([]);
});

test('a constraint is one file', () => {
  // Bounds of an attack of parts without a constraint.
  const BOUNDS = 'src/app/attacks/parts.ts';
  const faults = constraints
    .map(({ name }) => [name, ...naming(name).filter((file) => name !== 'no-repeat' || file !== BOUNDS)])
    .filter(([, own, ...others]) => others.length > 0 || !/^src\/(?:constraints|language)\//.test(own ?? ''));
  expect(faults).toEqual([]);
});

test('a report format is one file, a line of the list of formats, and its ending in the help', () => {
  const faults = fileFormats.map(({ name, extension }) => {
    const own = sources
      .filter(({ text }) => text.includes(`name: '${name}'`) && text.includes(`extension: '${extension}'`))
      .map(({ file }) => file)
      .filter((file) => file !== 'reports/index.ts');
    const one = own.length === 1 && own[0]?.startsWith('reports/');
    return one && tables.reportSettings.outputs.help.includes(`.${extension}`) ? [] : [name, ...own];
  });
  expect(faults.filter(({ length }) => length > 0)).toEqual([]);
});

test('a setting is a row of the table: flag, variable, default, check, record and replay come from it', async () => {
  const loudness = {
    schema: z.int('expected a whole number').min(1, 'expected at least 1').default(3),
    help: 'how loud',
    group: 'running',
    value: 'decibel',
    char: 'L',
    configured: true,
    recorded: true,
  } as const satisfies Setting;
  const table = { loudNess: loudness } as const satisfies Settings;

  const [flag] = Object.entries(flagsOf(table));
  expect(flag).toMatchObject([
    'loud-ness',
    { description: 'how loud', helpGroup: 'running', helpValue: 'decibel', char: 'L', default: 3 },
  ]);
  const [name, made] = flag as [string, Parameters<typeof settingRow>[0]];
  expect(settingRow(made)).toEqual({ key: 'loudNess', setting: loudness });
  expect(variableOf('loud-ness')).toBe('ROBUST_LOUD_NESS');
  expect(await environment({ ROBUST_LOUD_NESS: '7' })(name, made)?.read()).toBe(7);
  expect(valuesOf(table, { 'loud-ness': 7 })).toEqual({ loudNess: 7 });

  expect(withDefaults(table, {})).toEqual({ loudNess: 3 });
  expect(() => withDefaults(table, { loudNess: 0 })).toThrow('loudNess: expected at least 1, got 0');

  const record = recordOf(table, { loudNess: 7 });
  expect(valuesOfRecord(table, record)).toEqual({ loudNess: 7 });
  expect(commandLine('attack', record)).toBe('robust attack --loud-ness 7');
});

test('what a table says a configuration may hold, its schema holds', () => {
  interface Entry {
    readonly properties?: Readonly<Record<string, Entry>>;
    readonly anyOf?: readonly Entry[];
  }
  const { properties = {} } = configJsonSchema() as Entry;
  const rows = Object.values(tables).flatMap((table) => Object.entries(table as Settings));
  expect(rows.length).toBeGreaterThan(100);
  for (const [key, setting] of rows) {
    if (setting.configured === undefined) continue;
    if (setting.of === undefined) {
      expect(properties, flagOf(key, setting)).toHaveProperty(key);
      continue;
    }
    // An option, in the map of its setting.
    const owner = properties[setting.of];
    const map = owner?.properties ?? owner?.anyOf?.find((each) => each.properties !== undefined)?.properties;
    const option = optionOf(key, setting).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(map, flagOf(key, setting)).toHaveProperty(option);
  }
});

test('a family of models is its file and a line of the list of families', () => {
  const rules = 'src/model/tokens/formats/vocabulary-files.ts';
  const faults = ['electra', 'longformer', 'mobilebert', 'modernbert', 'mpnet', 'squeezebert']
    .map((type) => [type, ...naming(type).filter((file) => type !== 'mpnet' || file !== rules)])
    .filter(([, own, ...others]) => others.length > 0 || !own?.startsWith('src/convert/families/'));
  expect(faults).toEqual([]);
});

/** The files of these rooms that compare something with one of the names. */
const comparing = (rooms: RegExp, names: readonly string[]): string[] =>
  sources
    .filter(({ file }) => rooms.test(file))
    .filter(({ text }) => new RegExp(`(?:[!=]==|case) '(?:${names.join('|')})'`).test(text))
    .map(({ file }) => file);

test.each([
  [
    'adversarial method',
    'src/train/adversarial/methods',
    adversarialMethods.map(({ name }) => name),
    /^src\/(?:train|app\/train)/,
  ],
  ['defence', 'src/defence', defences.map(({ name }) => name), /^src\/(?:defence|app\/victim)\//],
] as const)(
  'a %s is one file in %s and a line of its list, and nothing asks for its name',
  (_, folder, names, rooms) => {
    expect(comparing(rooms, names)).toEqual([]);
    for (const name of names) {
      const own = sources.filter(
        ({ file, text }) => file.startsWith(folder) && new RegExp(`(?:name: |Method\\(\\s*)'${name}'`).test(text),
      );
      expect(own.map(({ file }) => file)).toHaveLength(1);
    }
  },
);

test('the help of --adversarial lists all methods', () => {
  const { help } = tables.trainSettings.adversarial;
  for (const { name } of adversarialMethods) expect(help).toContain(name);
});

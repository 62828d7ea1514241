/** A setting is a row of the table: nothing else knows its name. */
import { expect, test } from 'vitest';
import { commandLine, recordOf, valuesOfRecord } from '../../src/app/command-line.js';
import { withDefaults } from '../../src/app/context.js';
import { environment } from '../../src/commands/_shared/environment.js';
import { flagsOf, settingRow, valuesOf } from '../../src/commands/_shared/flags.js';
import { optionOf } from '../../src/config/options.js';
import { configJsonSchema } from '../../src/config/schema.js';
import { flagOf, type Setting, type Settings, variableOf } from '../../src/config/setting.js';
import * as tables from '../../src/config/settings/index.js';
import { z } from '../../src/plugin.js';

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

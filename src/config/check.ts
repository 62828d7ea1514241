/** @file Parses a configuration by its schema and reports every problem at once, each with its place. */
import type { z } from 'zod';
import { RobustError } from '../core/errors.js';
import { faultText, memberOf, readBy } from '../core/read-by.js';
import { type ParsedConfig, positionText } from './parsed-config.js';
import { type ConfigValues, configSchema, settingIn } from './schema.js';
import type { Setting } from './setting.js';
import { configurable } from './settings/index.js';

/** The values of a file, parsed, without defaults. Throws RobustError naming every problem, in the order of the file. */
export function parseConfig(written: ParsedConfig, name: string): ConfigValues {
  const read = readBy(configSchema, written.value);
  if (read.success) return settingsIn(read.data, written.value);
  const lines = read.faults
    .map((fault) => ({ fault, place: written.place(fault.path, fault.key) }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map(({ fault, place }) => `${positionText(name, place)}: ${fault.key ? fault.message : faultText(fault)}`);
  throw new RobustError(lines.join('\n'), {
    code: 'CONFIG_INVALID',
    hint: 'See robust config show --help, or the "$schema" line that robust init writes: editors then complete keys.',
  });
}

/** The settings of a parsed configuration by their keys, without those that `written` lacks: these have their defaults. */
const settingsIn = (parsed: z.output<typeof configSchema>, written: unknown): ConfigValues => {
  const { extends: base, variables, require, waivers } = parsed;
  const settings = Object.entries<Setting>(configurable).flatMap(([key, setting]) =>
    !setting.configured || settingIn(written, key, setting) === undefined
      ? []
      : [[key, settingIn(parsed, key, setting)]],
  );
  const others = Object.entries({ extends: base, variables, require, waivers });
  return Object.fromEntries([...settings, ...others.filter(([, value]) => value !== undefined)]);
};

/** Throws RobustError where an address or a header refers to an environment variable that this file does not list. */
export function checkVariables(written: ParsedConfig, values: ConfigValues, name: string): void {
  for (const [key, { expands }] of Object.entries<Setting>(configurable)) {
    if (!expands) continue;
    for (const text of [memberOf(values, key) ?? []].flat()) {
      const missing = [...String(text).matchAll(/\$\{([A-Za-z_]\w*)\}/g)].find(
        ([, each = '']) => !values.variables?.includes(each),
      );
      if (missing === undefined) continue;
      throw new RobustError(
        `${positionText(name, written.place([key]))}: ${key}: expected a variable that the file lists, got ${missing[0]}`,
        {
          code: 'SECRET_INVALID',
          hint: `If the endpoint may have its value, list it in the file: variables: [${[...(values.variables ?? []), missing[1]].join(', ')}]`,
        },
      );
    }
  }
}

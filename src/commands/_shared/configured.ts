/** @file A configuration file as a source of values of settings, which are joined by key. */
import type { LoadedConfig } from '../../config/load.js';
import type { Config } from '../../config/schema.js';
import { flagOf } from '../../config/setting.js';
import { UsageError } from '../../core/errors.js';
import type { LayeredFlags, ValueSource } from './environment.js';
import { type SettingRow, settingRow } from './flags.js';

type ConfigPath = readonly [keyof Config, string?];

/** Where a configuration holds a setting. */
export const configPath = ({ key, setting: { configured } }: SettingRow): ConfigPath =>
  (typeof configured === 'object' ? configured : [key]) as ConfigPath;

export function configured(config: LoadedConfig): ValueSource {
  const held = ([key, inner]: ConfigPath): unknown => {
    const value: unknown = config.values[key];
    return inner === undefined ? value : (value as Record<string, unknown> | undefined)?.[inner];
  };
  const rowOf = (flag: Parameters<ValueSource['has']>[1]): SettingRow | undefined => {
    const row = settingRow(flag);
    return row?.setting.configured === undefined ? undefined : row;
  };
  return {
    has(_, flag) {
      const row = rowOf(flag);
      return row !== undefined && held(configPath(row)) !== undefined;
    },
    // The file was checked against the schema of configurations; a command may take less.
    async read(_, flag) {
      const row = rowOf(flag) as SettingRow;
      const value = held(configPath(row));
      const result = row.setting.schema.safeParse(value);
      if (result.success) return asFlag(result.data);
      const expected = (result.error.issues[0]?.message ?? '').replace(/^expected /, '');
      throw new UsageError(
        `expected --${flagOf(row.key, row.setting)} to be ${expected}, got ${JSON.stringify(value)}`,
        {
          code: 'USAGE',
        },
      );
    },
    origin(_, flag) {
      return config.origin(...configPath(rowOf(flag) as SettingRow));
    },
  };
}

/** Keys of the settings that a configuration decides. */
export const configuredIn = ({ origins }: LayeredFlags, decided: (flag: string) => boolean): string[] =>
  [...origins].flatMap(([name, { row, source }]) =>
    row === undefined || source.text !== undefined || !decided(name) ? [] : [configPath(row).join('.')],
  );

/** A flag parses `data=model` as a pair. */
const asFlag = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : value;

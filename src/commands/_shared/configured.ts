/** @file A configuration file as a source of values of settings, which are joined by key. */
import type { LoadedConfig } from '../../config/load.js';
import { configPath, type SettingKey } from '../../config/schema.js';
import type { FlagValue, ValueSource } from './environment.js';
import { settingRow } from './flags.js';

/** The values of a configuration, which were parsed when it was loaded. */
export const configured =
  ({ values, origin }: LoadedConfig): ValueSource =>
  (_, flag) => {
    const row = settingRow(flag);
    if (row?.setting.configured === undefined) return undefined;
    const key = row.key as SettingKey;
    return values[key] === undefined ? undefined : { origin: origin(key), read: () => values[key] };
  };

/** Where the configuration has the settings that it decides. */
export const configuredIn = (values: readonly FlagValue[]): string[] =>
  values.flatMap(({ row, text }) =>
    row === undefined || text !== undefined ? [] : [configPath(row.key, row.setting).join('.')],
  );

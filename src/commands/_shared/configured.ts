/** @file A configuration file as a source of values of settings, which are joined by key. */
import type { LoadedConfig } from '../../config/load.js';
import type { ConfigValues } from '../../config/schema.js';
import { memberOf } from '../../core/read-by.js';
import type { FlagValue, ValueSource } from './environment.js';
import { type SettingRow, settingRow } from './flags.js';

type ConfigPath = readonly [keyof ConfigValues, string?];

/** Where a configuration holds a setting. */
export const configPath = ({ key, setting: { configured } }: SettingRow): ConfigPath =>
  (typeof configured === 'object' ? configured : [key]) as ConfigPath;

/** The values of a configuration, which were parsed when it was loaded. */
export const configured =
  ({ values, origin }: LoadedConfig): ValueSource =>
  (_, flag) => {
    const row = settingRow(flag);
    if (row?.setting.configured === undefined) return undefined;
    const [key, inner] = configPath(row);
    const value = inner === undefined ? values[key] : memberOf(values[key], inner);
    return value === undefined ? undefined : { origin: origin(key, inner), read: () => value };
  };

/** Keys of the settings that a configuration decides. */
export const configuredIn = (values: readonly FlagValue[]): string[] =>
  values.flatMap(({ row, text }) => (row === undefined || text !== undefined ? [] : [configPath(row).join('.')]));

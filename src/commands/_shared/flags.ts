/** @file The flags of the command line, made of the table of settings. */
import type { Interfaces } from '@oclif/core';
import { z } from 'zod';
import { type OptionRow, optionFlagSettings, optionRows, withOptions } from '../../config/options.js';
import { type JsonType, jsonType, parseText } from '../../config/parse-text.js';
import { flagOf, fromPairs, type Setting, type Settings, type Values } from '../../config/setting.js';
import { allowCodeSetting } from '../../config/settings/index.js';
import { Flags } from './oclif.js';

/** A row of the table of settings. */
export interface SettingRow {
  readonly key: string;
  readonly setting: Setting;
}

/** A flag, the setting that it was made of, and those that are its options. */
type SettingFlag = Interfaces.FlagInput[string] & { readonly row?: SettingRow; readonly carried?: Settings };

/** The setting that a flag was made of; undefined for a flag of a single command, and for one that has only options. */
export const settingRow = ({ row }: SettingFlag): SettingRow | undefined => row;

/** One flag for each setting that is no option of another, in the order of the table, then the flags that have only options. */
export function flagsOf(settings: Settings): Interfaces.FlagInput {
  const rows = optionRows(settings);
  const isOption = new Set(rows.map(({ key }) => key));
  const carried = (name: string) => ({
    carried: Object.fromEntries(rows.flatMap(({ owner, key, setting }) => (owner === name ? [[key, setting]] : []))),
  });
  const own = Object.entries(settings).flatMap(([key, setting]) => {
    const name = flagOf(key, setting);
    const flag = () => ({
      ...settingFlag(key, withOptions(name, setting, rows)),
      row: { key, setting },
      ...carried(name),
    });
    return isOption.has(key) ? [] : [[name, flag()] as const];
  });
  const holders = optionFlagSettings(rows).map(
    ([name, setting]) => [name, { ...settingFlag(name, setting), ...carried(name) }] as const,
  );
  return Object.fromEntries([...own, ...holders]);
}

/** What parses options, by their names among the values of a command. */
export const optionParsers = (rows: readonly OptionRow[]): Interfaces.FlagInput =>
  Object.fromEntries(
    rows.map(({ owner, option, name, key, setting }) => [
      name,
      { ...settingFlag(key, setting, `${owner} ${option}`), row: { key, setting } },
    ]),
  );

/** The settings that flags were made of, and those that are their options. */
export const settingsOfFlags = (flags: Interfaces.FlagInput): Settings =>
  Object.assign(
    {},
    ...Object.values(flags).map(({ row, carried }: SettingFlag) => ({
      ...(row && { [row.key]: row.setting }),
      ...carried,
    })),
  );

/** Present on commands that read a configuration. */
export const configFlags = {
  config: Flags.string({
    helpGroup: 'running',
    char: 'c',
    helpValue: 'file',
    description: 'configuration [default: robust.config.yaml, .json, .js or .ts, here or in a folder above]',
  }),
  ...flagsOf(allowCodeSetting),
} satisfies Interfaces.FlagInput;

/** `name`: what messages call it. */
function settingFlag(key: string, setting: Setting, name = flagOf(key, setting)): Interfaces.FlagInput[string] {
  const kind = jsonType(setting);
  const { help: description, char, group: helpGroup, required, exclusive } = setting;
  const helpValue = setting.value ?? (kind.type === 'integer' ? 'N' : undefined);
  const flag = { description, char, helpGroup, helpValue, required, exclusive };
  if (kind.type === 'boolean') {
    const usual = kind.default === true || undefined;
    return Flags.boolean({ ...flag, allowNo: setting.negatable === true, default: usual } as object);
  }
  const texts = ({ type, anyOf = [] }: JsonType): boolean => type === 'string' || anyOf.some(texts);
  const list = [kind, ...(kind.anyOf ?? [])].find(({ type, items }) => type === 'array' && items && texts(items));
  const options = (list?.items ?? kind).enum;
  return Flags.custom<unknown>({
    ...flag,
    default: kind.default,
    options,
    ...((list || kind.type === 'object') && { multiple: true, multipleNonGreedy: setting.greedy !== true }),
    parse: async (written: string) => (list ? written : parseText(name, written, kind, setting)),
  } as never)() as Interfaces.FlagInput[string];
}

/** Values by key, of flags by name. */
export const valuesOf = <S extends Settings>(settings: S, flags: Readonly<Record<string, unknown>>): Values<S> =>
  Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => {
      const value = flags[flagOf(key, setting)];
      return [key, fromPairs(value ?? (isYes(setting) ? false : undefined))];
    }),
  ) as Values<S>;

const isYes = ({ schema }: Setting): boolean =>
  schema instanceof z.ZodDefault && schema.safeParse(undefined).data === false;

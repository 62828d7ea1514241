/** @file The flags of the command line, made of the table of settings. */
import type { Interfaces } from '@oclif/core';
import { z } from 'zod';
import { optionFlagSettings, optionRows, withOptions } from '../../config/options.js';
import { type JsonType, jsonType, parseText } from '../../config/parse-text.js';
import { flagOf, fromPairs, type Setting, type Settings, type Values } from '../../config/setting.js';
import { Flags } from './oclif.js';

/** A row of the table of settings. */
export interface SettingRow {
  readonly key: string;
  readonly setting: Setting;
}

type SettingFlag = Interfaces.FlagInput[string] & { readonly row?: SettingRow };

/** The setting that a flag was made of; undefined for a flag of a single command. */
export const settingRow = ({ row }: SettingFlag): SettingRow | undefined => row;

/** One flag for each setting, in the order of the table, then the flags that have only options. */
export function flagsOf(settings: Settings): Interfaces.FlagInput {
  const options = optionRows(settings);
  const own = Object.entries(settings).map(([key, setting]) => {
    const flag = oneFlag(key, withOptions(flagOf(key, setting), setting, options));
    const hidden = setting.instead !== undefined || options.some((row) => row.setting === setting);
    return [flagOf(key, setting), { ...flag, hidden, row: { key, setting } }] as const;
  });
  const holders = optionFlagSettings(options).map(([name, setting]) => [name, oneFlag(name, setting)] as const);
  return Object.fromEntries([...own, ...holders]);
}

/** The settings that flags were made of. */
export const settingsOfFlags = (flags: Interfaces.FlagInput): Settings => {
  const made = Object.values(flags).flatMap((flag) => settingRow(flag) ?? []);
  return Object.fromEntries(made.map(({ key, setting }) => [key, setting]));
};

/** Present on commands that read a configuration. */
export const configFlag = Flags.string({
  helpGroup: 'running',
  char: 'c',
  helpValue: 'file',
  description: 'configuration [default: robust.config.yaml, .json, .js or .ts, here or in a folder above]',
});

function oneFlag(key: string, setting: Setting): Interfaces.FlagInput[string] {
  const kind = jsonType(setting);
  const { of: owner, option = flagOf(key, setting) } = setting;
  const name = owner === undefined ? option : `${owner} ${option}`;
  const { help: description, aliases, char, group: helpGroup, required, exclusive } = setting;
  const helpValue = setting.value ?? (kind.type === 'integer' ? 'N' : undefined);
  const flag = { description, aliases, char, helpGroup, helpValue, required, exclusive };
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

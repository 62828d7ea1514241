/** @file Settings as a run's record keeps them, by the names of their flags, and the command line that gives the same result again. */
import { flagOf, type Settings as Table } from '../config/setting.js';

/** Values of flags by name. */
export type SettingValues = Readonly<Record<string, unknown>>;

/** The settings among the flags: those named, where they have a value. */
export const settingsOf = (flags: SettingValues, names: readonly string[]): SettingValues =>
  Object.fromEntries(names.flatMap((name) => (isSet(flags[name]) ? [[name, flags[name]]] : [])));

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** What a record keeps of values: those that decide the result, by flag. */
export function recordOf(table: Table, values: Readonly<Record<string, unknown>>): SettingValues {
  const flags = Object.entries(table).flatMap(([key, setting]) => {
    if (!setting.recorded || !isSet(values[key])) return [];
    const value = values[key];
    const pairs = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [[flagOf(key, setting), pairs ? Object.entries(value) : value] as const];
  });
  return Object.fromEntries(flags);
}

/** The values that a record keeps, by key. */
export function valuesOfRecord(table: Table, record: SettingValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, setting]) => {
      const value = [flagOf(key, setting), ...(setting.aliases ?? [])].map((name) => record[name]).find(isSet);
      if (value === undefined) return [];
      const pairs = Array.isArray(value) && Array.isArray(value[0]);
      return [[key, pairs ? Object.fromEntries(value as [string, string][]) : value] as const];
    }),
  );
}

/** `robust <command>` with these flags, quoted for a POSIX shell. */
export function commandLine(command: string, settings: SettingValues): string {
  const words = Object.entries(settings).flatMap(([name, value]) => wordsOf(`--${name}`, value));
  return ['robust', ...command.split(' '), ...words.map(quoted)].join(' ');
}

function wordsOf(flag: string, value: unknown): string[] {
  if (value === true) return [flag];
  // Of repeated flags one a value; a pair is written as it was given.
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((each) => [flag, Array.isArray(each) ? each.join('=') : String(each)]);
}

export const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

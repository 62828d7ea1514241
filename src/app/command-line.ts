/** @file Settings as a run's record keeps them, by the names of their flags, and the command line that gives the same result again. */
import { isDeepStrictEqual } from 'node:util';
import { joinOptions, optionRows } from '../config/options.js';
import { flagOf, fromPairs, type Setting, type Settings as Table, toPairs } from '../config/setting.js';
import {
  gateOutputSettings,
  gateSettings,
  plantSettings,
  repairSettings,
  trainSettings,
  verifySettings,
} from '../config/settings/index.js';

/** Values of flags by name. */
export type SettingValues = Readonly<Record<string, unknown>>;

/** The settings among the flags: those named, where they have a value. */
export const settingsOf = (flags: SettingValues, names: readonly string[]): SettingValues =>
  Object.fromEntries(names.flatMap((name) => (isSet(flags[name]) ? [[name, flags[name]]] : [])));

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** The values that a record keeps, because they decide the result, by flag. */
export const recordOf = (table: Table, values: Readonly<Record<string, unknown>>): SettingValues =>
  flagValues(table, values, ({ recorded }) => recorded === true);

/** The values that a record of `table` does not keep, by flag; without secrets. */
export const notRecorded = (table: Table, values: Readonly<Record<string, unknown>>): SettingValues =>
  flagValues(table, values, ({ recorded, secret }) => !recorded && !secret);

/** The facts of a run's fingerprint that are values of settings, by key. */
export const fingerprintFacts = (table: Table, values: Readonly<Record<string, unknown>>): SettingValues =>
  Object.fromEntries(
    Object.entries(table).flatMap(([key, { fingerprint }]) =>
      fingerprint === 'always' || (fingerprint === 'set' && values[key]) ? [[key, values[key] ?? null]] : [],
    ),
  );

function flagValues(
  table: Table,
  values: Readonly<Record<string, unknown>>,
  wanted: (setting: Setting) => boolean,
): SettingValues {
  const flags = Object.entries(table).flatMap(([key, setting]) => {
    const value = values[key];
    if (wanted(setting) && setting.negatable && value === false)
      return [
        setting.of === undefined
          ? ([`no-${flagOf(key, setting)}`, true] as const)
          : ([flagOf(key, setting), false] as const),
      ];
    return wanted(setting) && isSet(value) ? [[flagOf(key, setting), toPairs(value)] as const] : [];
  });
  return Object.fromEntries(flags);
}

/** The recorded settings of a record, by key. */
export function valuesOfRecord(table: Table, record: SettingValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, setting]) => {
      const value = record[flagOf(key, setting)];
      return !isSet(value) || !setting.recorded ? [] : [[key, fromPairs(value)] as const];
    }),
  );
}

/** A command that follows one with the settings `inForce`: it keeps those of them that it has too. `changes` go first; undefined leaves a setting out. */
export function followUp(command: string, table: Table, inForce: SettingValues, changes: SettingValues = {}): string {
  const flags = Object.entries(table).map(([key, setting]) => flagOf(key, setting));
  return commandLine(command, settingsOf({ ...inForce, ...changes }, flags));
}

/** The settings of a record that differ from the defaults of its command, and the model and the data. */
export const withoutDefaults = (table: Table, record: SettingValues): SettingValues =>
  Object.fromEntries(
    Object.entries(table).flatMap(([key, setting]) => {
      const flag = flagOf(key, setting);
      const kept = flag === 'model' || flag === 'data' || !isDefault(setting, record[flag]);
      return kept && isSet(record[flag]) ? [[flag, record[flag]] as const] : [];
    }),
  );

const isDefault = ({ schema }: Setting, value: unknown): boolean =>
  isDeepStrictEqual(schema.safeParse(undefined).data, value);

/** The settings of most commands. */
const COMMON = { ...gateSettings, ...gateOutputSettings };

/** Commands with settings of their own. */
const TABLES: Readonly<Record<string, Table>> = {
  train: trainSettings,
  verify: verifySettings,
  'backdoor plant': plantSettings,
  'backdoor repair': repairSettings,
};

/** `robust <command>` with these flags, quoted for a POSIX shell. */
export function commandLine(command: string, settings: SettingValues): string {
  const table = TABLES[command] ?? COMMON;
  const rows = new Map(optionRows(table).map((row) => [row.name, row]));
  const owners = new Set(Object.keys(settings).map((name) => rows.get(name)?.owner ?? name));
  const words = [...owners].flatMap((owner) => {
    const options = Object.entries(settings).flatMap(([name, value]) => {
      const row = rows.get(name);
      if (row?.owner !== owner || isDefault(row.setting, value)) return [];
      return [[row.option, String(value)] as const];
    });
    const own = settings[owner];
    if (options.length > 0 && !Array.isArray(own)) {
      return [`--${owner}`, joinOptions(own === undefined ? undefined : String(own), options)];
    }
    const beside = options.length === 0 ? [] : [`--${owner}`, joinOptions(undefined, options)];
    return [...wordsOf(`--${owner}`, own ?? []), ...beside];
  });
  return ['robust', ...command.split(' '), ...words.map(quote)].join(' ');
}

function wordsOf(flag: string, value: unknown): string[] {
  if (value === true) return [flag];
  // A flag is repeated for each value; a pair is written as it was given.
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((each) => [flag, Array.isArray(each) ? each.join('=') : String(each)]);
}

/** The command that ends an interrupted run with these flags, and then `next`; undefined where no run was begun. */
export function resumeOfRun(
  run: string | undefined,
  flags: SettingValues,
  next?: string,
  command = 'attack',
): string | undefined {
  if (run === undefined) return undefined;
  // The address of a queue may hold a password, and the texts of a surrogate are made.
  const { resume: _, queue: __, surrogate: ___, 'dry-run': ____, ...repeated } = flags;
  return [commandLine(command, { resume: run, ...repeated }), ...(next === undefined ? [] : [next])].join(' && ');
}

/** The words of a command line in which `--resume` may stand alone, as flags with a value may not: it then means the latest run. */
export const withLatest = (argv: readonly string[]): string[] =>
  argv.flatMap((word, i) => (word === '--resume' && (argv[i + 1] ?? '-').startsWith('-') ? [word, 'latest'] : [word]));

export const quote = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * @file Flags with options, `--arch bert:layers=4:dim=256`: the options of a method are written with it. Each option is a setting, whose
 * flag of earlier versions is read for one more version.
 */
import { z } from 'zod';
import { UsageError } from '../core/errors.js';
import { nearest } from '../core/suggest.js';
import { jsonType } from './parse-text.js';
import { flagOf, type Setting, type Settings, variableOf } from './setting.js';

const optionFlag = (group: string, value: string, help: string) => ({ schema: z.string(), group, value, help });

/** Flags that have options and no value of their own. The other flags with options are settings. */
export const OPTION_FLAGS: Settings = {
  columns: optionFlag('data', 'option=name', 'column names, such as text=review:label=stars'),
  endpoint: optionFlag('endpoint', 'option=value', 'how an endpoint is queried, such as rate=50/s'),
  runtime: optionFlag('running', 'option=value', 'how the model runs, such as workers=2:precision=int8'),
  optimizer: optionFlag('learning', 'option=value', 'options of AdamW, such as weight-decay=0.05'),
  loss: optionFlag('learning', 'option=value', 'weights of the loss, such as class-weights=balanced'),
  regularize: optionFlag('learning', 'option=value', 'regularisation, such as token-dropout=0.2'),
};

/** A setting that is an option of another flag. */
export interface OptionRow {
  /** The flag with the option. */
  readonly owner: string;
  /** The value of that flag may hold colons or options of its own: a phrase, a plugin. What is no option of the flag belongs to its value. */
  readonly open: boolean;
  /** Its name after that flag. */
  readonly option: string;
  /** Its flag of earlier versions. */
  readonly flag: string;
  readonly setting: Setting;
}

/** The settings of a table that are options of other flags of the same table, in its order. */
export function optionRows(settings: Settings): OptionRow[] {
  const flags = new Map(Object.entries(settings).map(([key, setting]) => [flagOf(key, setting), setting]));
  return Object.entries(settings).flatMap(([key, setting]) => {
    const { of: owner, option } = setting;
    const holder = owner === undefined ? undefined : (OPTION_FLAGS[owner] ?? flags.get(owner));
    if (owner === undefined || holder === undefined) return [];
    const flag = flagOf(key, setting);
    return [
      {
        owner,
        open: jsonType(holder).type === 'array' || holder.path === 'module',
        option: option ?? flag,
        flag,
        setting,
      },
    ];
  });
}

/** Splits `bert:layers=4` into the value of the flag itself, if any, and the values of its options, by their flags. Throws UsageError. */
function splitOptions(
  owner: string,
  text: string,
  rows: readonly OptionRow[],
): { readonly head: string | undefined; readonly options: readonly (readonly [row: OptionRow, value: string])[] } {
  const own = rows.filter((row) => row.owner === owner);
  const parts = text.split(/:(?=[a-z][a-z0-9-]*=)/);
  const rowOf = (part: string): OptionRow | undefined => own.find(({ option }) => part.startsWith(`${option}=`));
  const isOpen = own.some(({ open }) => open);
  const first = owner in OPTION_FLAGS || rowOf(parts[0]!) ? [] : parts.splice(0, 1);
  const value = [...first, ...parts.filter((part) => isOpen && !rowOf(part))];
  const options = parts.flatMap((part) => {
    const row = rowOf(part);
    if (row === undefined && isOpen) return [];
    if (row !== undefined) return [[row, part.slice(row.option.length + 1)] as const];
    const known = own.map(({ option }) => option);
    const [name = '', assigned] = part.split('=');
    const near = nearest(name, known);
    throw assigned === undefined
      ? new UsageError(`--${owner}: expected option=value, got "${part}"; options: ${known.join(', ')}`, {
          code: 'USAGE',
        })
      : new UsageError(`unknown option ${name} of --${owner}; known: ${known.join(', ')}`, {
          code: 'USAGE',
          ...(near !== undefined && { hint: `Did you mean "${near}"?` }),
        });
  });
  return { head: value.length === 0 ? undefined : value.join(':'), options };
}

/** The options of one flag as one text. */
export const joinOptions = (head: string | undefined, options: readonly (readonly [option: string, value: string])[]) =>
  [...(head === undefined ? [] : [head]), ...options.map(([option, value]) => `${option}=${value}`)].join(':');

/** A flag, and its value where an equals sign joins them. */
export const FLAG = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s;

/** Writes each option on a command line as a flag. Throws UsageError. */
export function expandOptions(argv: readonly string[], rows: readonly OptionRow[]): string[] {
  const owners = new Set(rows.map(({ owner }) => owner));
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const words: string[] = [];
  for (let at = 0; at < end; at++) {
    const word = argv[at]!;
    const [, flag = '', joined] = FLAG.exec(word) ?? [];
    const value = joined ?? argv[at + 1];
    if (!owners.has(flag) || value === undefined) {
      words.push(word);
      continue;
    }
    if (joined === undefined) at++;
    const { head, options } = splitOptions(flag, value, rows);
    if (head !== undefined) words.push(`--${flag}=${head}`);
    for (const [row, text] of options) words.push(`--${row.flag}=${text}`);
  }
  return [...words, ...argv.slice(end)];
}

/** The flags without a value of their own that have some of these options. */
export const optionFlagSettings = (rows: readonly OptionRow[]): (readonly [flag: string, Setting])[] =>
  Object.entries(OPTION_FLAGS).flatMap(([name, setting]) =>
    rows.some(({ owner }) => owner === name) ? [[name, { ...setting, help: helpWith(setting, name, rows) }]] : [],
  );

/** Adds the options of a flag to its help. */
export function withOptions(name: string, setting: Setting, rows: readonly OptionRow[]): Setting {
  if (!rows.some(({ owner }) => owner === name)) return setting;
  const value = setting.value ?? jsonType(setting).enum?.join('|') ?? 'value';
  return { ...setting, help: helpWith(setting, name, rows), value: `${value}[:option=value]` };
}

/** Each option with its default and what it does. */
function helpWith({ help }: Setting, owner: string, rows: readonly OptionRow[]): string {
  const lines = rows.flatMap((row) => {
    if (row.owner !== owner) return [];
    const { default: value, enum: choices } = jsonType(row.setting);
    const choice = choices === undefined ? '' : ` (${choices.join(', ')})`;
    return [`${row.option}${value === undefined ? '' : `=${String(value)}`}${choice}: ${row.setting.help}`];
  });
  return `${help}; options:\n${lines.join(';\n')}`;
}

/** A value of a flag in a variable. */
export interface VariableText {
  /** The variable. */
  readonly origin: string;
  readonly text: string;
  /** The text with the name of its option, for messages. */
  readonly shown?: string;
}

/** Reads variables such as `ROBUST_ARCH=bert:layers=4`: the value of that flag (undefined if there are only options) and of each option, by flag. Throws UsageError. */
export function variableTexts(
  env: NodeJS.ProcessEnv,
  rows: readonly OptionRow[],
): ReadonlyMap<string, VariableText | undefined> {
  const texts = [...new Set(rows.map(({ owner }) => owner))].flatMap((owner) => {
    const variable = variableOf(owner);
    const written = env[variable];
    if (!written) return [];
    const { head, options } = splitOptions(owner, written, rows);
    const own = [owner, head === undefined ? undefined : { origin: variable, text: head }] as const;
    const each = options.map(
      ([row, text]) => [row.flag, { origin: variable, text, shown: `${row.option}=${text}` }] as const,
    );
    return [own, ...each];
  });
  return new Map(texts);
}

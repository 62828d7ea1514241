/**
 * @file Flags that carry several settings as options, `--arch bert:layers=4:dim=256`: what belongs to a method is written with it. The
 * flags that these settings had by themselves are read for one more version.
 */
import { z } from 'zod';
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/suggest.js';
import { jsonType } from './parse-text.js';
import { flagOf, type Setting, type Settings, variableOf } from './setting.js';

const carrier = (group: string, value: string, help: string) => ({ schema: z.string(), group, value, help });

/** Flags that have options and no value of their own; the other owners of options are settings. */
export const OPTION_FLAGS: Settings = {
  columns: carrier('data', 'option=name', 'columns of the data set, such as text=review:label=stars'),
  endpoint: carrier('endpoint', 'option=value', 'how a model behind an address is queried'),
  optimizer: carrier('learning', 'option=value', 'options of AdamW, such as weight-decay=0.05:beta2=0.98'),
  loss: carrier('learning', 'option=value', 'what the loss weighs, such as class-weights=balanced'),
  regularize: carrier('learning', 'option=value', 'noise while training, such as token-dropout=0.2'),
};

/** A setting that another flag carries. */
export interface OptionRow {
  /** The flag that carries it. */
  readonly owner: string;
  /** Its name after that flag. */
  readonly option: string;
  /** The flag that it has by itself. */
  readonly flag: string;
  readonly setting: Setting;
}

/** The settings of a table that other flags of the same table carry, in its order. */
export function optionRows(settings: Settings): OptionRow[] {
  const flags = new Set(Object.entries(settings).map(([key, setting]) => flagOf(key, setting)));
  return Object.entries(settings).flatMap(([key, setting]) => {
    const { of: owner, option } = setting;
    if (owner === undefined || !(owner in OPTION_FLAGS || flags.has(owner))) return [];
    const flag = flagOf(key, setting);
    return [{ owner, option: option ?? flag, flag, setting }];
  });
}

/** `bert:layers=4` -> the value of the owner itself, if any, and those of its options by their flags. Throws UsageError. */
function splitOptions(
  owner: string,
  text: string,
  rows: readonly OptionRow[],
): { readonly head: string | undefined; readonly options: readonly (readonly [flag: string, value: string])[] } {
  const own = rows.filter((row) => row.owner === owner);
  const parts = text.split(/:(?=[a-z][a-z0-9-]*=)/);
  const rowOf = (part: string): OptionRow | undefined => own.find(({ option }) => part.startsWith(`${option}=`));
  const head = owner in OPTION_FLAGS || rowOf(parts[0] as string) ? undefined : parts.shift();
  const options = parts.map((part) => {
    const row = rowOf(part);
    if (row !== undefined) return [row.flag, part.slice(row.option.length + 1)] as const;
    const known = own.map(({ option }) => option);
    const [name = '', value] = part.split('=');
    throw value === undefined
      ? new UsageError(`--${owner}: expected option=value, got "${part}"; options: ${known.join(', ')}`, {
          code: 'USAGE',
        })
      : new UsageError(`unknown option ${name} of --${owner}; known: ${known.join(', ')}`, {
          code: 'USAGE',
          hint: didYouMean(name, known),
        });
  });
  return { head, options };
}

/** The options of one flag as one text. */
export const joinOptions = (head: string | undefined, options: readonly (readonly [option: string, value: string])[]) =>
  [...(head === undefined ? [] : [head]), ...options.map(([option, value]) => `${option}=${value}`)].join(':');

/** A flag, and its value where an equals sign joins them. */
export const FLAG = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s;

/** A command line on which each option is a flag of its own. Throws UsageError. */
export function expandOptions(argv: readonly string[], rows: readonly OptionRow[]): string[] {
  const owners = new Set(rows.map(({ owner }) => owner));
  const end = argv.indexOf('--');
  const words: string[] = [];
  for (let at = 0; at < (end < 0 ? argv.length : end); at++) {
    const word = argv[at] as string;
    const [, flag = '', joined] = FLAG.exec(word) ?? [];
    const value = joined ?? argv[at + 1];
    if (!owners.has(flag) || value === undefined) {
      words.push(word);
      continue;
    }
    if (joined === undefined) at++;
    const { head, options } = splitOptions(flag, value, rows);
    if (head !== undefined) words.push(`--${flag}=${head}`);
    for (const [own, text] of options) words.push(`--${own}=${text}`);
  }
  return end < 0 ? words : [...words, ...argv.slice(end)];
}

/** The flags without a value of their own that carry some of these settings. */
export const carrierSettings = (rows: readonly OptionRow[]): (readonly [flag: string, Setting])[] =>
  Object.entries(OPTION_FLAGS).flatMap(([name, setting]) =>
    rows.some(({ owner }) => owner === name) ? [[name, { ...setting, help: helpWith(setting, name, rows) }]] : [],
  );

/** A setting with the options of its flag in its help, where it has some. */
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
}

/** What variables such as `ROBUST_ARCH=bert:layers=4` say of that flag (undefined where only of options) and of each option, by flag. Throws UsageError. */
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
    return [own, ...options.map(([flag, text]) => [flag, { origin: variable, text }] as const)];
  });
  return new Map(texts);
}

/**
 * @file Flags with options, `--arch bert:layers=4:dim=256`: the options of a method are written with it. Each option is a setting, which has
 * its place within its flag, its flag's variable and its flag's key of the configuration.
 */
import { z } from 'zod';
import { must, RobustError } from '../core/errors.js';
import { kebab } from '../core/plugin-options.js';
import { nearest } from '../core/suggest.js';
import { jsonType } from './parse-text.js';
import { flagOf, type Setting, type Settings, variableOf } from './setting.js';

const optionFlag = (group: string, value: string, help: string) => ({ schema: z.string(), group, value, help });

/** Settings that have options and no value of their own. The others with options stand in the tables. */
export const OPTION_FLAGS: Settings = {
  columns: optionFlag('data', 'option=name', 'column names, such as text=review:label=stars'),
  endpoint: optionFlag('endpoint', 'option=value', 'how an endpoint is queried, such as rate=50/s'),
  runtime: optionFlag('running', 'option=value', 'how the model runs, such as workers=2:precision=int8'),
  optimizer: optionFlag('learning', 'option=value', 'options of AdamW, such as weight-decay=0.05'),
  limits: optionFlag('limits', 'option=value', 'limits of the server, such as batch=64:queue=1024'),
  loss: optionFlag('learning', 'option=value', 'weights of the loss, such as class-weights=balanced'),
  regularize: optionFlag('learning', 'option=value', 'regularisation, such as token-dropout=0.2'),
};

/** A setting that is an option of another. */
export interface OptionRow {
  /** The flag with the option. */
  readonly owner: string;
  /** One letter for that flag. */
  readonly char: string | undefined;
  /** The value of that flag may hold colons or options of its own: a phrase, a plugin. What is no option of the flag belongs to its value. */
  readonly open: boolean;
  /** Its name after that flag. */
  readonly option: string;
  /** Its name among the values of a command. */
  readonly name: string;
  readonly key: string;
  readonly setting: Setting;
}

/** The name of an option behind its flag. */
export const optionOf = (key: string, { option }: Setting): string => option ?? kebab(key);

/** The settings of a table that are options of others of the same table, in its order. */
export function optionRows(settings: Settings): OptionRow[] {
  return Object.entries(settings).flatMap(([key, setting]) => {
    const { of } = setting;
    const holder = of === undefined ? undefined : (OPTION_FLAGS[of] ?? settings[of]);
    if (of === undefined || holder === undefined) return [];
    const open = jsonType(holder).type === 'array' || holder.path === 'module';
    const owner = flagOf(of, holder);
    return [
      { owner, char: holder.char, open, option: optionOf(key, setting), name: flagOf(key, setting), key, setting },
    ];
  });
}

/** Splits `bert:layers=4` into the value of the flag itself, if any, and the values of its options. Throws RobustError. */
function splitOptions(
  owner: string,
  text: string,
  rows: readonly OptionRow[],
): { readonly head: string | undefined; readonly options: readonly (readonly [row: OptionRow, value: string])[] } {
  const own = rows.filter((row) => row.owner === owner);
  const parts = text.split(/:(?=[a-z][a-z0-9-]*=)/);
  const rowOf = (part: string): OptionRow | undefined => own.find(({ option }) => part.startsWith(`${option}=`));
  const isOpen = own.some(({ open }) => open);
  const first = owner in OPTION_FLAGS || rowOf(must(parts[0])) ? [] : parts.splice(0, 1);
  const value = [...first, ...parts.filter((part) => isOpen && !rowOf(part))];
  const options = parts.flatMap((part) => {
    const row = rowOf(part);
    if (row === undefined && isOpen) return [];
    if (row !== undefined) return [[row, part.slice(row.option.length + 1)] as const];
    const known = own.map(({ option }) => option);
    const [name = '', assigned] = part.split('=');
    const near = nearest(name, known);
    throw assigned === undefined
      ? new RobustError(`--${owner}: expected option=value, got "${part}"; options: ${known.join(', ')}`, {
          code: 'FLAG_INVALID',
        })
      : new RobustError(`unknown option ${name} of --${owner}; known: ${known.join(', ')}`, {
          code: 'OPTION_NOT_FOUND',
          ...(near !== undefined && { hint: `Did you mean "${near}"?` }),
        });
  });
  return { head: value.length === 0 ? undefined : value.join(':'), options };
}

/** The options of one flag as one text. */
export const joinOptions = (head: string | undefined, options: readonly (readonly [option: string, value: string])[]) =>
  [...(head === undefined ? [] : [head]), ...options.map(([option, value]) => `${option}=${value}`)].join(':');

/** A flag, and its value where it is in the same word: `--flag=value`, `-n200`. */
const FLAG = /^(?:--([a-z][a-z0-9-]*)(?:=(.*))?|-([A-Za-z])(?:=?(.+))?)$/s;

/** The text of an option, on the command line or in a variable. */
export interface OptionText {
  /** The flag and its option, or the variable. */
  readonly origin: string;
  readonly text: string;
  /** The text with the name of its option, for messages. */
  readonly shown: string;
}

/** Texts of options by the names of their rows. */
type OptionTexts = ReadonlyMap<string, OptionText>;

const textsOf = (
  options: readonly (readonly [row: OptionRow, value: string])[],
  variable?: string,
): (readonly [string, OptionText])[] =>
  options.map(([{ name, owner, option }, text]) => [
    name,
    { origin: variable ?? `--${owner} ${option}`, text, shown: `${option}=${text}` },
  ]);

/** Takes the options out of a command line. Throws RobustError. */
export function takeOptions(
  argv: readonly string[],
  rows: readonly OptionRow[],
): { readonly argv: readonly string[]; readonly texts: OptionTexts } {
  const owners = new Map(
    rows.flatMap(({ owner, char = owner }) => [owner, char].map((word) => [word, owner] as const)),
  );
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const words: string[] = [];
  const texts = new Map<string, OptionText>();
  for (let at = 0; at < end; at++) {
    const word = must(argv[at]);
    const [, long, joined, short, behind] = FLAG.exec(word) ?? [];
    const owner = owners.get(long ?? short ?? '');
    const value = joined ?? behind ?? argv[at + 1];
    if (owner === undefined || value === undefined) {
      words.push(word);
      continue;
    }
    if ((joined ?? behind) === undefined) at++;
    const { head, options } = splitOptions(owner, value, rows);
    if (head !== undefined) words.push(`--${owner}=${head}`);
    for (const [name, text] of textsOf(options)) texts.set(name, text);
  }
  return { argv: [...words, ...argv.slice(end)], texts };
}

/** Reads variables such as `ROBUST_ARCH=bert:layers=4`: the value of the flag, undefined if there are only options; and its options. Throws RobustError. */
export function variableOptions(
  env: NodeJS.ProcessEnv,
  rows: readonly OptionRow[],
): { readonly heads: ReadonlyMap<string, string | undefined>; readonly texts: OptionTexts } {
  const read = [...new Set(rows.map(({ owner }) => owner))].flatMap((owner) => {
    const variable = variableOf(owner);
    const written = env[variable];
    if (!written) return [];
    const { head, options } = splitOptions(owner, written, rows);
    return [{ owner, head, texts: textsOf(options, variable) }];
  });
  return {
    heads: new Map(read.map(({ owner, head }) => [owner, head])),
    texts: new Map(read.flatMap(({ texts }) => texts)),
  };
}

/** The flags without a value of their own that have some of these options. */
export const optionFlagSettings = (rows: readonly OptionRow[]): (readonly [flag: string, Setting])[] =>
  Object.entries(OPTION_FLAGS).flatMap(([name, setting]) =>
    rows.some(({ owner }) => owner === name) ? [[name, { ...setting, help: helpWith(setting, name, rows) }]] : [],
  );

/** Adds the options of a flag to its help. */
export function withOptions(name: string, setting: Setting, rows: readonly OptionRow[]): Setting {
  if (!rows.some(({ owner }) => owner === name)) return setting;
  const { type, enum: choices } = jsonType(setting);
  const value = setting.value ?? choices?.join('|') ?? (type === 'integer' ? 'N' : 'value');
  return { ...setting, help: helpWith(setting, name, rows), value: `${value}[:option=value]` };
}

/** Each option with its default and what it does. */
function helpWith({ help }: Setting, owner: string, rows: readonly OptionRow[]): string {
  const lines = rows.flatMap((row) => {
    if (row.owner !== owner) return [];
    const { default: value, enum: choices, type } = jsonType(row.setting);
    const taken = choices ?? (type === 'boolean' ? ['true', 'false'] : undefined);
    const choice = taken === undefined ? '' : ` (${taken.join(', ')})`;
    return [`${row.option}${value === undefined ? '' : `=${String(value)}`}${choice}: ${row.setting.help}`];
  });
  return `${help}; options:\n${lines.join(';\n')}`;
}

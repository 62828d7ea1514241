/** @file Values of flags that are not on the command line: flag > environment > configuration > default. */
import type { Interfaces } from '@oclif/core';
import { type OptionRow, type OptionText, variableOptions } from '../../config/options.js';
import { variableOf } from '../../config/setting.js';
import { RobustError } from '../../core/errors.js';
import { didYouMean } from '../../core/suggest.js';
import { type SettingRow, settingRow } from './flags.js';

type Flag = Interfaces.FlagInput[string];

/** The value of a flag as one source has it. */
interface SourceValue {
  /** Where it is: `ROBUST_SEED`, `robust.config.yaml:3:1`. */
  readonly origin: string;
  /** As it is written, in an environment variable. */
  readonly text?: string;
  /** The value as the flag parses it. Throws RobustError for a value that the flag does not take. */
  read(): unknown;
}

/** Values of flags besides those on the command line; undefined where the source has none. */
export type ValueSource = (name: string, flag: Flag) => SourceValue | undefined;

/**
 * Environment variables; white space separates several values, or line breaks where one may hold blanks. `options`: settings that are options
 * of other flags, whose variables hold them. Throws RobustError.
 */
export function environment(env: NodeJS.ProcessEnv, options: readonly OptionRow[] = []): ValueSource {
  const { heads, texts } = variableOptions(env, options);
  const isOption = new Set(options.map((row) => row.name));
  const written = optionTexts(texts);
  return (name, flag) => {
    if (isOption.has(name)) return written(name, flag);
    const variable = variableOf(name);
    const text = heads.has(name) ? heads.get(name) : env[variable];
    return text ? { origin: variable, text, read: () => parse(flag, text) } : undefined;
  };
}

/** Options as one source has them. */
export const optionTexts =
  (texts: ReadonlyMap<string, OptionText>): ValueSource =>
  (name, flag) => {
    const found = texts.get(name);
    return found && { origin: found.origin, text: found.shown, read: () => parse(flag, found.text, [found.text]) };
  };

const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];

export interface FlagValue extends Omit<SourceValue, 'read'> {
  readonly value: unknown;
  readonly row: SettingRow | undefined;
  /** Where a source below gives another value. */
  readonly instead: string | undefined;
}

/** Flag -> its value in the first source that has one. Throws RobustError for a value that a flag does not take. */
export async function valuesFrom(
  flags: Interfaces.FlagInput,
  ...sources: readonly ValueSource[]
): Promise<ReadonlyMap<string, FlagValue>> {
  const entries = Object.entries(flags).map(async ([name, flag]) => {
    const first = sources.findIndex((source) => choiceOf(name, flags).some(([each, one]) => source(each, one)));
    const [found, ...below] = sources.slice(Math.max(0, first)).map((source) => source(name, flag));
    if (found === undefined) return [];
    const { read, ...where } = found;
    const instead = below.find((each) => each !== undefined)?.origin;
    try {
      return [[name, { ...where, value: await read(), row: settingRow(flag), instead }] as const];
    } catch (error) {
      if (!(error instanceof RobustError)) throw error;
      const told = error.message.includes(found.origin) ? error.message : `${found.origin}: ${error.message}`;
      throw new RobustError(told, { code: error.code, hint: error.hint });
    }
  });
  return new Map((await Promise.all(entries)).flat());
}

/** The flags of the choice that a flag belongs to: whoever names one of them names all. */
function choiceOf(name: string, flags: Interfaces.FlagInput): (readonly [string, Flag])[] {
  const choice = (flag: Flag | undefined) => flag && settingRow(flag)?.setting.choice;
  const own = choice(flags[name]);
  return Object.entries(flags).filter(([each, flag]) => each === name || (own !== undefined && choice(flag) === own));
}

/** Whether the command line names another flag of the same choice. */
export const isOverruled = (name: string, flags: Interfaces.FlagInput, named: ReadonlySet<string>): boolean =>
  !named.has(name) && choiceOf(name, flags).some(([each]) => named.has(each));

/** `several`: the values in the text. */
async function parse(flag: Flag, text: string, several?: readonly string[]): Promise<unknown> {
  if (flag.type === 'boolean') return truth(text);
  const inputs = flag.multiple ? (several ?? separate(text, settingRow(flag)?.setting.blanks === true)) : [text];
  for (const input of inputs) if (flag.options) checkOption(input, flag.options);
  // Our flags are parsed without their command.
  const values = await Promise.all(inputs.map((input) => flag.parse(input, {} as never, flag as never)));
  return flag.multiple ? values : values[0];
}

const separate = (text: string, blanks: boolean): string[] =>
  text
    .split(blanks ? /[\r\n]+/ : /\s+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

function checkOption(input: string, options: readonly string[]): void {
  if (!options.includes(input)) {
    const hint = didYouMean(input, options);
    throw new RobustError(`expected one of ${options.join(', ')}, got "${input}"`, { code: 'NAME_NOT_FOUND', hint });
  }
}

function truth(text: string): boolean {
  const word = text.toLowerCase();
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  throw new RobustError(`expected ${TRUE.join(', ')} or ${FALSE.join(', ')}, got "${text}"`, { code: 'FLAG_INVALID' });
}

/**
 * @file Values of flags that do not stand on the command line: flag > environment > configuration > default.
 */
import type { Interfaces } from '@oclif/core';
import type { VariableValue } from '../../config/overrides.js';
import { type VariableNames, variableOf } from '../../config/setting.js';
import { RobustError, UsageError } from '../../core/errors.js';
import { type SettingRow, settingRow } from './flags.js';

type Flag = Interfaces.FlagInput[string];

/** A place besides the command line where values of flags stand. */
export interface ValueSource {
  has(name: string, flag: Flag): boolean;
  /** The value as it is written, where variables are the source. */
  text?(name: string, flag: Flag): string;
  /** The value as the flag parses it, where there is one. Throws UsageError for a value that the flag does not take. */
  read(name: string, flag: Flag): Promise<unknown>;
  /** Where that stands: `ROBUST_SEED`, `robust.config.yaml:3:1`. */
  origin(name: string, flag: Flag): string;
}

/** Flags that are one choice: whoever names one of them names all. */
const CHOICES = [['suite', 'attack', 'transformation', 'search']] as const;

const choiceOf = (flag: string): readonly string[] =>
  CHOICES.find((choice) => (choice as readonly string[]).includes(flag)) ?? [flag];

/** Environment variables, of which each holds a text. The values of a flag that may be repeated are separated by white space, or by line breaks where one may hold blanks. */
export function environment(env: NodeJS.ProcessEnv, others: VariableNames = {}): ValueSource {
  const variable = (name: string, flag: Flag): string | undefined =>
    (others[name] ?? [name, ...(flag.aliases ?? [])].map(variableOf)).find((each) => env[each]);
  return {
    has: (name, flag) => variable(name, flag) !== undefined,
    text: (name, flag) => env[variable(name, flag) as string] as string,
    read: (name, flag) => parse(flag, env[variable(name, flag) as string] as string),
    origin: (name, flag) => variable(name, flag) as string,
  };
}

const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];

interface FlagOrigin {
  readonly source: ValueSource;
  readonly where: string;
  readonly row: SettingRow | undefined;
}

export interface LayeredFlags {
  /** The flags with what the sources say as their defaults. */
  readonly flags: Interfaces.FlagInput;
  /** Flag -> the source of its default and where it stands there, of those that a source names. */
  readonly origins: ReadonlyMap<string, FlagOrigin>;
}

/** The first source wins. Throws UsageError for a value a flag does not take. */
export async function withValues(
  flags: Interfaces.FlagInput,
  ...sources: readonly ValueSource[]
): Promise<LayeredFlags> {
  const origins = new Map<string, FlagOrigin>();
  const entries = Object.entries(flags).map(async ([name, flag]) => {
    const source = sources.find((from) =>
      choiceOf(name).some((each) => flags[each] !== undefined && from.has(each, flags[each])),
    );
    if (!source?.has(name, flag)) return [name, flag] as const;
    const where = source.origin(name, flag);
    origins.set(name, { source, where, row: settingRow(flag) });
    try {
      const value = await source.read(name, flag);
      return [name, { ...flag, default: async () => value }] as const;
    } catch (error) {
      if (!(error instanceof RobustError)) throw error;
      throw new UsageError(`${where}: ${error.message}`, { code: 'USAGE', hint: error.hint ?? '' });
    }
  });
  return { flags: Object.fromEntries(await Promise.all(entries)) as Interfaces.FlagInput, origins };
}

/** The flags whose defaults environment variables give. */
export const variablesIn = (
  { origins }: Pick<LayeredFlags, 'origins'>,
  flags: Interfaces.FlagInput,
  sources: readonly ValueSource[],
): readonly VariableValue[] =>
  [...origins].flatMap(([name, { source, where }]) => {
    const flag = flags[name];
    if (flag === undefined || source.text === undefined) return [];
    const below = sources.find((each) => each !== source && each.has(name, flag));
    const facts = { flag: name, setting: settingRow(flag)?.setting, variable: where, value: source.text(name, flag) };
    return [{ ...facts, instead: below?.origin(name, flag) }];
  });

/** Flags whose defaults do not count because the command line made their choice. */
export function overruledFlags(flags: Interfaces.FlagInput, given: (flag: string) => boolean): string[] {
  return Object.keys(flags).filter(
    (name) => !given(name) && choiceOf(name).some((each) => each !== name && given(each)),
  );
}

async function parse(flag: Flag, text: string): Promise<unknown> {
  if (flag.type === 'boolean') return truth(text);
  const inputs = flag.multiple ? separate(text, settingRow(flag)?.setting.blanks === true) : [text];
  for (const input of inputs) if (flag.options) checkOption(input, flag.options);
  // Our flags parse without looking at the command they stand in.
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
    throw new UsageError(`expected one of ${options.join(', ')}, got "${input}"`, { code: 'USAGE' });
  }
}

function truth(text: string): boolean {
  const word = text.toLowerCase();
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  throw new UsageError(`expected ${TRUE.join(', ')} or ${FALSE.join(', ')}, got "${text}"`, { code: 'USAGE' });
}

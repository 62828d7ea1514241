/**
 * @file Values of flags that do not stand on the command line: flag > environment > configuration > default.
 */
import type { Interfaces } from '@oclif/core';
import { RobustError, UsageError } from '../../core/errors.js';

/** A place besides the command line where values of flags stand. */
export interface FlagSource {
  /** As text. Of flags that may be repeated, a list; or one text, its values separated by white space. */
  read(flag: string): string | readonly string[] | undefined;
  /** Where that stands: `ROBUST_SEED`, `robust.config.yaml:3:1`. */
  origin(flag: string): string;
}

/** Flags that are one choice: whoever names one of them names all. */
const CHOICES = [['suite', 'attack', 'transformation', 'search']] as const;

const choiceOf = (flag: string): readonly string[] =>
  CHOICES.find((choice) => (choice as readonly string[]).includes(flag)) ?? [flag];

/** `--num-examples` is `ROBUST_NUM_EXAMPLES`. An empty variable counts as unset. */
export const variableOf = (flag: string): string => `ROBUST_${flag.toUpperCase().replaceAll('-', '_')}`;

export const environment = (env: NodeJS.ProcessEnv): FlagSource => ({
  read: (flag) => env[variableOf(flag)] || undefined,
  origin: variableOf,
});

const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];

export interface LayeredFlags {
  /** The flags with what the sources say as their defaults. */
  readonly flags: Interfaces.FlagInput;
  /** Flag -> where its default stands, of those that a source names. */
  readonly origins: ReadonlyMap<string, string>;
}

/** The first source wins. Throws UsageError for a value a flag does not take. */
export async function withValues(
  flags: Interfaces.FlagInput,
  ...sources: readonly FlagSource[]
): Promise<LayeredFlags> {
  const origins = new Map<string, string>();
  const entries = Object.entries(flags).map(async ([name, flag]) => {
    const read = (from: FlagSource, each: string) =>
      [each, ...(flags[each]?.aliases ?? [])].map((spelt) => from.read(spelt)).find((value) => value !== undefined);
    const source = sources.find((from) => choiceOf(name).some((each) => each in flags && fits(flag, read(from, each))));
    const value = source && read(source, name);
    if (source === undefined || value === undefined) return [name, flag] as const;
    const origin = source.origin(name);
    origins.set(name, origin);
    try {
      const parsed = await parse(flag, value);
      return [name, { ...flag, default: async () => parsed }] as const;
    } catch (error) {
      if (!(error instanceof RobustError)) throw error;
      throw new UsageError(`${origin}: ${error.message}`, { code: 'USAGE', hint: error.hint ?? '' });
    }
  });
  return { flags: Object.fromEntries(await Promise.all(entries)) as Interfaces.FlagInput, origins };
}

/** A list is no value of a flag that takes one: `output` is a report here and a folder there. */
const fits = (flag: Interfaces.FlagInput[string], value: string | readonly string[] | undefined): boolean =>
  value !== undefined && (typeof value === 'string' || (flag.type === 'option' && flag.multiple === true));

/** Flags whose defaults do not count because the command line made their choice. */
export function overruledFlags(flags: Interfaces.FlagInput, given: (flag: string) => boolean): string[] {
  return Object.keys(flags).filter(
    (name) => !given(name) && choiceOf(name).some((each) => each !== name && given(each)),
  );
}

async function parse(flag: Interfaces.FlagInput[string], value: string | readonly string[]): Promise<unknown> {
  const text = typeof value === 'string' ? value : value.join(' ');
  if (flag.type === 'boolean') return truth(text);
  const inputs = typeof value !== 'string' ? value : flag.multiple ? text.trim().split(/\s+/) : [text];
  for (const input of inputs) if (flag.options) checkOption(input, flag.options);
  // Our flags parse without looking at the command they stand in.
  const values = await Promise.all(inputs.map((input) => flag.parse(input, {} as never, flag as never)));
  return flag.multiple ? values : values[0];
}

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

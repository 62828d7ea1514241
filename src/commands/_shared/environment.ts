/**
 * @file Values of flags that do not stand on the command line. Flag > environment > default; a source that ranks between
 * the last two, such as a configuration file, is one more argument to `withValues`.
 */
import type { Interfaces } from '@oclif/core';
import { RobustError, UsageError } from '../../core/errors.js';

/** Flag name, kebab-case -> its value as text. Flags that may be repeated hold theirs separated by white space. */
export type Values = (flag: string) => string | undefined;

/** `--num-examples` is `ROBUST_NUM_EXAMPLES`. An empty variable counts as unset. */
export const variableOf = (flag: string): string => `ROBUST_${flag.toUpperCase().replaceAll('-', '_')}`;

export const environment =
  (env: NodeJS.ProcessEnv): Values =>
  (flag) =>
    env[variableOf(flag)] || undefined;

const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];

/** The flags with what `values` says as their defaults. Throws UsageError for a value a flag does not take. */
export async function withValues(flags: Interfaces.FlagInput, values: Values): Promise<Interfaces.FlagInput> {
  const entries = Object.entries(flags).map(async ([name, flag]) => {
    const text = values(name);
    if (text === undefined) return [name, flag] as const;
    try {
      const value = await parsed(flag, text);
      return [name, { ...flag, default: async () => value }] as const;
    } catch (error) {
      if (!(error instanceof RobustError)) throw error;
      throw new UsageError(`${variableOf(name)}: ${error.message}`, { code: 'USAGE', hint: error.hint ?? '' });
    }
  });
  return Object.fromEntries(await Promise.all(entries)) as Interfaces.FlagInput;
}

async function parsed(flag: Interfaces.FlagInput[string], text: string): Promise<unknown> {
  if (flag.type === 'boolean') return truth(text);
  const inputs = flag.multiple ? text.trim().split(/\s+/) : [text];
  // Our flags parse without looking at the command they stand in.
  const values = await Promise.all(inputs.map((input) => flag.parse(input, {} as never, flag as never)));
  return flag.multiple ? values : values[0];
}

function truth(text: string): boolean {
  const word = text.toLowerCase();
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  throw new UsageError(`expected ${TRUE.join(', ')} or ${FALSE.join(', ')}, got "${text}"`, { code: 'USAGE' });
}

/** @file Settings and the kinds of their values. Flags, variables, configuration keys and library options are all made from them. */
import { z } from 'zod';
import { isObject } from '../core/json.js';
import { kebab } from '../core/plugin-options.js';

export interface Setting<T extends z.ZodType = z.ZodType> {
  /** The value as the library takes it: absent or of this type. Its default is the setting's. */
  readonly schema: T;
  readonly help: string;
  /** One letter for the command line. */
  readonly char?: string;
  /** Under what `--help` shows it. */
  readonly group?: string;
  /** Name of its value in `--help`. */
  readonly value?: string;
  /** Its name on the command line, where that is not its key with hyphens. */
  readonly flag?: string;
  /** The setting that has it as an option, by key: `--arch bert:layers=4`. It has no flag of its own. */
  readonly of?: string;
  /** Its name as an option, where that is not its key with hyphens. */
  readonly option?: string;
  /** What a map of its options in a configuration calls its own value, where that is not `value`. */
  readonly head?: string;
  /** A boolean whose `false` means something: `--no-...`, or `=false` as an option. */
  readonly negatable?: true;
  /** Its flag must be given: a list may be left out by the library, where a default is no better than a mistake. */
  readonly required?: true;
  /** All words behind its flag are its values: a shell's pattern such as shard-* is many. */
  readonly greedy?: true;
  /** Flags that contradict it. */
  readonly exclusive?: readonly string[];
  /** Settings of one choice replace each other: naming one of them on the command line overrides all of them elsewhere. */
  readonly choice?: string;
  /**
   * Its texts name files, in a configuration relative to that file: `input` reads one (or a bundled model or data set), `output` writes one,
   * `module` names a plugin, which is a path only where it looks like one.
   */
  readonly path?: 'input' | 'output' | 'module';
  /** In an environment variable its values are separated by line breaks, as one may hold blanks. */
  readonly blanks?: true;
  /** A configuration may hold it. */
  readonly configured?: true;
  /** Its value is a secret, or may hold one: never shown. */
  readonly secret?: true;
  /** It decides the result of a run: kept with the run, shown in the command that replays it. */
  readonly recorded?: true;
  /** Its value is a fact of a run's fingerprint: `always`, or only where it is `set`, so that fingerprints without it stay equal. */
  readonly fingerprint?: 'always' | 'set';
  /** The workers of a fleet take its value from the coordinator. */
  readonly travels?: true;
  /** `${NAME}` in its texts stands for an environment variable, which a configuration must list. */
  readonly expands?: true;
}

export type Settings = Readonly<Record<string, Setting>>;

/** For settings that configurations hold and records keep. */
export const KEPT = { configured: true, recorded: true } as const;

/** For kept settings that workers of a fleet take, too. */
export const SHARED = { ...KEPT, travels: true } as const;

/** Values of settings with the defaults filled in. */
export type Values<S extends Settings> = { readonly [K in keyof S]: z.output<S[K]['schema']> };

/** Values that a caller may pass. */
export type GivenValues<S extends Settings> = { readonly [K in keyof S]?: z.input<S[K]['schema']> | undefined };

export const nonEmptyText = z.string().min(1, 'expected at least one character');
export const textList = z.array(nonEmptyText).readonly();
export const wholeNumber = (least: number) =>
  z.int(`expected a whole number of at least ${least}`).min(least, `expected a whole number of at least ${least}`);
export const fraction = z
  .number('expected a number from 0 to 1')
  .min(0, 'expected a number from 0 to 1')
  .max(1, 'expected a number from 0 to 1');
/** A share that something may exceed: at 1 nothing could, and what it limits would never be judged. */
export const fractionBelowOne = z
  .number('expected a number from 0 to below 1')
  .min(0, 'expected a number from 0 to below 1')
  .lt(1, 'expected a number from 0 to below 1, for no share exceeds 1: it would limit nothing');
export const positiveNumber = z.number('expected a number above 0').positive('expected a number above 0');
export const booleanFlag = z.boolean().default(false);

/** The form of a map in flags and records, `--label-map data=model`; other values stay as they are. */
export const toPairs = (value: unknown): unknown => (isObject(value) ? Object.entries(value) : value);

/** A map of its pairs; other values stay as they are. */
export const fromPairs = (value: unknown): unknown =>
  Array.isArray(value) && Array.isArray(value[0]) ? Object.fromEntries(value) : value;

/** The name of a setting's flag: `numExamples` is `--num-examples`. Records call options so too, which have no flag. */
export const flagOf = (key: string, setting: Setting): string => setting.flag ?? kebab(key);

/** `--num-examples` is `ROBUST_NUM_EXAMPLES`. An empty variable counts as unset. */
export const variableOf = (flag: string): string => `ROBUST_${flag.toUpperCase().replaceAll('-', '_')}`;

/** Some settings of a table, in the order named. */
export const pickSettings = <S extends Settings, K extends keyof S & string>(
  table: S,
  ...keys: readonly K[]
): Pick<S, K> => Object.fromEntries(keys.map((key) => [key, table[key]])) as Pick<S, K>;

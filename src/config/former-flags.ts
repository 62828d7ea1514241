/** @file Flags of the last version, which are read for one more version, each with a note on what to write instead. */
import { UsageError } from '../core/errors.js';
import { currentSpelling } from './former-limits.js';
import { expandOptions, FLAG, joinOptions, type OptionRow, optionRows } from './options.js';
import { flagOf, type Settings, type VariableNames, variableOf } from './setting.js';

interface FormerOption {
  /** The flag that has the option now. */
  readonly owner: string;
  readonly option: string;
  /** The values of that flag that take the option. */
  readonly fits: RegExp;
  /** One of them, for an error. */
  readonly example: string;
  /** The value of the option, where the former flag had none. */
  readonly value?: string;
}

const FORMER_OPTIONS: Readonly<Record<string, FormerOption>> = {
  epsilon: {
    owner: 'adversarial',
    option: 'epsilon',
    fits: /^(?:fgsm|pgd|freelb|smart)(?!.*:epsilon=)(?::|$)/,
    example: 'fgsm',
  },
  'augment-queries': {
    owner: 'adversarial',
    option: 'queries',
    fits: /^augment:(?!.*:queries=)/,
    example: 'augment:NAME',
  },
  'augment-once': {
    owner: 'adversarial',
    option: 'once',
    fits: /^augment:(?!.*:once=)/,
    example: 'augment:NAME',
    value: 'true',
  },
};

interface FlagWord {
  readonly flag: string;
  readonly value: string;
}

/** The flags on a command line. A flag without a value gets the next word as its value. */
const findFlags = (argv: readonly string[]): FlagWord[] =>
  argv.flatMap((word, at) => {
    const [, flag, joined] = FLAG.exec(word) ?? [];
    return flag === undefined ? [] : [{ flag, value: joined ?? argv[at + 1] ?? '' }];
  });

const note = (flags: readonly string[], instead: string): string =>
  `${flags.map((flag) => `--${flag}`).join(', ')}: read for one more version; write ${instead} instead`;

/** Moves each former flag to the values of the flag that has it as an option now, with a note. Throws UsageError where no value takes it. */
export function moveFormerOptions(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  isFlag: (name: string) => boolean,
): { readonly argv: string[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  let words = [...argv];
  for (const [flag, { owner, option, fits, example, value: fixed }] of Object.entries(FORMER_OPTIONS)) {
    if (!isFlag(owner)) continue;
    const at = words.findIndex((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
    const found = at < 0 ? undefined : findFlags(words.slice(at))[0];
    const value = fixed ?? found?.value ?? env[variableOf(flag)];
    if (at < 0 && !env[variableOf(flag)]) continue;
    if (at >= 0) words.splice(at, fixed === undefined && !words[at]?.includes('=') ? 2 : 1);
    const before = words.join(' ');
    words = words.map((word, place) => {
      const [, name, joined] = FLAG.exec(word) ?? [];
      const spec = name === owner ? joined : words[place - 1] === `--${owner}` ? word : undefined;
      return spec !== undefined && fits.test(spec) ? `${word}:${option}=${value}` : word;
    });
    if (words.join(' ') === before) {
      throw new UsageError(`--${flag}: expected --${owner} ${example}, which has it as an option, got none`, {
        code: 'ADVERSARIAL_METHOD',
        hint: `Write it as an option: --${owner} ${example}:${option}=${value}`,
      });
    }
    notes.push(note([flag], `--${owner} METHOD:${option}=${value}`));
  }
  return { argv: words, notes };
}

/** Notes what to write instead of flags that became options or were replaced: one line for each flag to write. */
export function formerNotes(argv: readonly string[], rows: readonly OptionRow[], settings: Settings): string[] {
  const all = findFlags(argv);
  const moved = [...new Set(rows.map(({ owner }) => owner))].flatMap((owner) => {
    const found = all.flatMap(({ flag, value }) => {
      const row = rows.find((each) => each.owner === owner && each.flag === flag);
      return row === undefined ? [] : [{ flag, option: [row.option, value] as const }];
    });
    const options = joinOptions(
      undefined,
      found.map(({ option }) => option),
    );
    return found.length === 0
      ? []
      : [
          note(
            found.map(({ flag }) => flag),
            `--${owner} ${options}`,
          ),
        ];
  });
  const replaced = Object.entries(settings).flatMap(([key, setting]) => {
    const one = all.find(({ flag }) => flag === flagOf(key, setting));
    return setting.instead === undefined || one === undefined
      ? []
      : [note([one.flag], setting.instead.replace('{}', one.value))];
  });
  return [...moved, ...replaced];
}

export interface CurrentWords {
  readonly argv: string[];
  /** The settings that are options of other flags. */
  readonly options: readonly OptionRow[];
  /** Variables that are not named after their flags. */
  readonly variables: VariableNames;
  /** Notes that show users the current spelling. */
  readonly notes: readonly string[];
}

/** Rewrites a command line in the current spelling, each option as a flag. Throws UsageError. */
export function currentWords(argv: readonly string[], env: NodeJS.ProcessEnv, settings: Settings): CurrentWords {
  const flags = new Set(Object.entries(settings).map(([key, setting]) => flagOf(key, setting)));
  const limits = flags.has('require') ? currentSpelling(argv, env) : undefined;
  const moved = moveFormerOptions(limits?.argv ?? argv, env, (name) => flags.has(name));
  const rows = optionRows(settings);
  return {
    argv: expandOptions(moved.argv, rows),
    options: rows,
    variables: limits?.variables ?? {},
    notes: [...(limits?.note ?? []), ...moved.notes, ...formerNotes(moved.argv, rows, settings)],
  };
}

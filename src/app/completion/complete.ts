/** @file Completion of a command line. The shell calls it at each tab, so it reads two files and loads no engine. */

/** The part of oclif.manifest.json that is read. */
interface CommandManifest {
  readonly commands: Readonly<Record<string, CommandFacts>>;
}

interface CommandFacts {
  readonly id: string;
  readonly summary?: string;
  readonly hidden?: boolean;
  readonly strict?: boolean;
  readonly args: Readonly<Record<string, { readonly options?: readonly string[] }>>;
  readonly flags: Readonly<Record<string, FlagFacts>>;
}

interface FlagFacts {
  readonly name: string;
  readonly char?: string;
  readonly type: 'boolean' | 'option';
  readonly description?: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
  readonly allowNo?: boolean;
  readonly hidden?: boolean;
}

export interface Completion {
  readonly value: string;
  readonly about: string;
}

/** The file that the build writes for completion. */
export interface CompletionNames {
  /** Kind -> the names that `robust list` shows; for formats, the endings of their files. */
  readonly kinds: Readonly<Record<string, readonly Completion[]>>;
  /** Command -> flag -> the kind of name that its values are, as the table of settings says. */
  readonly flags: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Command -> flag -> its options: `engine=onnx`, or `workers=` where any value may follow. */
  readonly options: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** The names to choose from. */
export interface CompletionChoice {
  readonly manifest: CommandManifest;
  readonly names: CompletionNames;
  /** Ids of the runs of this folder, newest first; read only where one may stand. */
  readonly runs: () => readonly string[];
}

/** The kinds of names that the arguments of a command are. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  compare: ['models', 'runs'],
  report: ['runs'],
  card: ['runs'],
  gate: ['runs'],
  'baseline:save': ['runs'],
  'baseline:diff': ['runs'],
  list: ['kinds', 'attacks', 'suites', 'defences', 'poisoners', 'models', 'data'],
};

/**
 * The completions of the last of the words after `robust` on the command line. None where the shell should offer files.
 */
export function complete(words: readonly string[], known: CompletionChoice): Completion[] {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const command = commandOf(before, known.manifest);
  const found = command === undefined ? commands(before, known.manifest) : next(command, before, current, known);
  const seen = new Set<string>();
  return found.filter(({ value }) => value.startsWith(current) && !seen.has(value) && seen.add(value));
}

function commandOf(words: readonly string[], { commands: all }: CommandManifest): CommandFacts | undefined {
  for (const length of [2, 1]) {
    const command = all[words.slice(0, length).join(':')];
    if (command !== undefined && words.length >= length) return command;
  }
  return undefined;
}

/** The next word of the names of the commands. */
const commands = (words: readonly string[], { commands: all }: CommandManifest): Completion[] =>
  Object.values(all)
    .filter(({ id, hidden }) => !hidden && words.every((word, at) => id.split(':')[at] === word))
    .flatMap(({ id, summary = '' }) => {
      const rest = id.split(':').slice(words.length);
      return rest[0] === undefined ? [] : [{ value: rest[0], about: rest.length === 1 ? summary : '' }];
    });

function next(
  command: CommandFacts,
  before: readonly string[],
  current: string,
  known: CompletionChoice,
): Completion[] {
  // bash makes words of their own of the sign and of what follows it.
  const words = before.at(-1) === '=' ? before.slice(0, -1) : before;
  const flags = Object.values(command.flags).filter(({ hidden }) => !hidden);
  const listNames = (word: string | undefined) =>
    flags.find(({ name, char }) => word === `--${name}` || (char !== undefined && word === `-${char}`));
  const [, inOne, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  const flag = listNames(inOne ?? words.at(-1));
  if (flag?.type === 'option') {
    return values(command, flag, value ?? current, known).map((each) =>
      inOne === undefined ? each : { ...each, value: `${inOne}=${each.value}` },
    );
  }
  if (current.startsWith('-')) {
    return flags
      .filter((each) => each.multiple || !words.some((word) => listNames(word) === each))
      .flatMap(({ name, allowNo, description = '' }) => [
        { value: `--${name}`, about: description },
        ...(allowNo ? [{ value: `--no-${name}`, about: description }] : []),
      ]);
  }
  // If a command has several arguments, the first is offered.
  const [first] = Object.values(command.args);
  if (first?.options !== undefined) return first.options.map((each) => ({ value: each, about: '' }));
  const subcommands = commands(before, known.manifest);
  return [...subcommands, ...namesOf(ARGUMENTS[command.id] ?? [], current, known)];
}

function values(command: CommandFacts, flag: FlagFacts, current: string, known: CompletionChoice): Completion[] {
  const { flags, options } = known.names;
  const before = current.slice(0, current.lastIndexOf(':') + 1);
  const further = (options[command.id]?.[flag.name] ?? []).map((value) => ({ value: before + value, about: '' }));
  if (flag.options !== undefined) return [...flag.options.map((value) => ({ value, about: '' })), ...further];
  const kind = flags[command.id]?.[flag.name];
  return kind === undefined ? further : [...namesOf([kind], current, known), ...further];
}

function namesOf(wanted: readonly string[], current: string, { names, runs }: CompletionChoice): Completion[] {
  return wanted.flatMap((kind) => {
    if (kind === 'runs')
      return ['latest', ...runs()].map((value) => ({ value, about: value === 'latest' ? 'the last run' : '' }));
    if (kind === 'kinds') return Object.keys(names.kinds).map((value) => ({ value, about: '' }));
    if (kind !== 'formats') return names.kinds[kind] ?? [];
    // A name is the user's own, its ending says which format.
    const stem = /^(.*?)(?:\.\w*)?$/s.exec(current)?.[1] || 'report';
    return (names.kinds.formats ?? []).map(({ value, about }) => ({ value: `${stem}.${value}`, about }));
  });
}

/** @file Help on one screen, and in full with `--help all`; no line is wider than the terminal. */
import { stripVTControlCharacters } from 'node:util';
import type { Command } from '@oclif/core';
import { COMMANDS, firstClause, MAIN_FLAGS } from '../../config/short-help.js';
import { CommandHelp, Help } from './oclif.js';

type List = Parameters<CommandHelp['renderList']>;
type Flags = Parameters<CommandHelp['flags']>[0];

/** Lines of a screen. */
const SCREEN = 40;
const MAX_FLAGS = 15;
const MAX_EXAMPLES = 3;

/** Columns of a body that is indented below an indented line. */
const TWICE = 4;

/** The order of the sections; the others are for `--help all`. */
const SECTIONS = ['USAGE', 'EXAMPLES', 'ARGUMENTS', 'FLAGS', 'DESCRIPTION'];

/** The order of the groups of flags. */
const GROUPS = ['data', 'decision', 'attack', 'adversarial', 'judging', 'endpoint', 'learning', 'output', 'running'];

/** oclif indents the text below an entry by two columns more than it counts. */
function fitting(render: (options: List[1]) => string, options: List[1], { maxWidth }: { maxWidth: number }): string {
  const list = render(options);
  const widest = Math.max(
    ...stripVTControlCharacters(list)
      .split('\n')
      .map(({ length }) => length),
  );
  return widest + options.indentation <= maxWidth ? list : render({ ...options, indentation: TWICE });
}

/** Keeps quotations, and a flag and its value, on one line. */
const WORD = /(?:--?[a-z][\w-]* (?!-))?(?:"[^"]*"|\S+)/g;

class RobustCommandHelp extends CommandHelp {
  /** The flags of the short help in their order; undefined for all, by group. */
  #shown: readonly string[] | undefined;

  /** The whole help if it fits a screen, else the main flags, the first examples, and how to see the rest. */
  override generate(): string {
    const { command } = this;
    const id = command.id.replaceAll(':', ' ');
    const visible = Object.entries(command.flags).filter(([, { hidden }]) => !hidden);
    const names = visible.map(([name]) => name);
    const whole = super.generate();
    if (this.opts.all || (names.length <= MAX_FLAGS && whole.split('\n').length < SCREEN - TWICE)) return whole;
    this.#shown = [...(MAIN_FLAGS[id] ?? names.slice(0, MAX_FLAGS - 1)), 'json'].filter((name) => names.includes(name));
    return `${super.generate()}\n\n${this.wrap(`Details and all ${names.length} flags: ${this.config.bin} ${id} --help all`, 0)}`;
  }

  protected override sections() {
    const all = super.sections();
    return SECTIONS.flatMap((name) => all.find(({ header }) => header === name) ?? []).filter(
      ({ header }) => this.#shown === undefined || header !== 'DESCRIPTION',
    );
  }

  /** The main flags first, then the others by group: each flag once. */
  protected override groupFlags(flags: Flags): ReturnType<CommandHelp['groupFlags']> {
    const main = this.#shown ?? MAIN_FLAGS[this.command.id.replaceAll(':', ' ')] ?? [];
    const place = ({ name }: Flags[number]): number => main.indexOf(name);
    const mainFlags = flags.filter((flag) => place(flag) >= 0).sort((one, other) => place(one) - place(other));
    if (this.#shown !== undefined) return { mainFlags, flagGroups: {} };
    const rest = super.groupFlags(flags.filter((flag) => place(flag) < 0));
    if (mainFlags.length === 0) return rest;
    const groups = { ...rest.flagGroups, ...(rest.mainFlags.length > 0 && { further: rest.mainFlags }) };
    const rank = ([name]: [string, unknown]): number => GROUPS.indexOf(name) + (GROUPS.includes(name) ? 0 : 99);
    const sorted = Object.entries(groups).sort((one, other) => rank(one) - rank(other));
    return { mainFlags, flagGroups: Object.fromEntries(sorted) };
  }

  override flags(flags: Flags): [string, string | undefined][] | undefined {
    if (this.#shown === undefined) return super.flags(flags);
    return flags.map((flag) => {
      const value = flag.type === 'option' ? flag.helpValue : undefined;
      const short = typeof value === 'string' && !value.startsWith('[') ? value.replace(/\[.*$/, '') : value;
      const label = { ...flag, helpValue: String(short).includes('|') ? '<option>' : short };
      return [this.flagHelpLabel(label as typeof flag), firstClause(flag.description ?? '', flag.default)];
    });
  }

  override renderList(input: List[0], options: List[1]): string {
    return fitting((chosen) => super.renderList(input, chosen), options, this.opts);
  }

  /** A choice that is wider than its column is broken between two of its values. */
  override wrap(body: string, spacing?: number): string {
    const room = this.opts.maxWidth - (spacing ?? this.indentSpacing);
    return super.wrap(
      body.replaceAll(/\S+\|\S+/g, (word) => (word.length > room ? word.replaceAll('|', '| ') : word)),
      spacing,
    );
  }

  protected override examples(given: Command.Example[] | string | undefined): string | undefined {
    // oclif breaks a command with a description at any blank, also within quotes.
    const all = [given ?? []].flat().slice(0, this.#shown === undefined ? undefined : MAX_EXAMPLES);
    const blocks = all.map((example) =>
      typeof example === 'string'
        ? this.commandLine(example)
        : `${this.wrap(example.description, TWICE)}\n${this.indent(this.commandLine(example.command))}`,
    );
    return blocks.length === 0 ? undefined : blocks.join('\n');
  }

  /** A command as a shell reads it: all lines but the last end with a continuation mark. */
  private commandLine(command: string): string {
    const rendered = this.render(command);
    const mark = this.config.platform === 'win32' ? (this.config.shell.includes('powershell') ? '`' : '^') : '\\';
    const words = (rendered.startsWith(this.config.bin) ? `$ ${rendered}` : rendered).match(WORD) ?? [];
    // Two indentations, that of the continuation, and the mark.
    const room = this.opts.maxWidth - TWICE - 4;
    const lines: string[] = [];
    for (const word of words) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines.join(` ${mark}\n  `);
  }
}

export default class RobustHelp extends Help {
  override CommandHelpClass = RobustCommandHelp;

  override async showHelp(argv: string[]): Promise<void> {
    const all = argv.some((word, at) => word === 'all' && ['--help', '-h'].includes(argv[at - 1] ?? ''));
    this.opts.all ||= all;
    await super.showHelp(all ? argv.filter((word) => word !== 'all') : argv);
  }

  protected override async showRootHelp(): Promise<void> {
    const { bin, pjson, topics, version } = this.config;
    const [first = '', ...examples] = String(pjson.oclif.description).split('\n');
    const nested = this.opts.all ? this.sortedCommands.filter(({ id }) => id.includes(':')) : [];
    const entries = COMMANDS.map((name): [string, string | undefined] => {
      const found = this.sortedCommands.find(({ id }) => id === name);
      return [name, found ? this.summary(found) : topics.find((topic) => topic.name === name)?.description];
    });
    const rows = [
      ...entries,
      ...nested.map((each): [string, string | undefined] => [each.id.replaceAll(':', ' '), this.summary(each)]),
    ];
    this.log(
      [
        `${first} (${version})`,
        this.section('USAGE', `$ ${bin} COMMAND [FLAGS]`),
        this.section('EXAMPLES', examples.map((line) => `$ ${line}`).join('\n')),
        // Together they fit on one screen.
        [
          this.section(
            'COMMANDS',
            this.renderList(rows, { indentation: 2, spacer: '\n', stripAnsi: this.opts.stripAnsi }),
          ),
          `Help of a command: ${bin} COMMAND --help`,
        ].join('\n'),
      ].join('\n\n'),
    );
  }

  override renderList(input: List[0], options: List[1]): string {
    return fitting((chosen) => super.renderList(input, chosen), options, this.opts);
  }

  /** Lines without indentation are headings. */
  protected override log(...texts: string[]): void {
    const wrapped = (line: string): string => (/^\s/.test(line) ? line : this.wrap(line, 0));
    super.log(...texts.map((text) => text.split('\n').map(wrapped).join('\n')));
  }
}

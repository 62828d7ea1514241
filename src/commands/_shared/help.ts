/** @file Help as oclif writes it, in lines that are no wider than the terminal: it leaves headings and examples as they are, and indents lists by more than it counts. */
import { stripVTControlCharacters } from 'node:util';
import type { Command } from '@oclif/core';
import { CommandHelp, Help } from './oclif.js';

type List = Parameters<CommandHelp['renderList']>;

/** How far what stands under a heading is indented twice. */
const TWICE = 4;

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
const WORD = /(?:--?[a-z][\w-]* (?!-))?(?:"[^"]*"|\S)+/g;

class RobustCommandHelp extends CommandHelp {
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
    // oclif breaks a command with a description wherever a blank stands, also between quotes.
    const all = [given ?? []].flat();
    const blocks = all.map((example) =>
      typeof example === 'string'
        ? this.commandLine(example)
        : `${this.wrap(example.description, TWICE)}\n\n${this.indent(this.commandLine(example.command))}`,
    );
    return blocks.length === 0 ? undefined : blocks.join('\n\n');
  }

  /** As a shell would take it: each line but the last says that it goes on. */
  private commandLine(command: string): string {
    const rendered = this.render(command);
    const mark = this.config.platform === 'win32' ? (this.config.shell.includes('powershell') ? '`' : '^') : '\\';
    const words = (rendered.startsWith(this.config.bin) ? `$ ${rendered}` : rendered).match(WORD) ?? [];
    // Two indentations, that of what goes on, and the mark.
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

  override renderList(input: List[0], options: List[1]): string {
    return fitting((chosen) => super.renderList(input, chosen), options, this.opts);
  }

  /** Lines without indentation are headings. */
  protected override log(...texts: string[]): void {
    const wrapped = (line: string): string => (/^\s/.test(line) ? line : this.wrap(line, 0));
    super.log(...texts.map((text) => text.split('\n').map(wrapped).join('\n')));
  }
}

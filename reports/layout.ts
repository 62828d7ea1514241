/** @file Text in columns and lines of a given width. Lengths ignore colour codes. */
import type { ChalkInstance } from 'chalk';
import Table from 'cli-table3';

export interface Screen {
  /** Columns; lines of a table never exceed it. */
  readonly width: number;
  readonly chalk: ChalkInstance;
  /** Show all figures, not only those that decide. */
  readonly wide?: boolean;
  /** Show what the figures mean. */
  readonly explained?: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
const COLOUR = /\u001B\[[\d;]*m/g;

const shownLength = (text: string): number => text.replace(COLOUR, '').length;

const EDGES = ['top', 'bottom'].flatMap((edge) => [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`]);
const NO_LINES = Object.fromEntries([...EDGES, 'left', 'left-mid', 'right', 'right-mid'].map((place) => [place, '']));

/** Columns (head first, then cells) side by side under a line, the first flush left and the others right. */
function grid(columns: readonly (readonly string[])[]): string {
  const table = new Table({
    head: columns.map(([head]) => head as string),
    colAligns: columns.map((_, i) => (i === 0 ? 'left' : 'right')),
    chars: { ...NO_LINES, mid: '─', 'mid-mid': '──', middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  const height = columns[0]?.length ?? 0;
  for (let row = 1; row < height; row++) table.push(columns.map((cells) => cells[row] ?? ''));
  // Cells are padded to their column, the last one too; nobody wants that at the end of a line.
  return table.toString().replace(/ +$/gm, '');
}

/** As `grid`, in as many blocks as the width asks for; each begins with the first column. */
export function blocks([titles, ...columns]: readonly (readonly string[])[], width: number): string[] {
  const widthOf = (cells: readonly string[]): number =>
    Math.max(...cells.flatMap((c) => c.split('\n')).map(shownLength));
  const first = widthOf(titles ?? []);
  const groups: (readonly string[])[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const column of columns) {
    const needed = widthOf(column) + 2;
    if (used + needed > width) {
      groups.push([]);
      used = first;
    }
    groups.at(-1)?.push(column);
    used += needed;
  }
  return groups.map((group) => grid([titles ?? [], ...group]));
}

/** The text in lines of at most `width` columns, where its words allow, each after `indent` spaces. */
export function wrapLines(text: string, width: number, indent: number, paint = (line: string): string => line): string {
  const lines: string[] = [];
  let line = '';
  // A number and its percent sign stay together.
  for (const word of text.split(/ (?!%)/)) {
    if (line !== '' && shownLength(line) + 1 + shownLength(word) > width - indent) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + paint(each)).join('\n');
}

/** `head`, then the text beside it, its further lines under its first. `column` is where the text begins. */
export const besideEachOther = (head: string, text: string, width: number, column: number): string =>
  head + ' '.repeat(Math.max(0, column - shownLength(head))) + wrapLines(text, width, column).slice(column);

/** @file Data sets written as the readers here read them: .tsv, .csv, .jsonl, chosen by the ending. */
import { extname } from 'node:path';
import { type ExampleTexts, textsInOrder } from '../src/plugin.js';

interface WrittenRow extends ExampleTexts {
  /** By name. */
  readonly label: string;
  readonly id: string;
  /** What made it; empty for an original. */
  readonly attack: string;
}

const OTHERS = ['label', 'source_id', 'attack'] as const;

const cells = (row: WrittenRow) => [...textsInOrder(row), row.label, row.id, row.attack];
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** A .tsv holds no tabs or line breaks: they become spaces. Marks round a whole field would be taken off: they are doubled. */
const tsvCell = (cell: string) => {
  const flat = cell.replaceAll(/[\t\r\n]+/g, ' ');
  return /^".*"$/.test(flat) ? quoted(flat) : flat;
};
const csvCell = (cell: string) => (/[",;\r\n\t]|^\s|\s$/.test(cell) ? quoted(cell) : cell);

/** Ending -> the header, or none, and a row; each with its line break. */
const FORMATS = {
  '.tsv': (columns) => ({
    header: `${columns.map(tsvCell).join('\t')}\n`,
    row: (row) => `${cells(row).map(tsvCell).join('\t')}\n`,
  }),
  '.csv': (columns) => ({
    header: `${columns.map(csvCell).join(',')}\n`,
    row: (row) => `${cells(row).map(csvCell).join(',')}\n`,
  }),
  '.jsonl': (columns) => ({
    header: '',
    row: (row) => `${JSON.stringify(Object.fromEntries(cells(row).map((cell, at) => [columns[at], cell])))}\n`,
  }),
} as const satisfies Record<string, (columns: readonly string[]) => RowFormat>;

export interface RowFormat {
  /** Empty where a format has none. */
  readonly header: string;
  row(row: WrittenRow): string;
}

export const writtenEndings: readonly string[] = Object.keys(FORMATS);

/** How to write a file of this name, its texts in columns of these; undefined where its ending is none of `writtenEndings`. */
export const rowFormat = (path: string, texts: readonly string[] = ['text']): RowFormat | undefined => {
  const ending = extname(path).toLowerCase();
  return Object.hasOwn(FORMATS, ending) ? FORMATS[ending as keyof typeof FORMATS]([...texts, ...OTHERS]) : undefined;
};

/** @file Writes data sets that the readers can read: .tsv, .csv, .jsonl, by extension. */
import { extname } from 'node:path';
import type { ExampleTexts } from '../src/core/example-texts.js';
import { textsInOrder } from '../src/core/pair.js';

interface WrittenRow extends ExampleTexts {
  /** Name of the label. */
  readonly label: string;
  readonly id: string;
  /** Attack that produced it; empty for an original. */
  readonly attack: string;
}

const OTHERS = ['label', 'source_id', 'attack'] as const;

const cells = (row: WrittenRow) => [...textsInOrder(row), row.label, row.id, row.attack];
const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/**
 * A .tsv must not contain tabs or line breaks, so they become spaces. Quotation marks around a whole field are doubled, because readers
 * would remove them.
 */
const tsvCell = (cell: string) => {
  const flat = cell.replaceAll(/[\t\r\n]+/g, ' ');
  return /^".*"$/.test(flat) ? quote(flat) : flat;
};
const csvCell = (cell: string) => (/[",;\r\n\t]|^\s|\s$/.test(cell) ? quote(cell) : cell);

/** Extension -> the header, if any, and a row; each with its line break. */
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
  /** Empty for a format without header. */
  readonly header: string;
  row(row: WrittenRow): string;
}

export const writtenEndings: readonly string[] = Object.keys(FORMATS);

/** Writer for a file of this name, with the texts in these columns; undefined if its extension is not in `writtenEndings`. */
export const rowFormat = (path: string, texts: readonly string[] = ['text']): RowFormat | undefined => {
  const ending = extname(path).toLowerCase();
  return Object.hasOwn(FORMATS, ending) ? FORMATS[ending as keyof typeof FORMATS]([...texts, ...OTHERS]) : undefined;
};

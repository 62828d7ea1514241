/** @file Data sets written as the readers here read them: .tsv, .csv, .jsonl, chosen by the ending. */
import { extname } from 'node:path';

export interface WrittenRow {
  readonly text: string;
  /** By name. */
  readonly label: string;
  readonly id: string;
  /** What made it; empty for an original. */
  readonly attack: string;
}

const COLUMNS = ['text', 'label', 'source_id', 'attack'] as const;

const cells = ({ text, label, id, attack }: WrittenRow) => [text, label, id, attack];
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** A .tsv holds no tabs or line breaks: they become spaces. Marks round a whole field would be taken off: they are doubled. */
const tsvCell = (cell: string) => {
  const flat = cell.replaceAll(/[\t\r\n]+/g, ' ');
  return /^".*"$/.test(flat) ? quoted(flat) : flat;
};
const csvCell = (cell: string) => (/[",;\r\n\t]|^\s|\s$/.test(cell) ? quoted(cell) : cell);

/** Ending -> the header, or none, and a row; each with its line break. */
const FORMATS: Readonly<Record<string, { readonly header: string; row(row: WrittenRow): string }>> = {
  '.tsv': { header: `${COLUMNS.join('\t')}\n`, row: (row) => `${cells(row).map(tsvCell).join('\t')}\n` },
  '.csv': { header: `${COLUMNS.join(',')}\n`, row: (row) => `${cells(row).map(csvCell).join(',')}\n` },
  '.jsonl': {
    header: '',
    row: (row) => `${JSON.stringify(Object.fromEntries(cells(row).map((cell, at) => [COLUMNS[at], cell])))}\n`,
  },
};

export const writtenEndings: readonly string[] = Object.keys(FORMATS);

/** How to write a file of this name; undefined where its ending is none of `writtenEndings`. */
export const rowFormat = (path: string) => {
  const ending = extname(path).toLowerCase();
  return Object.hasOwn(FORMATS, ending) ? FORMATS[ending] : undefined;
};

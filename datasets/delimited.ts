/**
 * @file Comma- and tab-separated files with a header line.
 *
 * - .tsv: a line is a record, and a quotation mark is text, as in GLUE and most NLP files (`"good" film\t1`). Only a field that starts and
 *   ends with a mark and has every inner one doubled is unquoted (`"say ""hi"""` -> `say "hi"`), as written by spreadsheets.
 * - .csv: RFC 4180, so quoted fields may contain commas and line breaks; marks inside an unquoted field are text. The separator is the
 *   first of comma, semicolon and tab in the header, because spreadsheets write semicolons in many countries.
 *
 * Empty lines are skipped in both. A file without a header is accepted if it is unmistakable: see `headerless`.
 */
import { CsvError, parse } from 'csv-parse';
import { RobustError } from '../src/plugin.js';
import { headerless } from './columns.js';
import { blocks, lines, MAX_LINE_BYTES, tooLong } from './lines.js';
import { type DataTable, noRows, type TableReader, type TableRow } from './table.js';

interface Fields {
  /** Line of the file on which the record starts. */
  readonly line: number;
  readonly fields: readonly string[];
}

export const readTsv: TableReader = (path, isLabel) => table(path, () => tsvRecords(path), isLabel, '\t');

export const readCsv: TableReader = (path, isLabel) => table(path, () => csvRecords(path), isLabel);

async function table(
  path: string,
  records: () => AsyncIterable<Fields>,
  isLabel: (value: string) => boolean,
  separator?: '\t',
): Promise<DataTable> {
  const first = await firstOf(records());
  if (first === undefined) throw noRows(path, 'an empty file');
  const invented = headerless(first.fields, isLabel);
  const columns = invented ?? first.fields.map((name) => name.trim());
  return { columns, rows: (wanted) => rows(path, records(), columns, wanted, invented === undefined, separator) };
}

async function* rows(
  path: string,
  records: AsyncIterable<Fields>,
  columns: readonly string[],
  wanted: readonly string[],
  skipFirst: boolean,
  separator: '\t' | undefined,
): AsyncGenerator<TableRow> {
  const positions = wanted.map((name) => columns.indexOf(name));
  let skip = skipFirst;
  for await (const { line, fields } of records) {
    if (skip) {
      skip = false;
      continue;
    }
    if (fields.length !== columns.length) {
      throw new RobustError(
        `${path}:${line}: expected ${columns.length} columns (${columns.join(', ')}), got ${fields.length}`,
        {
          code: 'DATA_DAMAGED',
          hint:
            separator === '\t'
              ? 'A text in a .tsv must not contain tabs or line breaks; a .csv with quoted fields or a .jsonl can contain them.'
              : 'Put fields that contain the separator or a line break in double quotes.',
        },
      );
    }
    yield { path, line, cells: positions.map((at) => fields[at]) };
  }
}

async function* tsvRecords(path: string): AsyncGenerator<Fields> {
  for await (const { text, number } of lines(path)) {
    if (text !== '') yield { line: number, fields: text.split('\t').map(unquote) };
  }
}

/** Unquotes a field that is entirely in quotation marks with every inner mark doubled; other fields stay. */
function unquote(field: string): string {
  if (field.length < 2 || !field.startsWith('"') || !field.endsWith('"')) return field;
  const inside = field.slice(1, -1);
  return inside.replaceAll('""', '').includes('"') ? field : inside.replaceAll('""', '"');
}

async function* csvRecords(path: string): AsyncGenerator<Fields> {
  const header = await firstOf(blocks(path));
  const headerLine = header?.text.slice(0, header.text.indexOf('\n') + 1 || undefined) ?? '';
  let ended = 0; // Last line of the previous record.
  let records: Fields[] = [];
  const parser = parse({
    delimiter: [',', ';', '\t'].find((separator) => headerLine.includes(separator)) ?? ',',
    record_delimiter: ['\r\n', '\n'],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
    on_record: (fields: string[], { lines: end }) => {
      ended = end;
      const breaks = fields.reduce(
        (sum, field) => (field.includes('\n') ? sum + field.split('\n').length - 1 : sum),
        0,
      );
      records.push({ line: end - breaks, fields });
      return null; // Collected here, because the parser's object stream is twice as slow.
    },
  });
  parser.on('error', () => {}); // Errors also reach the callbacks below.
  try {
    for await (const { text } of blocks(path)) {
      await new Promise<void>((done, failed) => parser.write(text, (error) => (error ? failed(error) : done())));
      yield* records;
      records = [];
    }
    await new Promise<void>((done, failed) => parser.end((error?: Error | null) => (error ? failed(error) : done())));
    yield* records;
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    if (cause.code === 'CSV_MAX_RECORD_SIZE') throw tooLong(path, ended + 1);
    throw new RobustError(`${path}:${ended + 1}: expected a CSV record, got a quoted field that is never closed`, {
      code: 'DATA_DAMAGED',
      hint: 'Close the quotation mark; a mark inside a quoted field is written twice.',
      cause,
    });
  }
}

async function firstOf<T>(stream: AsyncIterable<T>): Promise<T | undefined> {
  for await (const one of stream) return one;
  return undefined;
}

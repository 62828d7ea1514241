/**
 * @file Comma- and tab-separated files with a header line.
 *
 * - .tsv: a line is a record, and a quotation mark is text, as in GLUE and most NLP files (`"good" film\t1`). Only a field that starts and
 *   ends with a mark and has every inner one doubled is unquoted (`"say ""hi"""` -> `say "hi"`), as written by spreadsheets. Lines that
 *   have too few or too many fields are read together as one record of RFC 4180 if that has the right number.
 * - .csv: RFC 4180, so quoted fields may contain separators and line breaks; marks inside an unquoted field are text. The separator is that of
 *   Excel's line `sep=;`, or the one of the header that splits the next records into as many fields.
 *
 * Empty lines are skipped in both. A file without a header is accepted if it is unmistakable: see `headerless`.
 */
import { RobustError } from '../src/core/errors.js';
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
    if (fields.length !== columns.length)
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
    yield { path, line, cells: positions.map((at) => fields[at]) };
  }
}

/** What a quoted field of a .tsv may span at most, in characters. */
const MAX_SPAN = 2 ** 20;

/** A line, or several that are one record. */
interface Lines extends Fields {
  readonly text: string;
}

async function* tsvRecords(path: string): AsyncGenerator<Fields> {
  const held: Lines[] = []; // Lines that may be parts of one record.
  let [width, blank] = [0, 0];
  for await (const { text, number } of lines(path)) {
    if (number === 1 && /^sep=\t?$/.test(text)) continue;
    if (text === '') {
      blank++;
      continue;
    }
    const fields = text.split('\t').map(unquote);
    width ||= fields.length;
    const alone = fields.length === width ? undefined : nextRecord(text, 0, '\t');
    const next = { line: number, text, fields: alone?.fields.length === width ? alone.fields : fields };
    const [before] = held;
    if (before === undefined || (held.length === 1 && before.fields.length === width && next.fields.length === width)) {
      yield* held.splice(0);
      held.push(next);
    } else {
      const joined = [...held, next].map((each) => each.text);
      joined.splice(-1, 0, ...new Array<string>(blank).fill(''));
      const whole = joined.join('\n');
      const record = nextRecord(whole, 0, '\t');
      if (record?.end === whole.length && record.fields.length === width) {
        held.splice(0, held.length, { line: before.line, text: whole, fields: record.fields });
      } else if (record === undefined && whole.length <= MAX_SPAN) {
        held.push({ ...next, text: `${'\n'.repeat(blank)}${text}` });
      } else {
        yield* held.splice(0);
        held.push(next);
      }
    }
    blank = 0;
  }
  yield* held;
}

/** Unquotes a field that is entirely in quotation marks with every inner mark doubled; other fields stay. */
function unquote(field: string): string {
  if (field.length < 2 || !field.startsWith('"') || !field.endsWith('"')) return field;
  const inside = field.slice(1, -1);
  return inside.replaceAll('""', '').includes('"') ? field : inside.replaceAll('""', '"');
}

const SEPARATORS = [',', ';', '\t', '|'];

/** Excel's first line, which names the separator. */
const NAMES_SEPARATOR = /^"?sep=([^\r\n])"?\r?\n/;

/** The separator of the header, of several the one that splits most of the next records into as many fields. */
function separatorIn(text: string): string {
  const header = text.slice(0, text.indexOf('\n') + 1 || undefined).replace(/"[^"]*"/g, '');
  const found = SEPARATORS.filter((each) => header.includes(each)).map((separator) => {
    const widths: number[] = [];
    for (let at = 0; widths.length < 50; ) {
      const record = nextRecord(text, at, separator);
      if (record === undefined) break;
      if (record.fields.length > 1 || record.fields[0] !== '') widths.push(record.fields.length);
      at = record.end;
    }
    return { separator, alike: widths.filter((width) => width === widths[0]).length };
  });
  return found.sort((a, b) => b.alike - a.alike)[0]?.separator ?? ',';
}

async function* csvRecords(path: string): AsyncGenerator<Fields> {
  let [separator, rest, line, tried] = ['', '', 1, 0];
  for await (const { text } of blocks(path)) {
    const [naming = '', named] = (separator === '' && NAMES_SEPARATOR.exec(text)) || [];
    separator ||= named ?? separatorIn(text);
    if (naming !== '') line++;
    rest += text.slice(naming.length);
    // A quoted field that is still open is looked at again once twice as much was read.
    if (rest.length >= 2 * tried) {
      yield* whole();
      tried = rest.length;
    }
    if (rest.length > MAX_LINE_BYTES) throw tooLong(path, line);
  }
  yield* whole();
  if (rest !== '') throw badQuote(`${path}:${line}`, 'a quoted field that is never closed');

  function* whole(): Generator<Fields> {
    let at = 0;
    for (let record = nextRecord(rest, at, separator); record; record = nextRecord(rest, at, separator)) {
      const { fields, end, misquoted } = record;
      if (misquoted) throw badQuote(`${path}:${line}`, 'a quoted field with a single mark inside');
      if (fields.length > 1 || fields[0] !== '') yield { line, fields };
      for (let lf = rest.indexOf('\n', at); lf >= 0 && lf < end; lf = rest.indexOf('\n', lf + 1)) line++;
      at = end;
    }
    rest = rest.slice(at);
  }
}

const badQuote = (where: string, got: string): RobustError =>
  new RobustError(`${where}: expected a CSV record, got ${got}`, {
    code: 'DATA_DAMAGED',
    hint: 'Close the quotation mark; a mark inside a quoted field is written twice.',
  });

interface RecordAt {
  readonly fields: string[];
  /** Where the next record starts. */
  readonly end: number;
  /** A mark stands inside a field that has a line break too. */
  readonly misquoted?: true;
}

/**
 * The record of RFC 4180 that starts at `from`; blanks around a quoted field are not part of it. A field that only starts with a quoted part is
 * text, up to the next separator. Undefined at the end of the text, and if a quoted field is not closed in it.
 */
function nextRecord(text: string, from: number, separator: string): RecordAt | undefined {
  if (from >= text.length) return undefined;
  const fields: string[] = [];
  let misquoted = false;
  const lineEnd = (at: number): number => {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end;
  };
  const blank = (at: number): number => {
    let end = at;
    while (text[end] !== separator && (text[end] === ' ' || text[end] === '\t')) end++;
    return end;
  };
  for (let at = from, eol = lineEnd(from); ; ) {
    const start = blank(at);
    let end = at;
    let quoted: string | undefined;
    if (text[start] === '"') {
      let close = text.indexOf('"', start + 1);
      while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
      if (close < 0) return undefined;
      if (close > eol) eol = lineEnd(close);
      end = blank(close + 1);
      if (text[end] === '\r' && end + 1 >= eol) end++;
      if (end >= eol || text[end] === separator) quoted = text.slice(start + 1, close).replaceAll('""', '"');
      else misquoted ||= text.slice(start, close).includes('\n');
    }
    const next = text.indexOf(separator, end);
    const stop = next < 0 || next > eol ? eol : next;
    const bare = (): string => text.slice(at, stop === eol && text[eol - 1] === '\r' ? Math.max(at, eol - 1) : stop);
    fields.push(quoted ?? bare());
    if (stop === eol) return { fields, end: Math.min(eol + 1, text.length), ...(misquoted && { misquoted }) };
    at = stop + separator.length;
  }
}

async function firstOf<T>(stream: AsyncIterable<T>): Promise<T | undefined> {
  for await (const one of stream) return one;
  return undefined;
}

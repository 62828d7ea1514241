/**
 * @file A .json file: one list of objects, JSON Lines, which many such files contain, or one object as pandas writes it (`orient`) and others
 * wrap their rows. The first object determines the columns.
 */
import { TextDecoder } from 'node:util';
import { must, RobustError } from '../src/core/errors.js';
import { MAX_JSON_DEPTH } from '../src/core/json.js';
import { bytesOf } from './bytes.js';
import { readJsonl } from './jsonl.js';
import { MAX_LINE_BYTES } from './lines.js';
import { cellOf, type DataTable, isObject, noRows, type TableReader } from './table.js';

export const readJson: TableReader = async (path, isLabel) => {
  if ((await firstSign(path)) !== '[') {
    const table = await wholeObject(path);
    return table === undefined ? readJsonl(path, isLabel) : tableOf(path, table);
  }
  for await (const { values } of objects(path)) return { columns: Object.keys(values), rows };
  throw noRows(path, 'an empty list');

  async function* rows(wanted: readonly string[], lists?: readonly string[]) {
    for await (const { values, row } of objects(path)) {
      const cells = wanted.map((column) =>
        Object.hasOwn(values, column) ? cellOf(values[column], column, `${path}:${row}`, lists) : undefined,
      );
      yield { path, line: row, cells };
    }
  }
};

/** A file of one object is held in memory. */
const MAX_OBJECT = 256 * 2 ** 20;

/** The rows of a file that is one object; undefined for JSON Lines. Throws RobustError for an object of another shape. */
async function wholeObject(path: string): Promise<Record<string, unknown>[] | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of bytesOf(path)) {
    parts.push(part);
    size += part.length;
    if (size === part.length && startsWithObject(part)) return undefined;
    if (size > MAX_OBJECT) return undefined;
  }
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(
      Buffer.concat(parts)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch {
    return undefined; // Several lines, or damaged: the line says where.
  }
  if (!Object.values(value).some((each) => typeof each === 'object' && each !== null)) return undefined;
  const rows = rowsOf(value);
  if (rows !== undefined) return rows;
  // One line of JSON Lines may hold lists.
  if (Object.values(value).some((each) => typeof each === 'string')) return undefined;
  throw new RobustError(
    `${path}: expected rows in JSON, got an object with ${Object.keys(value).slice(0, 6).join(', ')}`,
    { code: 'DATA_DAMAGED', hint: `${SHAPES} From pandas: df.to_json(path, orient="records", lines=True).` },
  );
}

/** Whether the first line is an object by itself, and more follow. */
function startsWithObject(part: Buffer): boolean {
  const [first = '', ...more] = part
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split('\n');
  if (more.length === 0 || !/[^\s]/.test(more.join(''))) return false;
  try {
    return typeof JSON.parse(first) === 'object';
  } catch {
    return false;
  }
}

/** {"data": [rows]}, pandas' orients split, table, columns and index, and lists by column. */
function rowsOf(value: Record<string, unknown>): Record<string, unknown>[] | undefined {
  const { columns, data } = value;
  if (Array.isArray(columns) && Array.isArray(data) && data.every(Array.isArray))
    return data.map((row) => Object.fromEntries(columns.map((name, at) => [String(name), row[at]])));
  const members = Object.values(value);
  const lists = members.filter(
    (each): each is Record<string, unknown>[] => Array.isArray(each) && each.every(isObject),
  );
  const full = lists.filter((list) => list.length > 0);
  if (full.length === 1) return full[0];
  const first = members[0];
  if (members.every(Array.isArray)) {
    const length = (first as unknown[]).length;
    if (!members.every((each) => (each as unknown[]).length === length)) return undefined;
    return (first as unknown[]).map((_, at) =>
      Object.fromEntries(Object.entries(value).map(([name, cells]) => [name, (cells as unknown[])[at]])),
    );
  }
  if (!members.every(isObject) || !isObject(first)) return undefined;
  const keys = Object.keys(first);
  if (!members.every((each) => Object.keys(each as object).join('\0') === keys.join('\0'))) return undefined;
  // By column, as pandas does by itself, unless the outer keys are the numbers of rows.
  if (Object.keys(value).every((key) => /^\d+$/.test(key)) && !keys.every((key) => /^\d+$/.test(key)))
    return members as Record<string, unknown>[];
  return keys.map((key) =>
    Object.fromEntries(Object.entries(value).map(([name, cells]) => [name, (cells as Record<string, unknown>)[key]])),
  );
}

function tableOf(path: string, all: readonly Record<string, unknown>[]): DataTable {
  const [first] = all;
  if (first === undefined) throw noRows(path, 'an empty list');
  return {
    columns: Object.keys(first),
    async *rows(wanted, lists) {
      for (const [at, values] of all.entries()) {
        const cells = wanted.map((column) =>
          Object.hasOwn(values, column) ? cellOf(values[column], column, `${path}:${at + 1}`, lists) : undefined,
        );
        yield { path, line: at + 1, cells };
      }
    },
  };
}

/** First character of a text file after blanks and a byte order mark, or empty. */
async function firstSign(path: string): Promise<string> {
  for await (const bytes of bytesOf(path)) {
    const start = bytes.toString('latin1').replace(/^ï»¿/, '').trimStart();
    if (start !== '') return must(start[0]);
  }
  return '';
}

/** The objects of a list one by one, numbered from 1. */
async function* objects(
  path: string,
): AsyncGenerator<{ readonly values: Record<string, unknown>; readonly row: number }> {
  const { Tokenizer, TokenParser, TokenType } = await import('@streamparser/json');
  const found: unknown[] = [];
  let row = 0;
  const formatError = (got: string, cause?: unknown): RobustError =>
    new RobustError(`${path}: expected a list of objects in JSON, got ${got} after object ${row}`, {
      code: 'DATA_DAMAGED',
      hint: `${SHAPES} From pandas: df.to_json(path, orient="records").`,
      cause,
    });
  const parser = new TokenParser({ paths: ['$.*'], keepStack: false });
  const tokenizer = new Tokenizer();
  let ended = false;
  let fault: Error | undefined;
  let depth = 0;
  let unfinished = 0; // Characters since the last object.
  tokenizer.onToken = (token) => {
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) depth++;
    if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth--;
    if (depth > MAX_JSON_DEPTH) throw new Error(`Nested deeper than ${MAX_JSON_DEPTH} levels`);
    parser.write(token);
  };
  parser.onValue = ({ value }) => {
    found.push(value);
  };
  tokenizer.onError = parser.onError = (error) => {
    fault ??= error;
  };
  parser.onEnd = () => {
    ended = true;
  };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const bytes of bytesOf(path)) {
    const text = decode(decoder, bytes, path, row);
    tokenizer.write(text);
    unfinished = found.length > 0 ? 0 : unfinished + text.length;
    if (unfinished > MAX_LINE_BYTES) throw formatError(`one of more than ${MAX_LINE_BYTES / 2 ** 20} MiB`);
    for (const values of found.splice(0)) {
      const object = ofSpacy(values) ?? values;
      if (!isObject(object)) throw formatError(show(values));
      yield { values: object, row: ++row };
    }
    if (fault !== undefined) throw formatError(fault.message.toLowerCase().replace(/\.$/, ''), fault);
  }
  if (!ended) throw formatError('the end of the file');
}

function decode(decoder: TextDecoder, bytes: Buffer, path: string, row: number): string {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw new RobustError(`${path}: expected UTF-8, got other bytes after object ${row}`, {
      code: 'DATA_DAMAGED',
      hint: 'Save the file as UTF-8; if it is Latin-1, with: iconv -f ISO-8859-1 -t UTF-8.',
      cause,
    });
  }
}

const SHAPES =
  'Read are a list of objects, [{"text": "good film", "label": "positive"}, ...], one object per line, {"data": [objects]}, and lists by column.';

/** ["text", {"entities": [[0, 3, "PER"]]}], as spaCy's examples are written; {"cats": {...}} has the scores of labels. */
function ofSpacy(value: unknown): Record<string, unknown> | undefined {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string' || !isObject(value[1]))
    return undefined;
  const { entities, cats } = value[1];
  if (Array.isArray(entities)) return { text: value[0], entities };
  if (!isObject(cats)) return undefined;
  const [best] = Object.entries(cats).sort(([, a], [, b]) => Number(b) - Number(a));
  return { text: value[0], label: best?.[0], ...cats };
}

const show = (value: unknown): string => JSON.stringify(value).slice(0, 40);

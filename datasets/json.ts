/** @file A .json file: one list of objects, or JSON Lines, which many such files contain. The first object determines the columns. */
import { TextDecoder } from 'node:util';
import { MAX_JSON_DEPTH, RobustError } from '../src/plugin.js';
import { bytesOf } from './bytes.js';
import { readJsonl } from './jsonl.js';
import { MAX_LINE_BYTES } from './lines.js';
import { cellOf, noRows, type TableReader } from './table.js';

export const readJson: TableReader = async (path, isLabel) => {
  if ((await firstSign(path)) !== '[') return readJsonl(path, isLabel);
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

/** First character of a text file after blanks and a byte order mark, or empty. */
async function firstSign(path: string): Promise<string> {
  for await (const bytes of bytesOf(path)) {
    const start = bytes.toString('latin1').replace(/^ï»¿/, '').trimStart();
    if (start !== '') return start[0]!;
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
      hint: 'Write [{"text": "good film", "label": "positive"}, ...], or one object per line.',
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
      if (typeof values !== 'object' || values === null || Array.isArray(values)) throw formatError(show(values));
      yield { values: values as Record<string, unknown>, row: ++row };
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

const show = (value: unknown): string => JSON.stringify(value).slice(0, 40);

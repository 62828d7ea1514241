/** @file Interface of readers: named columns and a stream of rows. */
import { RobustError } from '../src/core/errors.js';

export interface TableRow {
  /** Path of the file, as the user wrote it. */
  readonly path: string;
  /** 1-based line of the file on which the row starts; for parquet files the row. */
  readonly line: number;
  /** In the order of the requested columns; undefined if the row has no value. */
  readonly cells: readonly (string | undefined)[];
}

export interface DataTable {
  readonly columns: readonly string[];
  /** Label names by number, for columns with numeric labels whose file contains names. */
  readonly labelNames?: ReadonlyMap<string, readonly string[]> | undefined;
  /**
   * The rows in file order, with the named columns only; may be called again. A list in a column of `lists` becomes JSON. Throws
   * RobustError with the line that cannot be read.
   */
  rows(columns: readonly string[], lists?: readonly string[]): AsyncIterable<TableRow>;
}

/**
 * Opens one file format. Throws RobustError if the file is empty or has another format. `isLabel`: whether a value could be a label, which
 * detects a file without a header.
 */
export type TableReader = (path: string, isLabel: (value: string) => boolean) => Promise<DataTable>;

/** Converts a typed value (JSON, parquet) to a cell. Throws RobustError for objects, and for lists in columns other than `lists`. */
export function cellOf(
  value: unknown,
  column: string,
  where: string,
  lists: readonly string[] = [],
): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value) && lists.includes(column))
    return JSON.stringify(
      value.map((each) =>
        isObject(each)
          ? plainObject(each)
          : Array.isArray(each)
            ? each.map(plainNumber)
            : (cellOf(each, column, where) ?? null),
      ),
    );
  throw new RobustError(
    `${where}: expected a string or number in "${column}", got ${Array.isArray(value) ? 'a list' : 'an object'}`,
    {
      code: 'DATA_DAMAGED',
      hint: Array.isArray(value)
        ? 'A list of labels needs --task multi-label, one of spans or tags --task tags; else choose other columns with --columns text=NAME:label=NAME.'
        : 'Choose other columns with --columns text=NAME:label=NAME.',
    },
  );
}

/** An object with keys, no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parquet has integers as bigint, which JSON lacks. */
const plainObject = (value: object): object =>
  Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainNumber(each)]));

const plainNumber = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

/** Unpaired UTF-16 surrogates, which JSON escapes can contain, and the noncharacters that separate the parts of a query. */
const UNWRITABLE = /[\p{Surrogate}\uFDD0\uFDD1]/gu;

/** U+FFFD, of one code unit too, stands for each of them. */
export const writable = (text: string): string => text.replace(UNWRITABLE, '\uFFFD');

/** Counts the texts of which `writable` replaces something; `say` warns with their number and the first place. */
export class ReplacedTexts {
  #count = 0;
  #first = '';

  look({ path, line, cells }: TableRow, columns: readonly (number | undefined)[]): void {
    if (!columns.some((at) => at !== undefined && (cells[at]?.search(UNWRITABLE) ?? -1) >= 0)) return;
    if (this.#count++ === 0) this.#first = `${path}:${line}`;
  }

  say(onWarning: ((message: string) => void) | undefined): void {
    if (this.#count === 0) return;
    const texts = this.#count === 1 ? '1 text has' : `${this.#count} texts have`;
    onWarning?.(
      `${texts} half a surrogate pair or a noncharacter, first in ${this.#first}: U+FFFD stands for it, since no model can be sent it`,
    );
  }
}

/** JSON whose numbers with a decimal point are strings: once parsed, 1.0 is 1, and in a list of labels the point says what it is. */
export const keepDecimals = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|-?\d+\.\d+(?:e[+-]?\d+)?/gi, (part) => (part.startsWith('"') ? part : `"${part}"`));

/** The error for a file without rows. */
export function noRows(path: string, got: string): RobustError {
  return new RobustError(`${path}: expected texts, got ${got}`, {
    code: 'EXAMPLES_TOO_FEW',
    hint: 'Give a file with at least one text.',
  });
}

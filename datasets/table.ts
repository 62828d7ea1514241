/** @file What every reader gives: named columns and a stream of rows. */
import { DatasetError } from '../src/plugin.js';

export interface TableRow {
  /** The file, as people name it. */
  readonly path: string;
  /** 1-based line of the file on which the row starts; of parquet files the row. */
  readonly line: number;
  /** In the order of the columns asked for; undefined where the row has no such value. */
  readonly cells: readonly (string | undefined)[];
}

export interface DataTable {
  readonly columns: readonly string[];
  /** Of columns that hold the numbers of labels, their names in the order of the numbers: where the file tells them. */
  readonly labelNames?: ReadonlyMap<string, readonly string[]>;
  /**
   * The rows in file order, with the named columns only; may be called again. A list in a column of `lists` is given as JSON. Throws DatasetError
   * naming the line it cannot read.
   */
  rows(columns: readonly string[], lists?: readonly string[]): AsyncIterable<TableRow>;
}

/**
 * Opens one file format. Throws DatasetError where the file is empty or not of the format.
 * `isLabel` answers whether a value could be a label, by which a file without a header is told from one with a header.
 */
export type TableReader = (path: string, isLabel: (value: string) => boolean) => Promise<DataTable>;

/** A typed value (JSON, parquet) as a cell. Throws DatasetError for objects, and for lists in other columns than `lists`. */
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
    return JSON.stringify(value.map((each) => cellOf(each, column, where) ?? null));
  throw new DatasetError(
    `${where}: expected a string or number in "${column}", got ${Array.isArray(value) ? 'a list' : 'an object'}`,
    {
      code: 'DATA_FORMAT',
      hint: 'Choose other columns with --columns text=NAME:label=NAME.',
    },
  );
}

/** The error for a file without rows. */
export function noRows(path: string, got: string): DatasetError {
  return new DatasetError(`${path}: expected labelled texts, got ${got}`, {
    code: 'DATA_EMPTY',
    hint: 'Give a file with at least one text and its label.',
  });
}

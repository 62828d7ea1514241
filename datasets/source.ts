/** @file Sources of rows: one file, several files as one, or a program. */
import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { must, RobustError } from '../src/core/errors.js';
import { bundledPath } from './bundled.js';
import { fileAt, filesAt, readerOf, sha256Of } from './locate.js';
import { cellOf, type DataTable, noRows } from './table.js';

export interface DataSource {
  readonly name: string;
  /** Name in messages: the path of a file. */
  readonly where: string;
  readonly url: string;
  readonly license: string;
  /** The id column, if known. */
  readonly idColumn?: string;
  /** `isLabel`: could this value be a label? */
  open(isLabel: (value: string) => boolean): Promise<DataTable>;
  /** Throws RobustError DATA_DAMAGED if the rows differ from the first reading. */
  check(): void;
  /** SHA-256 of the rows in hex, after all were read. */
  sha256(): Promise<string>;
}

/** Additional knowledge about files. */
export interface KnownFiles {
  readonly name: string;
  readonly url: string;
  readonly license: string;
  readonly labelNames?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** A bundled data set, a file, or the files of a pattern. Throws RobustError. */
export function sourceAt(spec: string): DataSource {
  const bundled = bundledPath(spec);
  if (bundled === undefined) {
    const files = filesAt(spec);
    const name = files.length === 1 ? basename(must(files[0])) : basename(spec);
    return filesSource(files, { name, url: pathToFileURL(resolve(spec)).href, license: 'unknown' });
  }
  return { ...filesSource([bundled], { name: spec, url: `bundled:${spec}`, license: 'MIT' }), idColumn: 'id' };
}

/** Files with the same columns, one after the other. Throws RobustError if one does not exist. */
export function filesSource(files: readonly string[], { labelNames, ...known }: KnownFiles): DataSource {
  const before = files.map((file) => fileAt(file, file));
  const where = must(files[0]);
  return {
    ...known,
    where,
    async open(isLabel) {
      const tables: DataTable[] = [];
      for (const file of files) tables.push(await (await readerOf(file))(file, isLabel));
      const [first] = tables as [DataTable];
      const names = first.labelNames ?? labelNames;
      return {
        columns: first.columns,
        labelNames: names,
        async *rows(columns, lists) {
          for (const [at, table] of tables.entries()) {
            const missing = columns.filter((name) => !table.columns.includes(name));
            // The first JSON object need not have all columns.
            if (missing.length > 0 && !/json/i.test(must(files[at])))
              throw new RobustError(
                `${files[at]}: expected the columns of ${where}, got ${table.columns.join(', ')}: ${missing.join(', ')} is missing`,
                {
                  code: 'COLUMN_NOT_FOUND',
                  hint: 'Files that are read as one need the same names in their first lines.',
                },
              );
            yield* table.rows(columns, lists);
          }
        },
      };
    },
    check() {
      for (const [at, file] of files.entries()) {
        const now = fileAt(file, file);
        if (now.size !== before[at]?.size || now.mtimeMs !== before[at]?.mtimeMs) throw changedError(file);
      }
    },
    sha256: () => sha256Of(files),
  };
}

/** Rows from a program: objects, the first of which determines the columns. They are requested more than once, and must stay the same. */
export function rowsSource(
  { name, where, url }: Pick<DataSource, 'name' | 'where' | 'url'>,
  rows: () => AsyncIterable<unknown> | Iterable<unknown>,
): DataSource {
  let sum = '';
  async function* objects(): AsyncGenerator<{ readonly line: number; readonly values: Record<string, unknown> }> {
    let line = 0;
    for await (const values of rows()) {
      line++;
      if (typeof values !== 'object' || values === null || Array.isArray(values))
        throw new RobustError(`${where}: expected row ${line} as an object, got ${show(values)}`, {
          code: 'DATA_DAMAGED',
          hint: 'Give rows such as { text: "good film", label: "positive" }.',
        });
      yield { line, values: values as Record<string, unknown> };
    }
  }
  return {
    name,
    where,
    url,
    license: 'unknown',
    async open() {
      for await (const { values } of objects()) {
        return {
          columns: Object.keys(values),
          async *rows(columns, lists) {
            const hash = createHash('sha256');
            for await (const { line, values } of objects()) {
              const cells = columns.map((column) =>
                Object.hasOwn(values, column) ? cellOf(values[column], column, `${where}:${line}`, lists) : undefined,
              );
              hash.update(`${JSON.stringify(cells)}\n`);
              yield { path: where, line, cells };
            }
            const now = hash.digest('hex');
            // Each reading covers the same columns.
            if (sum !== '' && sum !== now) throw changedError(where);
            sum = now;
          },
        };
      }
      throw noRows(where, 'a reader that gave no row');
    },
    check() {},
    sha256: async () => sum,
  };
}

const show = (value: unknown): string => (JSON.stringify(value) ?? typeof value).slice(0, 60);

export const changedError = (path: string): RobustError =>
  new RobustError(`${path}: expected unchanged data, but it has changed since it was opened`, {
    code: 'DATA_DAMAGED',
    hint: 'Do not change the data during a run, and run again.',
  });

/** @file Parquet files, row group by row group and only the columns asked for. */
import { DatasetError } from '../src/plugin.js';
import { cellOf, noRows, type TableReader } from './table.js';

export const readParquet: TableReader = async (path) => {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const whole = await asyncBufferFromFile(path);
  if (whole.byteLength === 0) throw noRows(path, 'an empty file');
  const file = {
    byteLength: whole.byteLength,
    // The library asks for many parts at once and waits for none after the first that fails: theirs are no errors that nobody caught.
    slice(start: number, end?: number): Promise<ArrayBuffer> {
      const part = Promise.resolve().then(() => whole.slice(start, end));
      part.catch(() => {});
      return part;
    },
  };
  const metadata = await readable(path, parquetMetadataAsync(file));
  const columns = await readable(
    path,
    (async () => {
      const names = parquetSchema(metadata).children.map((column) => column.element.name);
      if (names.some((name) => typeof name !== 'string')) throw new Error('a column without a name');
      return names;
    })(),
  );

  async function* rows(wanted: readonly string[], lists?: readonly string[]) {
    let line = 0;
    for (const group of metadata.row_groups) {
      const rowStart = line;
      const rowEnd = line + Number(group.num_rows);
      const objects = await readable(
        path,
        parquetReadObjects({ file, metadata, columns: [...wanted], rowStart, rowEnd }),
      );
      if (objects.length !== rowEnd - rowStart) {
        await readable(path, Promise.reject(new Error(`${objects.length} rows in a group of ${rowEnd - rowStart}`)));
      }
      for (const object of objects) {
        line++;
        yield { line, cells: wanted.map((column) => cellOf(object[column], column, `${path} row ${line}`, lists)) };
      }
    }
  }
  return { columns, rows };
};

async function readable<T>(path: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    throw new DatasetError(
      `${path}: expected a parquet file, got one that cannot be read: ${(cause as Error).message}`,
      {
        code: 'DATA_FORMAT',
        hint: 'Uncompressed and Snappy parquet is read; convert other files to .jsonl or .csv.',
        cause,
      },
    );
  }
}

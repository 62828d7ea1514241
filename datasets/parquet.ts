/** @file Reads parquet files by row group, and only the requested columns. Label names come from the metadata of the Hub's `datasets`. */
import { RobustError } from '../src/core/errors.js';
import { featureNames } from './features.js';
import { cellOf, noRows, type TableReader } from './table.js';

export const readParquet: TableReader = async (path) => {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const whole = await asyncBufferFromFile(path);
  if (whole.byteLength === 0) throw noRows(path, 'an empty file');
  const file = {
    byteLength: whole.byteLength,
    // The library requests many parts at once and does not wait for the others after the first failure: their errors must not be unhandled.
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
        parquetReadObjects({ file, metadata, compressors, columns: [...wanted], rowStart, rowEnd }),
      );
      if (objects.length !== rowEnd - rowStart) {
        await readable(path, Promise.reject(new Error(`${objects.length} rows in a group of ${rowEnd - rowStart}`)));
      }
      for (const object of objects) {
        line++;
        yield {
          path,
          line,
          cells: wanted.map((column) => cellOf(object[column], column, `${path} row ${line}`, lists)),
        };
      }
    }
  }
  const info = metadata.key_value_metadata?.find(({ key }) => key === 'huggingface')?.value;
  const labelNames = info === undefined ? undefined : namesIn(info);
  return { columns, rows, labelNames };
};

async function readable<T>(path: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    throw new RobustError(
      `${path}: expected a parquet file, got one that cannot be read: ${(cause as Error).message}`,
      {
        code: 'DATA_DAMAGED',
        hint: 'It may be truncated: copy or download it again, or convert it to .jsonl or .csv.',
        cause,
      },
    );
  }
}

/** Metadata of `datasets`; anything else has no names. */
function namesIn(info: string): ReadonlyMap<string, readonly string[]> | undefined {
  try {
    return featureNames((JSON.parse(info) as { info?: { features?: unknown } }).info?.features);
  } catch {
    return undefined;
  }
}

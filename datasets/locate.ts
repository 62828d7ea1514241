/** @file The file behind a path: that it is one, its reader, its hash. */
import { createHash } from 'node:crypto';
import { accessSync, constants, createReadStream, existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatasetError, nearest } from '../src/plugin.js';
import { bundledNames } from './bundled.js';
import { readCsv, readTsv } from './delimited.js';
import { readJsonl } from './jsonl.js';
import { readParquet } from './parquet.js';
import type { TableReader } from './table.js';
import { readTrec } from './trec.js';

const READERS: Readonly<Record<string, TableReader>> = {
  '.tsv': readTsv,
  '.csv': readCsv,
  '.jsonl': readJsonl,
  '.ndjson': readJsonl,
  '.parquet': readParquet,
  '.txt': readTrec,
};

/** The reader for a file, by its extension. Throws DatasetError for others. */
export function readerOf(path: string): TableReader {
  const reader = READERS[extname(path).toLowerCase()];
  if (reader !== undefined) return reader;
  throw new DatasetError(
    `${path}: expected a file that ends in ${Object.keys(READERS).join(', ')}, got "${extname(path)}"`,
    {
      code: 'DATA_FORMAT',
      hint: 'Rename it after its format, or convert it.',
    },
  );
}

/** The file's facts. Throws DatasetError where there is no such file or it cannot be read. */
export function fileAt(path: string, spec: string): Stats {
  let stats: Stats;
  try {
    stats = statSync(path);
    accessSync(path, constants.R_OK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EACCES') {
      throw new DatasetError(`${path}: expected a file you may read, got ${(cause as Error).message}`, {
        code: 'DATA_UNREADABLE',
        hint: 'Give yourself read access to it.',
        cause,
      });
    }
    throw new DatasetError(`expected a bundled data set or a data file, got "${spec}", which is neither`, {
      code: 'DATA_NOT_FOUND',
      hint: suggestion(spec),
      cause,
    });
  }
  if (stats.isFile()) return stats;
  const what = stats.isDirectory() ? 'a folder' : 'a pipe or device, which cannot be read twice';
  throw new DatasetError(`${path}: expected a data file, got ${what}`, {
    code: 'DATA_FORMAT',
    hint: 'Give the path of one file; write a pipe to a file first.',
  });
}

function suggestion(spec: string): string {
  const folder = dirname(spec);
  const beside = existsSync(folder) ? readdirSync(folder).filter((name) => extname(name).toLowerCase() in READERS) : [];
  const near = nearest(spec, [...bundledNames, ...beside.map((name) => join(folder, name))]);
  return near === undefined
    ? `Bundled: ${bundledNames.join(', ')}; else give the path of a file.`
    : `Did you mean "${near}"?`;
}

/** SHA-256 of a file's bytes, in hex; read as a stream. */
export async function sha256Of(path: string): Promise<string> {
  const sha256 = createHash('sha256');
  await pipeline(createReadStream(path), sha256);
  return sha256.digest('hex');
}

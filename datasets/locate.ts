/** @file Finds the files of a path or a pattern, their reader and their hash. */
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, extname, isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { globSync, isDynamicPattern } from 'tinyglobby';
import { must, RobustError } from '../src/core/errors.js';
import { nearest } from '../src/core/suggest.js';
import { createReadStream } from '../src/files/read.js';
import { readArrow } from './arrow.js';
import { bundledNames } from './bundled.js';
import { packingOf } from './bytes.js';
import { readConll } from './conll.js';
import { readCsv, readTsv } from './delimited.js';
import { readFastText } from './fasttext.js';
import { readJson } from './json.js';
import { readJsonl } from './jsonl.js';
import { readParquet } from './parquet.js';
import { savedFiles } from './saved.js';
import { type SniffedFormat, sniffFormat } from './sniff.js';
import type { TableReader } from './table.js';
import { readTrec } from './trec.js';

const READERS: Readonly<Record<string, TableReader>> = {
  '.tsv': readTsv,
  '.csv': readCsv,
  '.jsonl': readJsonl,
  '.ndjson': readJsonl,
  '.json': readJson,
  '.parquet': readParquet,
  '.arrow': readArrow,
  '.feather': readArrow,
  '.txt': readTrec,
  '.conll': readConll,
  '.iob': readConll,
  '.iob2': readConll,
  '.bio': readConll,
};

const BY_BEGINNING: Readonly<Record<SniffedFormat, TableReader>> = {
  fasttext: readFastText,
  parquet: readParquet,
  arrow: readArrow,
  json: readJson,
  tsv: readTsv,
  trec: readTrec,
  csv: readCsv,
};

/** Extensions of compressed files, after that of the format. */
const PACKED = /\.(?:gz|zst)$/i;

/** Whether a file's extension is that of a data file. */
export const isDataFile = (name: string): boolean => endingOf(name) in READERS;

const endingOf = (path: string): string => extname(path.replace(PACKED, '')).toLowerCase();

/** The reader of a file, by its extension, or by its content if it has none. Throws RobustError for others. */
export async function readerOf(path: string): Promise<TableReader> {
  const ending = endingOf(path);
  const known = READERS[ending];
  // A .txt may be fastText's, which also calls its files .train and .valid.
  const format = ending === '' || ending === '.txt' || known === undefined ? await sniffFormat(path) : undefined;
  const reader = format !== undefined && (ending === '' || format === 'fasttext') ? BY_BEGINNING[format] : known;
  if (reader === undefined) {
    const got = ending === '' ? 'a file without extension in none of these formats' : `"${ending}"`;
    throw new RobustError(`${path}: expected a file that ends in ${Object.keys(READERS).join(', ')}, got ${got}`, {
      code: 'DATA_DAMAGED',
      hint: 'Rename it after its format, or convert it. Compressed files may additionally end in .gz or .zst.',
    });
  }
  if (reader === readParquet && packingOf(path) !== undefined)
    throw new RobustError(`${path}: expected a parquet file, got a compressed one, which cannot be read in parts`, {
      code: 'DATA_DAMAGED',
      hint: 'Decompress it first: parquet is compressed internally.',
    });
  return reader;
}

/** Files of a path or a pattern, sorted by name. Throws RobustError if there are no paths, or if one is not a file. */
export function filesAt(spec: string): string[] {
  if (existsSync(spec) && statSync(spec).isDirectory()) return filesIn(spec);
  if (existsSync(spec) || !isDynamicPattern(spec)) {
    fileAt(spec, spec);
    return [spec];
  }
  const found = globSync(spec, { expandDirectories: false, absolute: isAbsolute(spec) }).sort();
  for (const path of found) fileAt(path, spec);
  if (found.length > 0) return found;
  throw new RobustError(`expected data files, got the pattern "${spec}", which no file matches`, {
    code: 'DATA_NOT_FOUND',
    hint: 'Quote it to protect it from the shell, and use / between folders: -d "data/train-*.tsv".',
  });
}

/** The data files of a folder, which are one split. Throws RobustError for none, and for several splits. */
function filesIn(folder: string): string[] {
  const saved = savedFiles(folder);
  if (saved !== undefined) return saved;
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  const files = entries.filter((entry) => entry.isFile() && isDataFile(entry.name) && !BESIDE.test(entry.name));
  const names = files.map(({ name }) => name).sort();
  const splits = [...entries.filter((entry) => entry.isDirectory()).map(({ name }) => name), ...names].filter((name) =>
    SPLIT.test(name),
  );
  const endings = new Set(names.map(endingOf));
  if (names.length > 0 && endings.size === 1 && new Set(splits.map((name) => SPLIT.exec(name)?.[1])).size <= 1)
    return names.map((name) => join(folder, name));
  const got =
    splits.length > 0
      ? `a folder with the splits ${splits.join(', ')}`
      : `a folder with ${names.join(', ') || 'no data files'}`;
  throw new RobustError(`${folder}: expected a data file, got ${got}`, {
    code: 'DATA_DAMAGED',
    hint:
      splits.length > 0
        ? `Give one of them: -d ${join(folder, must(splits.sort()[0]))}`
        : 'Give the path of one file, or a pattern for several: -d "data/*.tsv".',
  });
}

/** Files beside the data, of the Hub's `datasets` and of packages. */
const BESIDE = /^(?:dataset_infos?|dataset_dict|state|config|package(?:-lock)?|tsconfig)\.json$/;
const SPLIT = /(?:^|[^a-z])(train|validation|valid|val|dev|test|eval)/i;

/** A file's size in bytes and the time of its last change. */
export interface FileFacts {
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
}

/** Throws RobustError if there is no such file or it cannot be read. */
export function fileAt(path: string, spec: string): FileFacts {
  let stats: Stats;
  try {
    stats = statSync(path);
    accessSync(path, constants.R_OK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EACCES')
      throw new RobustError(`${path}: expected a readable file, got ${(cause as Error).message}`, {
        code: 'DATA_DAMAGED',
        hint: 'Get read access to it.',
        cause,
      });
    throw new RobustError(`expected a bundled data set or a data file, got "${spec}", which is neither`, {
      code: 'DATA_NOT_FOUND',
      hint: suggestion(spec),
      cause,
    });
  }
  if (stats.isFile()) return stats;
  const what = stats.isDirectory() ? 'a folder' : 'a pipe or device, which cannot be read twice';
  throw new RobustError(`${path}: expected a data file, got ${what}`, {
    code: 'DATA_DAMAGED',
    hint: stats.isDirectory()
      ? 'Give the path of one file, or a pattern for several: -d "data/*.tsv".'
      : 'Give the path of one file; write a pipe to a file first.',
  });
}

function suggestion(spec: string): string {
  const folder = dirname(spec);
  const beside = existsSync(folder) ? readdirSync(folder).filter(isDataFile) : [];
  const near = nearest(spec, [...bundledNames, ...beside.map((name) => join(folder, name))]);
  return near === undefined
    ? `Bundled: ${bundledNames.join(', ')}; else give the path of a file, a pattern, or hf:org/name:split.`
    : `Did you mean "${near}"?`;
}

/** SHA-256 of a file's bytes in hex, computed on a stream. For several files, the hash of their hashes. */
export async function sha256Of([path = '', ...more]: readonly string[]): Promise<string> {
  const sha256 = createHash('sha256');
  await pipeline(createReadStream(path), sha256);
  const first = sha256.digest('hex');
  if (more.length === 0) return first;
  const all = createHash('sha256').update(first);
  for (const each of more) all.update(await sha256Of([each]));
  return all.digest('hex');
}

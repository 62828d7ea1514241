/** @file `-o file.ext`: reports written beside the run. */
import { accessSync, constants, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileFormats } from '../../../reports/index.js';
import { nearest } from '../../core/suggest.js';
import { OutputError, type Renderer, type Report, UsageError } from '../../index.js';
import { inPieces } from './pieces.js';

export interface OutputFile<T = Report> {
  /** As the user wrote it. */
  readonly path: string;
  readonly format: Renderer<T>;
}

/** The formats of these paths, once each can be written. Throws UsageError or OutputError, before anything was run. */
export async function outputFiles(paths: readonly string[]): Promise<OutputFile[]>;
/** As above, for what else than a report of attacks these formats write. */
export async function outputFiles<T>(
  paths: readonly string[],
  formats: readonly Renderer<T>[],
): Promise<OutputFile<T>[]>;
export async function outputFiles<T>(
  paths: readonly string[],
  formats: readonly Renderer<T | Report>[] = fileFormats,
): Promise<OutputFile<T | Report>[]> {
  const files = paths.map((path) => ({ path, format: formatOf(path, formats) }));
  const twice = paths.find((path, i) => paths.some((other, j) => j < i && resolve(other) === resolve(path)));
  if (twice !== undefined) {
    throw new UsageError(`--output: ${twice} is given twice`, { code: 'OUTPUT_TWICE', hint: 'Give each file once.' });
  }
  for (const { path } of files) await probe(path);
  return files;
}

function formatOf<T>(path: string, formats: readonly Renderer<T>[]): Renderer<T> {
  const extension = extname(path).slice(1).toLowerCase();
  const format = formats.find((each) => each.extension === extension);
  if (format) return format;
  const known = formats.map((each) => `.${each.extension}`);
  const near = nearest(`.${extension}`, known);
  throw new UsageError(`--output: expected a file ending in ${known.join(', ')}, got "${path}"`, {
    code: 'OUTPUT_FORMAT',
    hint: near === undefined ? 'The ending picks the format.' : `Did you mean "${near}"?`,
  });
}

/** Something other than a plain file: a terminal or a pipe, which cannot be replaced by renaming. */
const isStream = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

const besides = (path: string): string => join(dirname(resolve(path)), `.${basename(path)}.${process.pid}.tmp`);

async function probe(path: string): Promise<void> {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
    if (found) accessSync(path, constants.W_OK);
    if (isStream(path)) return;
    const file = await open(besides(path), 'wx');
    await file.close();
    await rm(besides(path));
  } catch (error) {
    throw notWritten(path, error);
  }
}

/** Writes a report: the file appears whole, or an earlier one stays. Throws OutputError. */
export async function writeReport<T>({ path, format }: OutputFile<T>, report: T): Promise<void> {
  const target = isStream(path) ? path : besides(path);
  try {
    const file = await open(target, 'w');
    try {
      for await (const piece of inPieces(format.render(report))) await file.write(piece);
    } finally {
      await file.close();
    }
    if (target !== path) await rename(target, path);
  } catch (error) {
    if (target !== path) await rm(target, { force: true });
    throw notWritten(path, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

function notWritten(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof OutputError) return error;
  // A renderer reads files too: what is missing there is no fault of the path.
  if ('path' in error && dirname(String(error.path)) !== dirname(resolve(path)) && error.path !== path) return error;
  const reason = REASONS[String(error.code)] ?? error.message;
  return new OutputError(`--output: ${path} cannot be written: ${reason}`, {
    code: 'OUTPUT_NOT_WRITABLE',
    hint: 'Choose another path.',
    cause: error,
  });
}

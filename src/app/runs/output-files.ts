/** @file `-o file.ext`: reports written beside the run. */
import { accessSync, constants, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { fileFormats } from '../../../reports/index.js';
import { OutputError, RobustError } from '../../core/errors.js';
import { nearest } from '../../core/suggest.js';
import { checkWritableFile, makeFolder, writeStream } from '../../files/write.js';
import type { Renderer, Report } from '../../results/report/report.js';
import { loadPlugin } from '../plugins/load-plugin.js';
import { nextSteps } from './next-command.js';
import { inPieces } from './pieces.js';

export interface OutputFile<T = Report> {
  /** As the user wrote it. */
  readonly path: string;
  readonly format: Renderer<T>;
}

/** Reports of attacks to be written to these paths, formats of the user's own first. Throws as `outputFiles` does, and RobustError. */
export async function reportFiles(paths: readonly string[], reporters: readonly string[] = []): Promise<OutputFile[]> {
  const own = await Promise.all(reporters.map((spec) => loadPlugin('reporter', spec)));
  const files = outputFiles(paths, [...own, ...fileFormats]);
  const idle = own.find((reporter) => files.every(({ format }) => format !== reporter));
  if (idle === undefined) return files.map(({ path, format }) => ({ path, format: withNext(format, paths) }));
  throw new RobustError(
    `--reporter: expected a file for ${idle.name} to write, got none that ends in .${idle.extension}`,
    { code: 'FORMAT_NOT_FOUND', hint: `For example: -o report.${idle.extension}` },
  );
}

/** The format for a report with what to do next, as the terminal says it. */
const withNext = (format: Renderer<Report>, paths: readonly string[]): Renderer<Report> => ({
  ...format,
  render: (report) => format.render({ ...report, next: nextSteps(report, paths) }),
});

/**
 * The formats of these paths, once each can be written; a path that ends in a stroke is a folder for index.html. Throws RobustError or
 * OutputError, before anything was run.
 */
export function outputFiles<T>(given: readonly string[], formats: readonly Renderer<T>[]): OutputFile<T>[] {
  const paths = given.map((path) => (/[\\/]$/.test(path) ? pageIn(path) : path));
  const files = paths.map((path) => ({ path, format: formatOf(path, formats) }));
  const twice = paths.find((path, i) => paths.some((other, j) => j < i && resolve(other) === resolve(path)));
  if (twice !== undefined) {
    throw new RobustError(`--output: ${twice} is given twice`, { code: 'OUTPUT_TAKEN', hint: 'Give each file once.' });
  }
  for (const { path } of files) checkWritable(path);
  return files;
}

function pageIn(folder: string): string {
  makeFolder(folder, 'the report');
  return join(folder, 'index.html');
}

function formatOf<T>(path: string, formats: readonly Renderer<T>[]): Renderer<T> {
  const extension = extname(path).slice(1).toLowerCase();
  const format = formats.find((each) => each.extension === extension);
  if (format) return format;
  const known = formats.map((each) => `.${each.extension}`);
  const near = nearest(`.${extension}`, known);
  throw new RobustError(`--output: expected a file ending in ${known.join(', ')}, got "${path}"`, {
    code: 'FORMAT_NOT_FOUND',
    hint: near === undefined ? 'The ending picks the format.' : `Did you mean "${near}"?`,
  });
}

/** Can this file be written? Throws OutputError, before anything was done for it; `flag` named it. */
export function checkWritable(path: string, flag = '--output'): void {
  try {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) accessSync(path, constants.W_OK);
    checkWritableFile(path);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const reason = REASONS[String(error.code)] ?? error.message;
    throw new OutputError(`${flag}: ${path} cannot be written: ${reason}`, {
      code: 'OUTPUT_UNREACHABLE',
      hint: 'Choose another path.',
      cause: error,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

/** Writes a report: the file appears whole, or an earlier one stays. Throws OutputError. */
export const writeReport = <T>({ path, format }: OutputFile<T>, report: T): Promise<void> =>
  writeStream(path, inPieces(format.render(report)), 'the report');

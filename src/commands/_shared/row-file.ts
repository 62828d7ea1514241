/** @file Data sets a command writes: the file appears whole, or an earlier one stays. */
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { rowFormat, type WrittenRow, writtenEndings } from '../../../datasets/write.js';
import { OutputError, UsageError } from '../../core/errors.js';

/** How to write a file of this name: its header and its rows. Throws UsageError for an ending that names no format. */
export function formatOf(path: string, flag: string): { readonly header: string; row(row: WrittenRow): string } {
  const format = rowFormat(path);
  if (format !== undefined) return format;
  throw new UsageError(`${flag}: expected a file ending in ${writtenEndings.join(', ')}, got "${path}"`, {
    code: 'OUTPUT_FORMAT',
    hint: 'The ending picks the format.',
  });
}

/** Throws UsageError where the file exists. */
export function refuseExisting(path: string, flag: string): void {
  if (!existsSync(path)) return;
  throw new UsageError(`${flag}: ${path} exists already`, {
    code: 'OUTPUT_EXISTS',
    hint: 'Name another file, or --force to overwrite it.',
  });
}

/** Writes beside the file first. Throws OutputError. */
export async function written(
  path: string,
  flag: string,
  rows: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const beside = join(dirname(resolve(path)), `.${basename(path)}.${process.pid}.tmp`);
  let made = false;
  try {
    const file = await open(beside, 'wx');
    made = true;
    try {
      for await (const row of rows) await file.write(row);
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    if (made) await rm(beside, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) throw error;
    throw new OutputError(`${flag}: ${path} cannot be written: ${message}`, {
      code: 'OUTPUT_NOT_WRITABLE',
      hint: 'Choose another path.',
      cause: error,
    });
  }
}

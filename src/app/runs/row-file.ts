/** @file Data sets a command writes. */
import { existsSync } from 'node:fs';
import { type RowFormat, rowFormat, writtenEndings } from '../../../datasets/write.js';
import { UsageError } from '../../core/errors.js';

/** How to write a file of this name, both texts of pairs in columns of these names. Throws UsageError for an ending that names no format. */
export function formatOf(path: string, flag: string, pair?: readonly string[]): RowFormat {
  const format = rowFormat(path, pair);
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

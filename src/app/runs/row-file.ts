/** @file Data sets a command writes. */
import { existsSync } from 'node:fs';
import { type RowFormat, rowFormat, writtenEndings } from '../../../datasets/write.js';
import { RobustError } from '../../core/errors.js';

/** How to write a file of this name, both texts of pairs in columns of these names. Throws RobustError for an ending that names no format. */
export function formatOf(path: string, flag: string, pair?: readonly string[]): RowFormat {
  const format = rowFormat(path, pair);
  if (format !== undefined) return format;
  throw new RobustError(`${flag}: expected a file ending in ${writtenEndings.join(', ')}, got "${path}"`, {
    code: 'FORMAT_NOT_FOUND',
    hint: 'The ending picks the format.',
  });
}

/** Throws RobustError where the file exists. */
export function refuseExisting(path: string, flag: string): void {
  if (!existsSync(path)) return;
  throw new RobustError(`${flag}: ${path} exists already`, {
    code: 'OUTPUT_TAKEN',
    hint: 'Name another file, or --force to overwrite it.',
  });
}

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { OutputError } from '../../core/errors.js';

/** Writes a file that appears whole, or an earlier one stays. Throws OutputError. */
export function writeWhole(path: string, text: string, what: string): void {
  const aside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(aside, text);
    renameSync(aside, path);
  } catch (cause) {
    rmSync(aside, { force: true });
    throw new OutputError(`could not write ${what} to ${path}: ${(cause as Error).message}`, {
      code: 'OUTPUT_WRITE',
      hint: 'Make the folder writable, or choose another path.',
      cause,
    });
  }
}

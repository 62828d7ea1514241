/** @file Writes a file so that at every moment either the old or the new content is there, whole. */
import { open, rename, rm } from 'node:fs/promises';
import { OutputError } from '../core/errors.js';

/**
 * Writes beside `path`, flushes to the disk, then renames: a full disk or a crash leaves the old file as it was.
 * Throws OutputError (OUTPUT_UNWRITABLE).
 */
export async function writeAside(path: string, chunks: Iterable<Uint8Array | string>): Promise<void> {
  const aside = `${path}.partial`;
  try {
    const file = await open(aside, 'w');
    try {
      for (const chunk of chunks) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } catch (cause) {
    await rm(aside, { force: true });
    throw new OutputError(`${path}: could not be written: ${(cause as Error).message}`, {
      code: 'OUTPUT_UNWRITABLE',
      hint: 'Free some space or name another folder; what was there before is untouched.',
      cause,
    });
  }
}

import { existsSync } from 'node:fs';
import { UsageError } from '../core/errors.js';

/** The working folder of this process. Throws UsageError WORKING_FOLDER if it was removed or moved. */
export function workingFolder(): string {
  const folder = known();
  if (folder !== undefined && existsSync(folder)) return folder;
  throw new UsageError('the working folder does not exist any more', {
    code: 'WORKING_FOLDER',
    hint: 'It was removed or moved: change to another folder and run the command there.',
  });
}

function known(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

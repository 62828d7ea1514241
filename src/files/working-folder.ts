import { existsSync } from 'node:fs';
import { RobustError } from '../core/errors.js';

/** The working folder of this process. Throws RobustError FOLDER_NOT_FOUND if it was removed or moved. */
export function workingFolder(): string {
  const folder = known();
  if (folder !== undefined && existsSync(folder)) return folder;
  throw new RobustError('the working folder does not exist any more', {
    code: 'FOLDER_NOT_FOUND',
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

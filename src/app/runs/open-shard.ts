import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../../core/errors.js';
import { isTemporaryName } from '../../files/temporary-path.js';
import { openRun, type RunFolder } from '../../run/index.js';
import { RUNS } from './runs.js';

const isRun = (path: string): boolean => existsSync(join(path, 'run.json'));

const within = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path, { withFileTypes: true }).flatMap((each) =>
        each.isDirectory() && !isTemporaryName(each.name) ? [join(path, each.name)] : [],
      )
    : [];

/**
 * The run in a folder: the folder itself, or the only one in it or in its .robust/runs, as artifacts of CI jobs are laid out.
 * Throws RobustError.
 */
export async function openShard(path: string): Promise<RunFolder> {
  const found = isRun(path) ? [path] : [...within(path), ...within(join(path, RUNS))].filter(isRun);
  if (found.length > 1)
    throw new RobustError(`${path}: expected one run, found ${found.length}`, {
      code: 'SHARD_INVALID',
      hint: `Name the folder of one of them, such as ${found[0]}.`,
    });
  return openRun(RUNS, found[0] ?? path);
}

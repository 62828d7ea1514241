/** @file `--shard i/n`, `--shard auto` and `--shard auto/n`. */
import { RobustError } from '../../core/errors.js';
import type { Shard } from '../../run/index.js';

const HINT = 'For example: --shard 2/4, or --shard auto in a job array.';

/** Throws RobustError for what is no shard, or where the environment does not say which. */
export function shardOf(text: string, env: NodeJS.ProcessEnv): Shard {
  const [, which, , total] = /^(auto|(\d+))(?:\/(\d+))?$/.exec(text.trim()) ?? [];
  if (which === undefined || (which !== 'auto' && total === undefined))
    throw new RobustError(`--shard: expected i/n, auto or auto/n, got "${text}"`, {
      code: 'SHARD_INVALID',
      hint: HINT,
    });
  const found = which === 'auto' ? fromEnvironment(env) : { index: Number(which), count: undefined };
  const count = total === undefined ? found.count : Number(total);
  if (count === undefined)
    throw new RobustError(`--shard: ${found.index} of how many? The environment does not say`, {
      code: 'SHARD_INVALID',
      hint: 'Say it: --shard auto/4.',
    });
  if (!(found.index >= 1 && found.index <= count))
    throw new RobustError(`--shard: expected a part from 1 to ${count}, got ${found.index}`, {
      code: 'SHARD_INVALID',
      hint: HINT,
    });
  return { index: found.index, count };
}

/** 1-based. */
interface ShardFile {
  readonly index: number;
  readonly count: number | undefined;
}

/**
 * Kubernetes Indexed Jobs number from 0 and do not say how many there are. Slurm arrays number as the user chose, GitLab and
 * others (CI_NODE_INDEX) from 1.
 */
function fromEnvironment(env: NodeJS.ProcessEnv): ShardFile {
  const number = (name: string): number | undefined => (/^\d+$/.test(env[name] ?? '') ? Number(env[name]) : undefined);
  const completion = number('JOB_COMPLETION_INDEX');
  if (completion !== undefined) return { index: completion + 1, count: undefined };
  const task = number('SLURM_ARRAY_TASK_ID');
  if (task !== undefined) {
    const least = number('SLURM_ARRAY_TASK_MIN') ?? 1;
    return { index: task - least + 1, count: number('SLURM_ARRAY_TASK_COUNT') };
  }
  const node = number('CI_NODE_INDEX');
  if (node !== undefined) return { index: node, count: number('CI_NODE_TOTAL') };
  throw new RobustError(
    '--shard auto: expected JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID or CI_NODE_INDEX, found none',
    { code: 'SHARD_INVALID', hint: HINT },
  );
}

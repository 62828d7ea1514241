import { expect, test } from 'vitest';
import { shardOf } from '../../src/app/runs/shard.js';

test.each<[string, Record<string, string>, [number, number]]>([
  ['2/4', {}, [2, 4]],
  ['auto/4', { JOB_COMPLETION_INDEX: '0' }, [1, 4]],
  ['auto', { SLURM_ARRAY_TASK_ID: '7', SLURM_ARRAY_TASK_MIN: '5', SLURM_ARRAY_TASK_COUNT: '4' }, [3, 4]],
  ['auto', { SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_COUNT: '3' }, [3, 3]],
  ['auto', { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' }, [1, 2]],
])('%s in %j', (text, env, [index, count]) => expect(shardOf(text, env)).toEqual({ index, count }));

test.each<[string, Record<string, string>, RegExp]>([
  ['0/4', {}, /from 1 to 4, got 0/],
  ['5/4', {}, /from 1 to 4, got 5/],
  ['1', {}, /expected i\/n/],
  ['x/y', {}, /expected i\/n/],
  ['auto', {}, /expected JOB_COMPLETION_INDEX/],
  ['auto', { JOB_COMPLETION_INDEX: '2' }, /3 of how many/],
  ['auto', { CI_NODE_INDEX: '3', CI_NODE_TOTAL: '2' }, /from 1 to 2, got 3/],
])('%s in %j is refused', (text, env, told) => expect(() => shardOf(text, env)).toThrow(told));

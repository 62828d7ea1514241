import { shardOf } from '../../app/runs/shard.js';

/** With the part that the environment names, as a number: whoever resumes or replays it needs no job array. */
export function shardHere<T extends { readonly shard?: string | undefined }>(choice: T, env: NodeJS.ProcessEnv): T {
  if (choice.shard === undefined) return choice;
  const { index, count } = shardOf(choice.shard, env);
  return { ...choice, shard: `${index}/${count}` };
}

/** @file The state that a worker publishes every few seconds for its coordinators and `robust queue status`. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { machineSchema } from './messages.js';
import { keys } from './redis.js';

const workerStateSchema = z.object({
  id: z.string(),
  machine: machineSchema,
  concurrency: z.number().int().min(1),
  /** Since it began. */
  outcomes: z.number().min(0),
  /** The jobs it works on. */
  jobs: z.array(z.string()),
});
export type WorkerState = z.infer<typeof workerStateSchema>;

/** A worker that has published nothing for this long is gone. */
const LIFE_MS = 15_000;

export async function publishState(redis: Redis, state: WorkerState): Promise<void> {
  await redis.set(keys.worker(state.id), JSON.stringify(state), 'PX', LIFE_MS);
  await redis.sadd(keys.workers, state.id);
}

export async function forgetState(redis: Redis, id: string): Promise<void> {
  await redis.del(keys.worker(id));
  await redis.srem(keys.workers, id);
}

/** Workers that published their state recently. */
export async function liveWorkers(redis: Redis): Promise<WorkerState[]> {
  const ids = await redis.smembers(keys.workers);
  if (ids.length === 0) return [];
  const texts = await redis.mget(ids.map((id) => keys.worker(id)));
  const gone = ids.filter((_, at) => texts[at] === null);
  if (gone.length > 0) await redis.srem(keys.workers, ...gone);
  return texts.flatMap((text) => {
    try {
      return [workerStateSchema.parse(JSON.parse(text ?? ''))];
    } catch {
      return [];
    }
  });
}

/** Jobs that fail, are tried again, or are forgotten by the queue: on a real one, with workers of a line each. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Content, hashOf } from '../../src/fleet/content.js';
import { Dispatcher, removeJobs } from '../../src/fleet/dispatcher.js';
import { thisMachine } from '../../src/fleet/machines.js';
import { type FleetShard, jobSchema, packDelivery } from '../../src/fleet/messages.js';
import type { Phase } from '../../src/fleet/phases.js';
import { type Broker, CRASHED, openBroker } from '../../src/fleet/redis.js';
import { hasRedis, type TestRedis, testRedis } from './redis.js';

const sha = '0'.repeat(64);

/** As many shards of one example as asked for. */
function countdown(shards: number) {
  const left = new Set(Array.from({ length: shards }, (_, at) => at));
  const split: number[] = [];
  let next = 0;
  const shard = (from: number): FleetShard => ({ kind: 'clean', from, to: from + 1, attacks: [] });
  const phase: Phase = {
    kind: 'clean',
    next: async () => (next < shards ? { shard: shard(next++), content: '' } : undefined),
    adopts: () => true,
    lacks: ({ from }) => left.has(from),
    split({ shard: { from } }) {
      split.push(from);
      left.delete(from);
      return [];
    },
    take: ({ from }) => void left.delete(from),
  };
  return { phase, split };
}

describe.skipIf(!hasRedis)('jobs on a Redis (redis-server)', () => {
  let redis: TestRedis;
  let broker: Broker;
  beforeAll(async () => {
    redis = await testRedis('--maxmemory-policy', 'noeviction');
    broker = await openBroker(redis.url, '0', () => {});
  });
  afterAll(async () => {
    await broker?.close();
    await redis?.kill();
  });

  /** `work` of each shard: throws where it fails. */
  function dispatched(run: string, shards: number, work: (at: number) => Promise<void>) {
    const { phase, split } = countdown(shards);
    const content = new Content(broker.redis, sha, undefined, mkdtempSync(join(tmpdir(), 'robust-content-')));
    const dispatcher = new Dispatcher(broker, content, { run, key: hashOf(run), plan: sha });
    const machine = thisMachine('0', '1');
    const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
    const worker = new Worker(
      broker.queue.name,
      async (job) => {
        await work(jobSchema.parse(job.data).shard.from);
        await job.log(packDelivery({ machine, seconds: 0, found: '' }));
      },
      { connection: connection as never, prefix: 'robust', concurrency: 4 },
    );
    worker.on('error', () => {});
    const close = async () => {
      await worker.close(true);
      connection.disconnect();
    };
    return { ended: dispatcher.run(phase, undefined, () => {}), split, close };
  }

  test('a run whose shards failed says with what, once all others are done', async () => {
    const worked: number[] = [];
    const { ended, close } = dispatched('failing', 3, async (at) => {
      if (at === 1) throw new UnrecoverableError('no luck');
      worked.push(at);
    });
    await expect(ended).rejects.toMatchObject({
      code: 'QUEUE_PARTS_FAILED',
      message: '1 job of run failing failed on the workers, the first: no luck',
      hint: expect.stringContaining('--resume failing'),
    });
    expect(worked).toHaveLength(2);
    await close();
    await broker.queue.clean(0, 100, 'failed');
  });

  test('a shard whose process crashes at each try is divided', async () => {
    const tries: number[] = [];
    const { ended, split, close } = dispatched('crashing', 3, async (at) => {
      if (at !== 2) return;
      tries.push(at);
      throw new Error(`${CRASHED}: 1`);
    });
    await ended;
    expect([tries.length, split]).toEqual([2, [2]]);
    await close();
  });

  test('what the queue forgets is given out again', async () => {
    let flushed = false;
    const { ended, close } = dispatched('forgotten', 3, async () => {
      // All are under way until then, and forgotten.
      while (!flushed) await new Promise(setImmediate);
    });
    while ((await broker.queue.getActiveCount()) < 3) await new Promise(setImmediate);
    await broker.redis.flushall();
    flushed = true;
    await ended;
    expect(await broker.queue.getJobCounts()).toMatchObject({ active: 0, waiting: 0, completed: 3, failed: 0 });
    await removeJobs(broker.queue, hashOf('forgotten'));
    expect(await broker.queue.getJobCounts()).toMatchObject({ active: 0, waiting: 0, completed: 0, failed: 0 });
    await close();
  });
});

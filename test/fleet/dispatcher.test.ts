/** Jobs that fail, are tried again, or are forgotten by the queue: on a real one, with workers of a line each. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administer } from '../../src/fleet/administration.js';
import { Content } from '../../src/fleet/content.js';
import { CRASH, Dispatcher } from '../../src/fleet/dispatcher.js';
import { thisMachine } from '../../src/fleet/machines.js';
import { type FleetShard, jobSchema, packDelivery } from '../../src/fleet/messages.js';
import type { Phase } from '../../src/fleet/phases.js';
import { type Broker, keys, openBroker } from '../../src/fleet/redis.js';
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
    next: async () => (next < shards ? shard(next++) : undefined),
    onTaken() {},
    lacks: ({ from }) => left.has(from),
    input: async () => '',
    async split({ from }) {
      split.push(from);
      left.delete(from);
      return [];
    },
    take: ({ from }) => void left.delete(from),
    onClosed() {},
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
    const content = new Content(broker.redis, run, undefined, mkdtempSync(join(tmpdir(), 'robust-content-')));
    const dispatcher = new Dispatcher(broker, content, run, sha);
    const machine = thisMachine('0', '1');
    const worker = broker.worker(
      async ({ id, data }) => {
        await work(jobSchema.parse(data).shard.from);
        await broker.redis.rpushx(keys.journal(id), packDelivery({ machine, seconds: {}, end: true }, ''));
      },
      { concurrency: 4, lock: 30_000 },
    );
    void worker.run();
    return { ended: dispatcher.run(phase, undefined, () => {}), split, close: () => worker.close(true) };
  }

  test('a run whose shards failed says with what, once all others are done', async () => {
    const worked: number[] = [];
    const { ended, close } = dispatched('failing', 3, async (at) => {
      if (at === 1) throw broker.unrecoverable('no luck');
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
      throw new Error(`${CRASH} (SIGKILL)`);
    });
    await ended;
    expect([tries.length, split]).toEqual([3, [2]]);
    await close();
  });

  test('robust queue retry has them tried again, and what the queue forgets is given out again', async () => {
    let mended = false;
    let flushed = false;
    const { ended, close } = dispatched('mended', 3, async (at) => {
      if (at === 0 && !mended) throw broker.unrecoverable('no disk');
      // The others are under way until then; all are forgotten.
      while (!flushed && at > 0) await new Promise(setImmediate);
    });
    const status = (action: 'status' | 'retry') => administer(redis.url, '0', action, undefined, () => {});
    await broker.redis.sadd(keys.runs, 'mended');
    await broker.redis.hset(keys.run('mended'), { version: '0' });
    while ((await status('status')).failures[0] !== 'no disk');
    mended = true;
    expect((await status('retry')).jobs.failed).toBe(0);
    await broker.redis.flushall();
    flushed = true;
    await ended;
    expect(await broker.redis.hlen(keys.jobs('mended'))).toBe(0);
    expect(await broker.redis.keys('robust:journal:mended*')).toEqual([]);
    await close();
  });
});

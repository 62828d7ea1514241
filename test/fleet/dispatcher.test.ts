/** Jobs that fail, are tried again, or are forgotten by the broker: on a real one, with workers of a line each. */
import type { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { administer } from '../../src/fleet/administration.js';
import { Dispatcher } from '../../src/fleet/dispatcher.js';
import { type FleetJob, queuedJobSchema } from '../../src/fleet/messages.js';
import type { Phase } from '../../src/fleet/phase.js';
import { type Broker, keys, openBroker } from '../../src/fleet/redis.js';
import { hasRedis, type TestRedis, testRedis } from './redis.js';

const sha = '0'.repeat(64);

/** As many jobs as asked for, of which `done` says when one is. */
function countdown(jobs: number) {
  const left = new Set(Array.from({ length: jobs }, (_, at) => at));
  let next = 0;
  const phase: Phase = {
    kind: 'answers',
    async next() {
      return next < jobs ? { kind: 'answers', from: next, to: ++next, texts: sha } : undefined;
    },
    onTaken() {},
    rest: (job) => (job.kind === 'answers' && left.has(job.from) ? [job] : []),
    splitJob: async () => [],
    receive() {},
  };
  return { phase, done: (job: FleetJob) => job.kind === 'answers' && left.delete(job.from) };
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

  /** `work` of each job: throws where it fails. */
  function dispatched(run: string, jobs: number, work: (job: FleetJob) => Promise<void>) {
    const { phase, done } = countdown(jobs);
    const dispatcher = new Dispatcher(broker.queue, run, sha);
    const worker = broker.worker(
      async ({ id, data }) => {
        const { job } = queuedJobSchema.parse(data);
        await work(job);
        done(job);
        dispatcher.onEnd(id, 'done', phase);
      },
      { concurrency: 4, lock: 30_000 },
    );
    void worker.run();
    return { ended: dispatcher.run(phase, async () => {}), close: () => worker.close(true) };
  }

  test('a run whose jobs failed says with what, once all others are done', async () => {
    const worked: FleetJob[] = [];
    const { ended, close } = dispatched('failing', 3, async (job) => {
      if (job.kind === 'answers' && job.from === 1) throw broker.unrecoverable('no luck');
      worked.push(job);
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

  test('robust queue retry has them tried again, and what the broker forgets is given out again', async () => {
    let mended = false;
    let flushed = false;
    const { ended, close } = dispatched('mended', 3, async (job) => {
      if (job.kind !== 'answers') return;
      if (job.from === 0 && !mended) throw broker.unrecoverable('no disk');
      // The others are under way until then; one of them is forgotten.
      while (!flushed && job.from > 0) await new Promise(setImmediate);
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
    await close();
  });
});

test('what a job delivered before it was seen to be gone is read before it is given out again', async () => {
  const { phase, done } = countdown(3);
  const inbox: string[] = [];
  const jobs = new Map<string, FleetJob>();
  // Each job delivers and ends between the look into the inbox and the question for its state.
  const queue = {
    getJobs: async () => [],
    add: async (_: string, { job }: { job: FleetJob }, { jobId }: { jobId: string }) => void jobs.set(jobId, job),
    getJobState: async (id: string) => {
      inbox.push(id);
      return 'completed';
    },
  } as unknown as Queue;
  const dispatcher = new Dispatcher(queue, 'unread', sha);
  vi.useFakeTimers();
  try {
    const ended = dispatcher.run(phase, async () => {
      for (const id of inbox.splice(0)) {
        done(jobs.get(id) as FleetJob);
        dispatcher.onEnd(id, 'done', phase);
      }
    });
    await vi.advanceTimersByTimeAsync(10_000);
    await ended;
  } finally {
    vi.useRealTimers();
  }
  expect(jobs.size).toBe(3);
});

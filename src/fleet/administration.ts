/** @file The state of a queue for people, and their commands to it. */
import type { JobType } from 'bullmq';
import { RobustError } from '../core/errors.js';
import type { QueueStatus } from '../core/queue-status.js';
import { didYouMean } from '../core/suggest.js';
import { jobSchema } from './messages.js';
import { type Broker, keys, openBroker, shownUrl } from './redis.js';
import { liveWorkers } from './worker-state.js';

export type QueueAction = 'status' | 'pause' | 'resume' | 'drain' | 'retry';

/** Carries out an action and returns the state after it. `run`: drain or retry this run alone. Throws RobustError, and as `openBroker` does. */
export async function administer(
  url: string,
  toolVersion: string,
  action: QueueAction,
  run: string | undefined,
  warn: (message: string) => void,
): Promise<QueueStatus> {
  const broker = await openBroker(url, toolVersion, warn);
  try {
    const alive = await runsAlive(broker);
    if (run !== undefined && !alive.includes(run)) {
      throw new RobustError(`expected a run on this queue, got "${run}"`, {
        code: 'RUN_NOT_FOUND',
        hint: alive.length === 0 ? 'The queue has no runs.' : didYouMean(run, alive),
      });
    }
    await ACTIONS[action](broker, run === undefined ? alive : [run], run);
    return await queueStatus(broker, url);
  } finally {
    await broker.close();
  }
}

type Action = (broker: Broker, runs: readonly string[], run: string | undefined) => Promise<unknown>;

const ACTIONS: Readonly<Record<QueueAction, Action>> = {
  status: async () => {},
  pause: ({ queue }) => queue.pause(),
  resume: ({ queue }) => queue.resume(),
  async drain(broker, runs, run) {
    for (const name of runs) await broker.redis.sadd(keys.drained, name);
    for (const job of await jobsOf(broker, ['waiting', 'delayed', 'prioritized'], run))
      await job.remove().catch(() => {});
  },
  async retry(broker, _, run) {
    for (const job of await jobsOf(broker, ['failed'], run)) await job.retry('failed', { resetAttemptsMade: true });
  },
};

/** Jobs in these states of one run, or of all. */
async function jobsOf({ queue }: Broker, states: JobType[], run: string | undefined) {
  return (await queue.getJobs(states)).filter((job) => {
    const of = jobSchema.safeParse(job?.data).data?.run;
    return of !== undefined && (run === undefined || run === of);
  });
}

/** Runs that have a coordinator, or had one of late. */
async function runsAlive({ redis }: Broker): Promise<string[]> {
  const alive: string[] = [];
  for (const name of (await redis.smembers(keys.runs)).sort()) {
    if ((await redis.exists(keys.run(name))) === 1) alive.push(name);
    else await redis.srem(keys.runs, name);
  }
  return alive;
}

/** How things are on the queue at this address. */
async function queueStatus(broker: Broker, url: string): Promise<QueueStatus> {
  const { redis, queue } = broker;
  const alive = await runsAlive(broker);
  const failed = await queue.getJobs(['failed'], 0, 100);
  const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized', 'failed');
  const { waiting = 0, active = 0, delayed = 0, prioritized = 0, failed: lost = 0 } = counts;
  return {
    queue: shownUrl(url),
    paused: await queue.isPaused(),
    jobs: { waiting: waiting + delayed + prioritized, active, failed: lost },
    runs: await Promise.all(
      alive.map(async (name) => {
        const found = await redis.hgetall(keys.run(name));
        const { model = '', data = '', version = '', stage = '', host = '', pid = '', beat = '' } = found;
        const [done, total, rate] = [Number(found.done ?? 0), Number(found.total ?? 0), Number(found.rate ?? 0)];
        const how = { done, total, rate, left: rate > 0 ? (total - done) / rate : null };
        return { run: name, model, data, version, stage, ...how, coordinator: `${host}:${pid}`, seen: beat };
      }),
    ),
    workers: await liveWorkers(redis),
    failures: [...new Set(failed.map((job) => (job?.failedReason ?? '').split('\n')[0]!))],
  };
}

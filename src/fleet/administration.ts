/** @file The state of a queue for people. Its jobs are BullMQ's, whose dashboards show more. */
import type { QueueStatus } from '../core/queue-status.js';
import { keys, openBroker, shownUrl, workersOn } from './redis.js';

export type QueueAction = 'status' | 'pause' | 'resume';

/** Carries out an action and returns the state after it. Throws as `openBroker` does. */
export async function administer(
  url: string,
  toolVersion: string,
  action: QueueAction,
  warn: (message: string) => void,
): Promise<QueueStatus> {
  const broker = await openBroker(url, toolVersion, warn);
  try {
    const { redis, queue } = broker;
    if (action !== 'status') await queue[action]();
    const { waiting = 0, delayed = 0, active = 0, failed = 0 } = await queue.getJobCounts();
    const runs = await Promise.all((await redis.smembers(keys.runs)).map((run) => redis.hgetall(keys.run(run))));
    const failures = await queue.getFailed(0, 100);
    return {
      queue: shownUrl(url),
      paused: await queue.isPaused(),
      jobs: { waiting: waiting + delayed, active, failed },
      runs: runs
        .filter(({ run }) => run !== undefined)
        .map(({ run = '', model = '', data = '', version = '', stage = '', host, pid, beat = '', ...figures }) => {
          const [done, total, rate] = [figures.done, figures.total, figures.rate].map((each) => Number(each ?? 0)) as [
            number,
            number,
            number,
          ];
          const how = { done, total, rate, left: rate > 0 ? (total - done) / rate : null };
          return { run, model, data, version, stage, ...how, coordinator: `${host}:${pid}`, seen: beat };
        }),
      workers: await workersOn(queue),
      failures: [...new Set(failures.map((job) => (job?.failedReason ?? '').split('\n')[0]!))],
    };
  } finally {
    await broker.close();
  }
}

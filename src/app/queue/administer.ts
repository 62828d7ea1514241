/** @file `robust queue`: the state of a queue for people. Its jobs are BullMQ's, whose dashboards show more. */
import { type Broker, explainedBroker, openBroker, runsOn, shownUrl, workersOn } from '../../fleet/redis.js';
import type { QueueStatus } from '../../results/report/queue-status.js';
import { toolVersion } from '../context.js';

type QueueAction = 'status' | 'pause' | 'resume';

/** Carries out an action and returns the state after it. Throws as `openBroker` does. */
export async function administerQueue(
  url: string,
  action: QueueAction,
  warn: (message: string) => void,
  version = toolVersion,
): Promise<QueueStatus> {
  const broker = await openBroker(url, version, warn);
  try {
    return await explainedBroker(carryOut(broker, action, shownUrl(url)));
  } finally {
    await broker.close();
  }
}

async function carryOut({ redis, queue }: Broker, action: QueueAction, shown: string): Promise<QueueStatus> {
  if (action !== 'status') await queue[action]();
  const { waiting = 0, delayed = 0, active = 0, failed = 0 } = await queue.getJobCounts();
  const failures = await queue.getFailed(0, 100);
  return {
    queue: shown,
    paused: await queue.isPaused(),
    jobs: { waiting: waiting + delayed, active, failed },
    runs: (await runsOn(redis)).map((run) => ({
      ...run,
      left: run.rate > 0 ? (run.total - run.done) / run.rate : null,
    })),
    workers: await workersOn(queue),
    failures: [...new Set(failures.map((job) => (job?.failedReason ?? '').split('\n')[0]!))],
  };
}

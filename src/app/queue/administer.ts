/** @file `robust queue`: what is on a queue, for people. */
import { quantity } from '../../core/figure-text.js';
import { administer, type QueueAction, type QueueStatus } from '../../fleet/administration.js';
import { toolVersion } from '../context.js';
import { clock } from '../progress.js';

/** Carries out an action on a queue and returns its state; `run` is for drain and retry. Throws UsageError, RobustError QUEUE_UNREACHABLE. */
export const administerQueue = (
  queue: string,
  action: QueueAction,
  run: string | undefined,
  warn: (message: string) => void,
): Promise<QueueStatus> => administer(queue, toolVersion, action, run, warn);

const share = (done: number, total: number): string => (total === 0 ? '' : ` (${((100 * done) / total).toFixed(1)} %)`);

const slowest = ({ slowest: [first] }: QueueStatus['workers'][number]): string =>
  first === undefined ? '' : `; longest under way: ${first.what}, ${clock(first.seconds)}`;

/** One fact a line. */
export function queueText({ queue, paused, jobs, runs, workers, failures }: QueueStatus): string {
  const lines = [
    `${queue}: ${quantity(jobs.waiting, 'job')} wait, ${jobs.active} are worked on, ${jobs.failed} failed${paused ? '; paused' : ''}`,
    ...runs.map(
      ({ run, model, data, stage, done, total, rate, left, coordinator, seen }) =>
        `run ${run}, ${model} on ${data}: ${stage}, ${done} of ${total}${share(done, total)}, ${rate.toFixed(1)} a second${left === null ? '' : `, ${clock(left)} left`}; coordinator ${coordinator}, last seen ${seen}`,
    ),
    ...workers.map(
      (worker) =>
        `worker ${worker.id}, ${worker.machine.processor}: ${worker.jobs.length} of ${quantity(worker.concurrency, 'job')}, ${quantity(worker.outcomes, 'outcome')}, ${worker.rate.toFixed(1)} a second${slowest(worker)}`,
    ),
    ...failures.map((failure) => `failed: ${failure}`),
  ];
  return `${lines.join('\n')}\n`;
}

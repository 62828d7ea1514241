/** @file Metrics of coordinator and worker. */
import { openMetrics } from '../http/open-metrics.js';
import type { FleetProgress } from './phase.js';
import type { WorkerState } from './worker-state.js';

export const runMetrics = (
  run: string,
  { done, total, repeated, rate }: Omit<FleetProgress, 'stage'>,
  workers: readonly WorkerState[],
  outstanding: number,
): string =>
  openMetrics([
    {
      name: 'robust_run_outcomes',
      type: 'gauge',
      help: 'Outcomes, or answers in the clean pass, that are kept.',
      samples: [[{ run }, done]],
    },
    { name: 'robust_run_outcomes_expected', type: 'gauge', help: 'Of how many.', samples: [[{ run }, total]] },
    {
      name: 'robust_run_outcomes_per_second',
      type: 'gauge',
      help: 'Of those kept, over the last minute.',
      samples: [[{ run }, rate]],
    },
    {
      name: 'robust_run_seconds_left',
      type: 'gauge',
      help: 'At that rate.',
      samples: rate > 0 ? [[{ run }, (total - done) / rate]] : [],
    },
    {
      name: 'robust_run_outcomes_repeated',
      type: 'counter',
      help: 'Outcomes that were found twice.',
      samples: [[{ run }, repeated]],
    },
    { name: 'robust_run_jobs', type: 'gauge', help: 'Jobs given out and not done.', samples: [[{ run }, outstanding]] },
    {
      name: 'robust_fleet_workers',
      type: 'gauge',
      help: 'Workers that spoke of late.',
      samples: [[{}, workers.length]],
    },
    {
      name: 'robust_fleet_slots',
      type: 'gauge',
      help: 'Jobs that can run at once.',
      samples: [[{}, workers.reduce((sum, { concurrency }) => sum + concurrency, 0)]],
    },
    {
      name: 'robust_fleet_outcomes_per_second',
      type: 'gauge',
      help: 'What each worker found, over the last minute.',
      samples: workers.map(({ id, rate: each }) => [{ worker: id }, each]),
    },
    {
      name: 'robust_fleet_slowest_seconds',
      type: 'gauge',
      help: 'How long the searches under way that began first have taken.',
      samples: workers.flatMap(({ id, slowest }) =>
        slowest.map(({ what, seconds }) => [{ worker: id, what }, seconds] as const),
      ),
    },
  ]);

export const workerMetrics = ({ id, outcomes, asked, seconds, idle, jobs }: WorkerState): string =>
  openMetrics([
    { name: 'robust_worker_outcomes', type: 'counter', help: 'Outcomes found.', samples: [[{ worker: id }, outcomes]] },
    {
      name: 'robust_worker_texts',
      type: 'counter',
      help: 'Texts asked by searches.',
      samples: [[{ worker: id }, asked]],
    },
    {
      name: 'robust_worker_seconds',
      type: 'counter',
      help: 'Seconds since it began.',
      samples: [[{ worker: id }, seconds]],
    },
    {
      name: 'robust_worker_idle_seconds',
      type: 'counter',
      help: 'Of these, without a job that had begun.',
      samples: [[{ worker: id }, idle]],
    },
    { name: 'robust_worker_jobs', type: 'gauge', help: 'Jobs under way.', samples: [[{ worker: id }, jobs.length]] },
  ]);

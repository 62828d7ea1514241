/** @file Metrics of coordinator and worker. */
import { type MetricSeries, openMetrics } from '../http/open-metrics.js';
import type { FleetProgress } from './phase.js';
import type { WorkerState } from './worker-state.js';

type SeriesRow = readonly [name: string, help: string, value: number | MetricSeries['samples']];

/** A series a row; a number is that of `labels`. */
const seriesOf = (type: 'gauge' | 'counter', labels: Readonly<Record<string, string>>, rows: readonly SeriesRow[]) =>
  rows.map(([name, help, value]): MetricSeries => {
    return { name, type, help, samples: typeof value === 'number' ? [[labels, value]] : value };
  });

export const runMetrics = (
  run: string,
  { done, total, repeated, rate }: Omit<FleetProgress, 'stage'>,
  workers: readonly WorkerState[],
  outstanding: number,
): string => {
  const left = rate > 0 ? (total - done) / rate : [];
  const slots = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const rates = workers.map(({ id, rate: each }) => [{ worker: id }, each] as const);
  const slowest = workers.flatMap(({ id, slowest: searches }) =>
    searches.map(({ what, seconds }) => [{ worker: id, what }, seconds] as const),
  );
  return openMetrics([
    ...seriesOf('gauge', { run }, [
      ['robust_run_outcomes', 'Outcomes, or answers in the clean pass, that are kept.', done],
      ['robust_run_outcomes_expected', 'Expected outcomes, or answers in the clean pass.', total],
      ['robust_run_outcomes_per_second', 'Increase of the outcomes kept, over the last minute.', rate],
      ['robust_run_seconds_left', 'At that rate.', left],
    ]),
    ...seriesOf('counter', { run }, [['robust_run_outcomes_repeated', 'Outcomes that were found twice.', repeated]]),
    ...seriesOf('gauge', { run }, [['robust_run_jobs', 'Jobs given out and not done.', outstanding]]),
    ...seriesOf('gauge', {}, [
      ['robust_fleet_workers', 'Workers that spoke of late.', workers.length],
      ['robust_fleet_slots', 'Jobs that can run at once.', slots],
      ['robust_fleet_outcomes_per_second', 'Outcomes of each worker, over the last minute.', rates],
      ['robust_fleet_slowest_seconds', 'How long the searches under way that began first have taken.', slowest],
    ]),
  ]);
};

export const workerMetrics = ({ id, outcomes, asked, seconds, idle, jobs }: WorkerState): string =>
  openMetrics([
    ...seriesOf('counter', { worker: id }, [
      ['robust_worker_outcomes', 'Outcomes found.', outcomes],
      ['robust_worker_texts', 'Queries of searches.', asked],
      ['robust_worker_seconds', 'Seconds since it began.', seconds],
      ['robust_worker_idle_seconds', 'Seconds without a job that had begun.', idle],
    ]),
    ...seriesOf('gauge', { worker: id }, [['robust_worker_jobs', 'Jobs under way.', jobs.length]]),
  ]);

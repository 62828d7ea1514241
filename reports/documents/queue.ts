/** @file The runs, workers and failures on a queue. */
import { quantity } from '../../src/core/figure-text.js';
import { type Document, type Inline, type Section, strong, table } from '../../src/results/report/document.js';
import type { QueueStatus } from '../../src/results/report/queue-status.js';
import { percent } from '../figures.js';

/** Seconds as whoever waits reads them. */
const waiting = (seconds: number): string =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : seconds < 5400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;

export function queueDocument({ queue, paused, jobs, runs, workers, failures }: QueueStatus): Document {
  const section = (
    id: string,
    title: string,
    caption: string,
    heads: readonly string[],
    rows: Inline[][],
  ): Section => ({ id, title, blocks: [table(caption, heads, rows)] });
  return {
    title: `Queue ${queue}`,
    lead: [
      strong(queue),
      `: ${quantity(jobs.waiting, 'job')} wait, ${jobs.active} are worked on, ${jobs.failed} failed${paused ? '; paused' : ''}`,
    ],
    sections: [
      section(
        'runs',
        'Runs',
        'Runs',
        ['run', 'model', 'data', 'stage', 'done', 'of', 'share', 'a second', 'left', 'coordinator', 'last seen'],
        runs.map((each) => [
          ...[each.run, each.model, each.data, each.stage, each.done, each.total],
          each.total === 0 ? '' : percent(each.done / each.total),
          ...[each.rate.toFixed(1), each.left === null ? '' : waiting(each.left), each.coordinator, each.seen],
        ]),
      ),
      section(
        'workers',
        'Workers',
        'Workers',
        ['worker', 'at once'],
        workers.map(({ id, concurrency }) => [id, concurrency]),
      ),
      ...(failures.length === 0
        ? []
        : [
            section(
              'failures',
              'Failed jobs',
              'Failed',
              ['why'],
              failures.map((why) => [why]),
            ),
          ]),
    ],
  };
}

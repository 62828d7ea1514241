/** @file The runs, workers and failures on a queue. */
import { quantity } from '../../src/core/figure-text.js';
import { type Document, strong, table } from '../../src/plugin.js';
import { percent } from '../figures.js';

export interface QueueData {
  readonly queue: string;
  readonly paused: boolean;
  readonly jobs: { readonly waiting: number; readonly active: number; readonly failed: number };
  readonly runs: readonly {
    readonly run: string;
    readonly model: string;
    readonly data: string;
    readonly stage: string;
    readonly done: number;
    readonly total: number;
    readonly rate: number;
    readonly left: number | null;
    readonly coordinator: string;
    readonly seen: string;
  }[];
  readonly workers: readonly {
    readonly id: string;
    readonly machine: { readonly processor: string };
    readonly concurrency: number;
    readonly jobs: readonly string[];
    readonly outcomes: number;
    readonly rate: number;
    readonly slowest: readonly { readonly what: string; readonly seconds: number }[];
  }[];
  readonly failures: readonly string[];
}

/** Seconds as whoever waits reads them. */
const waiting = (seconds: number): string =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : seconds < 5400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;

export function queueDocument({ queue, paused, jobs, runs, workers, failures }: QueueData): Document {
  const slowest = workers
    .flatMap(({ id, slowest: each }) => each.map(({ what, seconds }) => ({ id, what, seconds })))
    .sort((a, b) => b.seconds - a.seconds);
  return {
    title: `Queue ${queue}`,
    lead: [
      strong(queue),
      `: ${quantity(jobs.waiting, 'job')} wait, ${jobs.active} are worked on, ${jobs.failed} failed${paused ? '; paused' : ''}`,
    ],
    sections: [
      {
        id: 'runs',
        title: 'Runs',
        blocks: [
          table(
            'Runs',
            ['run', 'model', 'data', 'stage', 'done', 'of', 'share', 'a second', 'left', 'coordinator', 'last seen'],
            runs.map((each) => [
              ...[each.run, each.model, each.data, each.stage, each.done, each.total],
              each.total === 0 ? '' : percent(each.done / each.total),
              ...[each.rate.toFixed(1), each.left === null ? '' : waiting(each.left), each.coordinator, each.seen],
            ]),
          ),
        ],
      },
      {
        id: 'workers',
        title: 'Workers',
        blocks: [
          table(
            'Workers',
            ['worker', 'processor', 'jobs', 'at once', 'outcomes', 'a second'],
            workers.map(({ id, machine, jobs: own, concurrency, outcomes, rate }) => [
              ...[id, machine.processor, own.length, concurrency, outcomes, rate.toFixed(1)],
            ]),
          ),
        ],
      },
      {
        id: 'slowest',
        title: 'Longest under way',
        blocks: [
          table(
            'Searches',
            ['search', 'for', 'on'],
            slowest.map(({ id, what, seconds }) => [what, waiting(seconds), id]),
          ),
        ],
      },
      ...(failures.length === 0
        ? []
        : [
            {
              id: 'failures',
              title: 'Failed jobs',
              blocks: [
                table(
                  'Failed',
                  ['why'],
                  failures.map((why) => [why]),
                ),
              ],
            },
          ]),
    ],
  };
}

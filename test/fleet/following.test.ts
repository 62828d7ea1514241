/** Progress of a run that others compute. */
import { expect, test } from 'vitest';
import { IdleTime } from '../../src/fleet/idle-time.js';
import { runMetrics, workerMetrics } from '../../src/fleet/metrics.js';
import { RecentRate } from '../../src/fleet/recent-rate.js';
import type { WorkerState } from '../../src/fleet/worker-state.js';
import { robust } from '../commands/cli.js';

const worker: WorkerState = {
  id: 'a:1',
  machine: {
    ...{ host: 'a', pid: 1, processor: 'p', instructions: [], platform: 'linux' },
    ...{ onnxruntime: '1', toolVersion: '0' },
  },
  concurrency: 2,
  outcomes: 120,
  asked: 6000,
  seconds: 60,
  idle: 1,
  rate: 1.5,
  slowest: [{ what: 'grow on example "7"', seconds: 31 }],
  jobs: ['j'],
};

test('a rate covers the last minute, and restarts with its count', () => {
  const rate = new RecentRate();
  expect(rate.perSecond).toBe(0);
  rate.note(0, 0);
  expect(rate.perSecond).toBe(0);
  for (let second = 1; second <= 100; second++) rate.note(10 * second, 1000 * second);
  expect(rate.perSecond).toBe(10);
  for (let second = 101; second <= 160; second++) rate.note(1000 + (second - 100), 1000 * second);
  expect(rate.perSecond).toBe(1);
  rate.note(0, 161_000);
  rate.note(4, 162_000);
  expect(rate.perSecond).toBe(4);
});

test('figures give the speed, the time left, the speed of each worker, and the slow searches', () => {
  const lines = runMetrics('r', { done: 40, total: 100, repeated: 1, rate: 2 }, [worker], 3).split('\n');
  expect(lines).toContain('robust_run_outcomes_per_second{run="r"} 2');
  expect(lines).toContain('robust_run_seconds_left{run="r"} 30');
  expect(lines).toContain('robust_fleet_outcomes_per_second{worker="a:1"} 1.5');
  expect(lines).toContain('robust_fleet_slowest_seconds{worker="a:1",what="grow on example \\"7\\""} 31');
  const still = runMetrics('r', { done: 40, total: 100, repeated: 1, rate: 0 }, [], 3);
  expect(still).not.toMatch(/^robust_run_seconds_left\{/m);
  expect(workerMetrics(worker)).toMatch(/^robust_worker_outcomes_total\{worker="a:1"\} 120$/m);
  expect(workerMetrics(worker)).toMatch(/^robust_worker_idle_seconds_total\{worker="a:1"\} 1$/m);
});

test('idle is the time without a job, of several at once without any', () => {
  const idle = new IdleTime(100);
  expect(idle.milliseconds(150)).toBe(50);
  idle.began(160);
  idle.began(170);
  idle.end(180);
  expect(idle.milliseconds(190)).toBe(60);
  idle.end(200);
  expect(idle.milliseconds(250)).toBe(110);
});

test('with --log json stderr is an object a line, an error too', async () => {
  const { code, stderr } = await robust(['worker', '--queue', 'redis://127.0.0.1:1', '--log', 'json']);
  expect(code).toBe(3);
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    code: 'QUEUE_UNREACHABLE',
    message: expect.stringContaining('127.0.0.1:1'),
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    pid: expect.any(Number),
  });
});

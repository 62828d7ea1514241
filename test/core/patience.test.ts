import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RobustError } from '../../src/core/errors.js';
import { IdleTimer, type TimeLimit, withinIdleTime, withinTime } from '../../src/core/patience.js';

const late = (): RobustError => new RobustError('late', { code: 'MODEL_UNREACHABLE' });
const never = new Promise<never>(() => {});

/** Patience of 10 s that notes who is called, and whose calls have ended. */
function patient() {
  const told: string[] = [];
  const patience: TimeLimit = {
    seconds: 10,
    begin: (what) => {
      told.push(`+${what}`);
      return () => told.push(`-${what}`);
    },
  };
  return { patience, told };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** How a promise has ended so far. */
async function state(promise: Promise<unknown>): Promise<string> {
  const end = promise.then(
    (value) => `gave ${value}`,
    (error: Error) => `threw ${error.message}`,
  );
  await vi.advanceTimersByTimeAsync(0);
  return Promise.race([end, Promise.resolve('under way')]);
}

test('a call ends with its answer, its error, or too late; the listener receives each end', async () => {
  const { patience, told } = patient();
  const call = (work: () => unknown) => state(withinTime(patience, 'm', work, late));
  expect(await call(() => 1)).toBe('gave 1');
  expect(
    await call(() => {
      throw new Error('no');
    }),
  ).toBe('threw no');
  const slow = withinTime(patience, 'm', () => never, late);
  slow.catch(() => {});
  await vi.advanceTimersByTimeAsync(9_999);
  expect(await state(slow)).toBe('under way');
  expect(told.join()).toBe('+m,-m,+m,-m,+m');
  await vi.advanceTimersByTimeAsync(1);
  expect(await state(slow)).toBe('threw late');
  expect(told.at(-1)).toBe('-m');
  expect(vi.getTimerCount()).toBe(0);
});

test('no time counts while a victim computes; it starts again with the answer', async () => {
  const { patience } = patient();
  const idle = new IdleTimer();
  const asks = async (): Promise<never> => {
    await idle.during(new Promise((resolve) => setTimeout(resolve, 60_000)));
    return never;
  };
  const run = withinIdleTime(patience, idle, 'mine', asks, late);
  run.catch(() => {});
  await vi.advanceTimersByTimeAsync(69_000);
  expect(await state(run)).toBe('under way');
  await vi.advanceTimersByTimeAsync(11_000);
  expect(await state(run)).toBe('threw late');
});

/** Times and rates of requests to an endpoint, without a network or a real clock. */
import { describe, expect, test } from 'vitest';
import { parseAnswer, valuesAt } from '../../src/protocols/json.js';
import { type Clock, Pace } from '../../src/remote/pace.js';
import { gridOf } from '../../src/remote/probe.js';
import { requestedWait } from '../../src/remote/retry-after.js';
import { milliseconds, perSecond } from '../../src/remote/units.js';
import { thrown } from '../refusal.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each<[Record<string, string>, number | undefined]>([
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after': '9' }, 9000],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }, 7000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
  [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
  [{ 'x-ratelimit-reset-requests': '20ms', 'x-ratelimit-remaining-requests': '0' }, 20],
  [{ 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '17' }, undefined],
  [{ 'x-ratelimit-reset': String(NOW / 1000 + 5) }, 5000],
  [{ 'ratelimit-reset': '3' }, 3000],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('%j is a wait of %s ms', (headers, wait) => expect(requestedWait(headers, NOW)).toBe(wait));

test.each([
  ['30s', 30_000],
  ['1m30s', 90_000],
  ['250ms', 250],
  ['2', 2000],
  ['soon', undefined],
])('%s is %s ms', (written, ms) => expect(milliseconds(written)).toBe(ms));

test.each([
  ['50/s', 50],
  ['300/min', 5],
  ['0/s', undefined],
  ['50', undefined],
])('%s is %s a second', (written, rate) => expect(perSecond(written)).toBe(rate));

/** Time passes when somebody sleeps. */
function toyClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    async sleep(ms) {
      now += ms;
    },
  };
}

describe('pace', () => {
  const { signal } = new AbortController();

  test('grows by one for each good answer until the endpoint is overloaded, then for twenty; is halved once for all that were under way', () => {
    const clock = toyClock();
    const pace = new Pace(8, undefined, clock);
    expect(pace.limit).toBe(4);
    for (let good = 0; good < 4; good++) pace.good();
    expect(pace.limit).toBe(8);
    clock.sleep(10, signal);
    for (let told = 0; told < 8; told++) pace.overloaded(5);
    expect(pace.limit).toBe(4);
    pace.overloaded(10);
    expect(pace.limit).toBe(2);
    for (let good = 0; good < 19; good++) pace.good();
    expect(pace.limit).toBe(2);
    pace.good();
    expect(pace.limit).toBe(3);
  });

  test('keeps to a rate, and asks nothing while the endpoint wants to be left alone', async () => {
    const clock = toyClock();
    const pace = new Pace(8, 50, clock);
    const turns: number[] = [];
    for (let turn = 0; turn < 5; turn++) turns.push(await pace.turn(signal));
    expect(turns).toEqual([0, 20, 40, 60, 80]);
    pace.quiet(500);
    expect(await pace.turn(signal)).toBe(580);
  });
});

test('untrusted JSON: depth is bounded, invalid numbers are null, and a pointer goes through lists', async () => {
  await thrown(() => parseAnswer('['.repeat(100_000)));
  expect(parseAnswer('{"a": [NaN, -Infinity, "NaN [{"]}')).toEqual({ a: [null, null, 'NaN [{'] });
  expect(() => parseAnswer('{"a": [0.1, 0.')).toThrow(SyntaxError);
  expect(valuesAt({ a: [{ b: 1 }, { b: 2 }] }, '/a/*/b')).toEqual([1, 2]);
  expect(valuesAt({ 'a/b': { '~': 3 } }, '/a~1b/~0')).toEqual([3]);
  expect(valuesAt({ a: 1 }, '/b/*')).toBeUndefined();
  expect(valuesAt([], '/constructor')).toBeUndefined();
});

test.each([
  [[0, 1], 1],
  [[0.25, 0.75], 0.01],
  [[0.1234, 0.8766], 0.0001],
  [[0.123456789, 0.876543211], null],
])('scores of %j come in steps of %s', (row, grid) => expect(gridOf([Float32Array.from(row)])).toBe(grid));

import { expect, test } from 'vitest';
import { latencyOf } from '../../src/results/card/latency.js';
import { SearchCancelled } from '../../src/run/metered-victim.js';
import { timeAnswers } from '../../src/run/time-answers.js';
import { planOf, sentiment } from './toys.js';

test('percentiles by nearest rank', () => {
  expect(latencyOf(Array.from({ length: 200 }, (_, at) => 200 - at))).toEqual({ n: 200, p50: 100, p95: 190, p99: 198 });
  expect(latencyOf([2.5049])).toEqual({ n: 1, p50: 2.5, p95: 2.5, p99: 2.5 });
  expect(latencyOf([])).toBeUndefined();
});

test('different texts are sent one by one, none as the data have it; what fails is not counted', async () => {
  const asked: (readonly string[])[] = [];
  const failing = (at: number) => ({
    ...sentiment,
    classify: async (texts: readonly string[]) => {
      asked.push(texts);
      if (asked.length % at === 0) throw new Error('refused');
      return sentiment.classify(texts);
    },
  });
  const plan = (at: number) => planOf({ numExamples: 0, model: { ...planOf().model, classifier: failing(at) } });
  expect(await timeAnswers(plan(1000), 10, undefined)).toMatchObject({ n: 10 });
  expect(asked.map((texts) => texts.length)).toEqual(new Array(11).fill(1));
  const all = asked.flat();
  expect([new Set(all).size, all.every((text) => text.endsWith(' .'))]).toEqual([11, true]);
  asked.length = 0;
  // The first of eleven is not counted either way; every fifth fails.
  expect(await timeAnswers(plan(5), 10, undefined)).toMatchObject({ n: 8 });
  expect(await timeAnswers(plan(1), 10, undefined)).toBeUndefined();
  await expect(timeAnswers(plan(1000), 10, AbortSignal.abort())).rejects.toThrow(SearchCancelled);
});

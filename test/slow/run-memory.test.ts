import { expect, test } from 'vitest';
import { costOf } from '../../bench/run-memory.js';

test('a run of 100,000 examples holds no more than one of 1,000', () => {
  expect(costOf(100_000).live - costOf(1_000).live).toBeLessThan(10);
});

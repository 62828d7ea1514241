import { expect, test } from 'vitest';
import { costOfConversion } from '../../bench/conversion.js';

test('a DistilBERT of base size converts in 5 seconds and 1.2 GB', () => {
  const { seconds, peak, size } = costOfConversion();
  expect(size).toBeGreaterThan(260);
  expect(peak).toBeLessThan(1200);
  expect(seconds).toBeLessThan(5);
});

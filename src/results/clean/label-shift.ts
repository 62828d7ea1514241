/** @file Tests whether the labels of some examples look like a random sample of a file. */
import { sum } from '../../core/statistics/stats.js';

/** Labels with a smaller expected count are merged, because the statistic would not be chi-squared distributed (Cochran 1954). */
const LEAST_EXPECTED = 5;

/** Normal quantile of 0.99. */
const Z99 = 2.326347874;

/** The 99th percentile of the chi-squared distribution (Wilson and Hilferty 1931), accurate within 1 % for any degrees of freedom. */
const critical = (degrees: number): number =>
  degrees * (1 - 2 / (9 * degrees) + Z99 * Math.sqrt(2 / (9 * degrees))) ** 3;

/**
 * Whether `sample`, counts by label, differs from a random sample of `file`, which contains it: Pearson's test at 1 %, corrected for
 * sampling without replacement.
 */
export function labelsDiffer(sample: readonly number[], file: readonly number[]): boolean {
  const [n, size] = [sum(sample), sum(file)];
  if (n === 0 || n >= size) return false;
  const cells: { found: number; expected: number }[] = [];
  const rare = { found: 0, expected: 0 };
  for (const [label, count] of file.entries()) {
    const cell = { found: sample[label] ?? 0, expected: (n * count) / size };
    if (cell.expected >= LEAST_EXPECTED) cells.push(cell);
    else {
      rare.found += cell.found;
      rare.expected += cell.expected;
    }
  }
  if (rare.expected >= LEAST_EXPECTED) cells.push(rare);
  if (cells.length < 2) return false;
  const statistic = cells.reduce((total, { found, expected }) => total + (found - expected) ** 2 / expected, 0);
  return (statistic * (size - 1)) / (size - n) > critical(cells.length - 1);
}

/** @file A requirement and its figure in words: shares in percent, other figures as numbers. */
import { interval } from '../../core/figure-text.js';
import { CLEAN_FIGURES } from '../clean/clean-metrics.js';
import type { JudgedThreshold } from './verdict.js';

/** Figures between 0 and 1 that nobody writes in percent, and errors, which are in the unit of the numbers. */
const PLAIN = ['auroc', 'averagePrecision', 'meanSquaredError', 'meanAbsoluteError', 'pearson', 'spearman'];

/** `regression.pearson` -> `pearson`. */
const last = (metric: string): string => metric.slice(metric.lastIndexOf('.') + 1);
export const isPlain = (metric: string): boolean => PLAIN.includes(last(metric));

/** The numbers of a requirement: `<= 0.3`, `>= 80 %`. */
export const limitsIn = (expected: string): number[] =>
  Array.from(expected.matchAll(/(\d*\.?\d+)( ?%)?/g), ([, number, percent]) => Number(number) / (percent ? 100 : 1));

/** Figures that are shares although they have no interval. */
const SHARES = new Set([
  ...['precision', 'recall', 'f1', 'perturbedWords'],
  ...CLEAN_FIGURES.flatMap(({ key, unit }) => (unit === 'share' ? [last(key)] : [])),
]);

type Judged = Pick<JudgedThreshold, 'metric' | 'actual' | 'expected'>;

const isShare = ({ metric, actual: { low } }: Judged): boolean =>
  low === null ? SHARES.has(last(metric)) : !isPlain(metric);

/** A share as a percentage; a mean, an error or a correlation as a number. */
export function measuredValue(of: Judged): string {
  const { value } = of.actual;
  if (value === null) return 'not measured';
  return isShare(of) ? percentBeside(value, limitsIn(of.expected)) : String(Number(value.toPrecision(4)));
}

export function measuredText(of: Judged): string {
  const { low, high, n } = of.actual;
  if (low === null || high === null) return measuredValue(of);
  const bounds = isShare(of) ? interval(of.actual) : `${low.toPrecision(3)} to ${high.toPrecision(3)}`;
  return `${measuredValue(of)} (${bounds}), n = ${n}`;
}

const OPERATORS: Readonly<Record<string, string>> = { '<=': 'at most', '<': 'below', '>=': 'at least', '>': 'above' };

/** `at most 30 %` for `<= 0.3`; limits of figures that are no shares as numbers. */
export function requiredText(of: Judged): string {
  // A figure that was not measured has no interval, and a limit up to 1 is that of a share.
  const share = of.actual.value === null ? limitsIn(of.expected).every((each) => each <= 1) : isShare(of);
  return of.expected
    .trim()
    .split(/\s+and\s+/)
    .map((part) => {
      const [, operator = '', number = ''] = /^([<>]=?)\s*(.*)$/.exec(part) ?? [];
      const [limit = 0] = limitsIn(number);
      return `${OPERATORS[operator]} ${share ? `${Number((100 * limit).toPrecision(12))} %` : number}`;
    })
    .join(' and ');
}

/** A percentage with enough decimals to differ from every other value in `limits`: `29.96 %` for a limit of 0.3. */
export function percentBeside(fraction: number, limits: readonly number[]): string {
  const format = (of: number, decimals: number): string => (100 * of).toFixed(decimals);
  let decimals = 1;
  const alike = (limit: number): boolean =>
    limit !== fraction && format(limit, decimals) === format(fraction, decimals);
  while (decimals < 9 && limits.some(alike)) decimals++;
  return `${format(fraction, decimals)} %`;
}

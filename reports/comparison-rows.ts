/** @file Paired rates as cells of a table. */
import type { AttackComparison, Comparison, Difference, PairedRates } from '../src/index.js';
import { percent } from './figures.js';

/** `+27.0` */
export const points = (fraction: number | null): string =>
  fraction === null ? '-' : `${fraction > 0 ? '+' : ''}${(fraction * 100).toFixed(1)}`;

export const bounds = ({ low, high }: Difference): string => (low === null ? '' : `${points(low)} to ${points(high)}`);

export const probability = (p: number | null): string => (p === null ? '-' : p < 0.001 ? '<0.001' : p.toFixed(3));

/** A difference counts as real below this p-value. */
export const ALPHA = 0.05;

/** A row of the table as it is written, and the p-value that counts. */
export interface PairRow {
  readonly title: string;
  readonly a: string;
  readonly b: string;
  readonly difference: string;
  readonly bounds: string;
  readonly p: string;
  readonly asrA: string;
  readonly asrB: string;
  /** More than chance. */
  readonly sure: boolean;
}

/** Unedited, under each attack, each suite, and all of them. */
export function pairRows({ clean, attacks, suites, overall }: Omit<Comparison, 'models'>): PairRow[] {
  const attack = (title: string, of: AttackComparison): PairRow => row(title, of, of.adjustedP, of.attackSuccessRate);
  return [
    row('unedited', clean, clean.mcnemarP),
    ...attacks.map((of) => attack(of.name, of)),
    ...suites.map((of) => attack(`any of ${of.name}`, of)),
    ...(attacks.length > 1 ? [row('any of all', overall, overall.mcnemarP)] : []),
  ];
}

const row = (title: string, { a, b, difference }: PairedRates, p: number | null, asr?: PairedRates): PairRow => ({
  title,
  a: percent(a.value),
  b: percent(b.value),
  difference: points(difference.value),
  bounds: bounds(difference),
  p: probability(p),
  asrA: asr ? percent(asr.a.value) : '',
  asrB: asr ? percent(asr.b.value) : '',
  sure: p !== null && p < ALPHA,
});

/** @file Rates of two runs over the same examples, and what is made of them for several attacks. */
import { holmOver } from '../core/statistics/paired.js';
import type { AttackComparison, DetectedUnderAttack, PairedRates } from '../results/comparison/comparison.js';
import { proportion } from '../results/comparison/paired-figures.js';

/** `yes` answers the question of the rate for one example; undefined leaves it out, in both models. */
export function pairRates<L extends string>(
  a: readonly L[],
  b: readonly L[],
  yes: (letter: L, index: number) => boolean | undefined,
): PairedRates {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  a.forEach((letter, index) => {
    const [x, y] = [yes(letter, index), yes(b[index]!, index)];
    if (x === undefined || y === undefined) return;
    counts[x ? (y ? 'both' : 'onlyA') : y ? 'onlyB' : 'neither'] += 1;
  });
  const { a: ofA, b: ofB, difference, p } = proportion({ metric: '', higherIsBetter: true }, counts);
  return { a: ofA, b: ofB, difference, mcnemarP: p };
}

/** Before Holm's correction. */
export type Detected = { readonly [name in keyof DetectedUnderAttack]: PairedRates };
export type Unadjusted = Omit<AttackComparison, 'adjustedP' | keyof DetectedUnderAttack> & Detected;

export function adjusted(attacks: readonly Unadjusted[]): AttackComparison[] {
  const ps = holmOver(attacks.map(({ mcnemarP }) => mcnemarP));
  return withAdjusted(attacks).map((attack, at) => ({ ...attack, adjustedP: ps[at] as number | null }));
}

/** The rates of detectors are corrected for their number, over all attacks. */
export function withAdjusted<T extends Detected>(
  attacks: readonly T[],
): (Omit<T, keyof Detected> & DetectedUnderAttack)[] {
  const names = ['recallUnderAttack', 'falsePositiveRateUnderAttack'] as const;
  const all = attacks.flatMap((attack) => names.flatMap((name) => attack[name] ?? []));
  const ps = holmOver(all.map(({ mcnemarP }) => mcnemarP));
  const correct = (rates: PairedRates) => ({ ...rates, adjustedP: ps[all.indexOf(rates)] as number | null });
  return attacks.map(({ recallUnderAttack, falsePositiveRateUnderAttack, ...attack }) => ({
    ...attack,
    ...(recallUnderAttack && { recallUnderAttack: correct(recallUnderAttack) }),
    ...(falsePositiveRateUnderAttack && { falsePositiveRateUnderAttack: correct(falsePositiveRateUnderAttack) }),
  }));
}

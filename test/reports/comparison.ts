/** Comparisons made of counts. */

import { mcnemarExact, pairedDifference } from '../../src/core/statistics/paired.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { AttackComparison, PairedRates } from '../../src/results/comparison/comparison.js';

export const N = 200;

/** 200 texts, `a` correct for the first model and `b` for the second, with the largest possible overlap. */
export function rates(a: number, b: number): PairedRates {
  const counts = {
    both: Math.min(a, b),
    onlyA: Math.max(0, a - b),
    onlyB: Math.max(0, b - a),
    neither: N - Math.max(a, b),
  };
  return {
    a: wilson(a, N),
    b: wilson(b, N),
    difference: pairedDifference(counts),
    mcnemarP: mcnemarExact(counts.onlyA, counts.onlyB),
  };
}

export const attack = (name: string, suite: string | null, a: number, b: number): AttackComparison => ({
  name,
  suite,
  ...rates(a, b),
  adjustedP: rates(a, b).mcnemarP,
  attackSuccessRate: rates(N - a, N - b),
});

export const model = (name: string) => ({ name, sha256: 'x', run: `run of ${name}` });

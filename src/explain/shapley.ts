/**
 * @file Shapley values of a game (Shapley 1953), exact and estimated. Both give values that sum to v(all) - v(none). Lundberg and
 * Lee, "A Unified Approach to Interpreting Model Predictions", 2017, https://arxiv.org/abs/1705.07874.
 */
import { must } from '../core/errors.js';
import type { Random } from '../core/random.js';
import { type Coalition, type CoalitionGame, emptyCoalition, fullCoalition } from './game.js';
import { interval, type Weight, type WeightedWords } from './weighted.js';

/** Most players for which all coalitions are queried: 4,096 texts. */
export const MAX_EXACT_PLAYERS = 12;

/** v(none) and v(all). */
async function ends(game: CoalitionGame): Promise<{ none: number; all: number }> {
  const [none, all] = await game.values([emptyCoalition(game.size), fullCoalition(game.size)]);
  return { none: must(none), all: must(all) };
}

const report = (
  weights: readonly Weight[],
  { none, all }: { none: number; all: number },
  figures: WeightedWords['check'],
): WeightedWords => {
  const sum = weights.reduce((total, { weight }) => total + weight, 0);
  return { weights, check: { ...figures, baseValue: none, value: all, efficiencyError: Math.abs(sum - (all - none)) } };
};

/** All 2^n coalitions: phi_i = sum over S without i of |S|! (n - |S| - 1)! / n! (v(S + i) - v(S)). At most 20 players. */
export async function exactShapley(game: CoalitionGame): Promise<WeightedWords> {
  const n = game.size;
  if (n > 20) throw new RangeError(`expected at most 20 players, got ${n}`);
  const bits = Array.from({ length: n }, (_, i) => 1 << i);
  const coalitions = Array.from({ length: 2 ** n }, (_, set) =>
    Uint8Array.from(bits, (bit) => Number((set & bit) !== 0)),
  );
  const values = await game.values(coalitions);
  /** |S|! (n - |S| - 1)! / n! = 1 / (n C(n - 1, |S|)) */
  const share = [1 / n];
  for (let s = 1; s < n; s++) share.push((must(share[s - 1]) * s) / (n - s));
  const weights = new Float64Array(n);
  for (let set = 0; set < values.length; set++) {
    const size = (coalitions[set] as Coalition).reduce((sum, one) => sum + one, 0);
    for (let i = 0; i < n; i++) {
      const gained = must(values[set | must(bits[i])]) - must(values[set]);
      if ((set & must(bits[i])) === 0) weights[i]! += must(share[size]) * gained;
    }
  }
  const found = Array.from(weights, (weight) => ({ weight }));
  const [none, all] = [must(values[0]), must(values.at(-1))];
  return report(found, { none, all }, { estimator: 'exact', samples: values.length });
}

/**
 * Marginal contributions along random orders of the words, each order also reversed (antithetic: Mitchell et al. 2022, section 4.2).
 * Unbiased; the interval is that of the mean over pairs of orders. About `samples` texts, at least two pairs.
 */
export async function permutationShapley(game: CoalitionGame, samples: number, random: Random): Promise<WeightedWords> {
  const n = game.size;
  const pairs = Math.max(2, Math.round(samples / (2 * Math.max(1, n - 1))));
  const { none, all } = await ends(game);
  const order = Array.from({ length: n }, (_, at) => at);
  const orders = Array.from({ length: pairs }, () => random.shuffle(order)).flatMap((one) => [one, one.toReversed()]);
  const coalitions = orders.flatMap((one) => {
    const kept = emptyCoalition(n);
    return one.slice(0, -1).map((player) => {
      kept[player] = 1;
      return kept.slice();
    });
  });
  const values = await game.values(coalitions);
  const sum = new Float64Array(n);
  const squares = new Float64Array(n);
  const pair = new Float64Array(n);
  orders.forEach((one, at) => {
    let before = none;
    one.forEach((player, step) => {
      const after = step === n - 1 ? all : must(values[at * (n - 1) + step]);
      pair[player]! += (after - before) / 2;
      before = after;
    });
    if (at % 2 === 0) return;
    pair.forEach((value, player) => {
      sum[player]! += value;
      squares[player]! += value * value;
    });
    pair.fill(0);
  });
  const weights = Array.from(sum, (total, player) => {
    const mean = total / pairs;
    const variance = Math.max(0, (must(squares[player]) - pairs * mean * mean) / (pairs - 1));
    return interval(mean, Math.sqrt(variance / pairs));
  });
  return report(weights, { none, all }, { estimator: 'permutation', samples: coalitions.length + 2, pairs });
}

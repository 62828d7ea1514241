import { z } from 'zod';
import { must } from '../../../core/errors.js';
import { adversarialMethod, type Neighbours, type PerturbationContext, stepCount } from './method.js';

const options = z.strictObject({
  /** Log of the final ratio of the shares of the worst and the best word of a mixture. */
  sharpness: z.coerce.number().min(0).default(5),
  steps: stepCount(3),
});

/**
 * The output must not change where each word is a bad mixture of itself and its synonyms: Dong et al. 2021 (ASCC). Finds the point of the convex hull of
 * each word and its synonyms at which the output differs most from that of the unperturbed text, which is the target, as in TRADES (Zhang et al. 2019).
 * From the middle of the hull, each step multiplies the shares by exp(gain) (exponentiated gradient: Kivinen and Warmuth 1997); a word's gains are scaled to
 * a range of sharpness / steps, so that the last mixture is about as sparse as the paper's, which has a price on its entropy. Learns the cross-entropy against
 * that target, held fixed: KL(p, p') up to a constant.
 */
export const ascc = adversarialMethod('ascc', options, ({ sharpness, steps }) => ({
  against: ['synonyms'],
  needsNeighbours: true,
  perturb:
    ({ neighbours = new Map() }) =>
    async (context, share) => {
      const { clean, table, batch, pass } = context;
      const targets = clean.probabilities;
      const shares = new Map<number, number[]>();
      let delta = mixtureOf(context, neighbours, (row, ids) => {
        const even = ids.map(() => 1 / ids.length);
        shares.set(row, even);
        return even;
      });
      for (let step = 0; step < steps; step++) {
        const { slope } = await pass({ delta, targets }, 0);
        delta = mixtureOf(context, neighbours, (row, ids) => {
          const gains = ids.map((id) => dotRows(slope, row, table, id, batch.hidden));
          const [least, most] = [Math.min(...gains), Math.max(...gains)];
          const scale = sharpness / steps / (most - least || 1);
          const next = normalise(must(shares.get(row)).map((part, at) => part * Math.exp(scale * (gains[at]! - most))));
          shares.set(row, next);
          return next;
        });
      }
      return pass({ delta, targets }, share);
    },
}));

/** values[row] . table[id], rows of `hidden`. */
function dotRows(values: Float32Array, row: number, table: Float32Array, id: number, hidden: number): number {
  let sum = 0;
  for (let k = 0; k < hidden; k++) sum += values[row * hidden + k]! * table[id * hidden + k]!;
  return sum;
}

/** Replaces each row that has neighbours by a mixture of its embedding and theirs; `sharesOf` gives the shares, the row's own first. */
function mixtureOf(
  { tokens, batch, table }: PerturbationContext,
  neighbours: Neighbours,
  sharesOf: (row: number, ids: readonly number[]) => number[],
): Float32Array {
  const { hidden, movable } = batch;
  const delta = new Float32Array(tokens.ids.length * hidden);
  tokens.ids.forEach((id, row) => {
    const others = neighbours.get(id);
    if (movable[row] !== 1 || others === undefined) return;
    const ids = [id, ...others];
    sharesOf(row, ids).forEach((weight, at) => {
      const from = must(ids[at]) * hidden;
      for (let k = 0; k < hidden; k++) {
        const apart = table[from + k]! - table[id * hidden + k]!;
        delta[row * hidden + k] = delta[row * hidden + k]! + weight * apart;
      }
    });
  });
  return delta;
}

function normalise(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

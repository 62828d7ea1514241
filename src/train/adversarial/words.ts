/**
 * @file The methods that put other words in a text's place, chosen by the gradient to first order: replacing the embedding w by v changes the
 * loss by about (v - w) . g. Only single pieces are replaced, by single pieces, so that the text keeps its length.
 */
import type { PaddedBatch } from '../batch-feeds.js';
import type { A2t, Ascc, Dne, HotFlip } from './options.js';
import type { PerturbationContext, PerturbationMethod } from './perturbation-context.js';

/** Token id -> ids of words that could stand in its place. */
export type Neighbours = ReadonlyMap<number, readonly number[]>;

/** Rows of the batch, of one text each time. */
function* textsOf({ texts, length }: PaddedBatch): Iterable<readonly [from: number, to: number]> {
  for (let text = 0; text < texts; text++) yield [text * length, (text + 1) * length];
}

/** values[row] . other[of], rows of `hidden`. */
function dot(values: Float32Array, row: number, other: Float32Array, of: number, hidden: number): number {
  let sum = 0;
  for (let k = 0; k < hidden; k++) sum += (values[row * hidden + k] as number) * (other[of * hidden + k] as number);
  return sum;
}

/** Rows of one text that may be replaced, the largest gradient first (L1 norm, as the attack a2t ranks words). */
function steepest(
  { batch, clean }: PerturbationContext,
  from: number,
  to: number,
  may: (row: number) => boolean,
): number[] {
  const { hidden, movable } = batch;
  const norms = new Map<number, number>();
  for (let row = from; row < to; row++) {
    if (movable[row] !== 1 || !may(row)) continue;
    let norm = 0;
    for (let at = row * hidden; at < (row + 1) * hidden; at++) norm += Math.abs(clean.slope[at] as number);
    norms.set(row, norm);
  }
  return [...norms.keys()].sort((a, b) => (norms.get(b) as number) - (norms.get(a) as number) || a - b);
}

/** The candidate that raises the loss most; undefined where none does. */
function best(
  { batch, clean, table, tokens }: PerturbationContext,
  row: number,
  candidates: Iterable<number>,
): number | undefined {
  const { hidden } = batch;
  let most = dot(clean.slope, row, table, tokens.ids[row] as number, hidden);
  let found: number | undefined;
  for (const candidate of candidates) {
    const gain = dot(clean.slope, row, table, candidate, hidden);
    if (gain > most) [most, found] = [gain, candidate];
  }
  return found;
}

/** Yoo and Qi 2021, section 3: the words of largest gradient become synonyms. Theirs are tried one by one on the model, ours at once. */
export const a2t =
  ({ rate }: A2t, neighbours: Neighbours): PerturbationMethod =>
  (context, share) => {
    const { tokens, batch } = context;
    const ids = tokens.ids.slice();
    for (const [from, to] of textsOf(tokens)) {
      const words = batch.movable.subarray(from, to).reduce((sum, may) => sum + may, 0);
      let left = Math.max(1, Math.round(rate * words));
      for (const row of steepest(context, from, to, (at) => neighbours.has(tokens.ids[at] as number))) {
        if (left === 0) break;
        const other = best(context, row, neighbours.get(tokens.ids[row] as number) as readonly number[]);
        if (other === undefined) continue;
        ids[row] = other;
        left--;
      }
    }
    return context.pass({ tokens: { ...tokens, ids } }, share);
  };

/** Ebrahimi et al. 2018, section 3: the tokens of largest gradient become the piece of the vocabulary that raises the loss most. */
export const hotFlip =
  ({ flips }: HotFlip, isOrdinary: (id: number) => boolean): PerturbationMethod =>
  (context, share) => {
    const { tokens, table, batch } = context;
    const ordinary = Array.from({ length: table.length / batch.hidden }, (_, id) => id).filter(isOrdinary);
    const ids = tokens.ids.slice();
    for (const [from, to] of textsOf(tokens)) {
      for (const row of steepest(context, from, to, () => true).slice(0, flips)) {
        ids[row] = best(context, row, ordinary) ?? (ids[row] as number);
      }
    }
    return context.pass({ tokens: { ...tokens, ids } }, share);
  };

/** Each row that has neighbours becomes a mixture of its own embedding and theirs; `weigh` gives the shares, own first. */
function mixed(
  context: PerturbationContext,
  neighbours: Neighbours,
  weigh: (row: number, ids: readonly number[]) => number[],
) {
  const { tokens, batch, table } = context;
  const { hidden, movable } = batch;
  const delta = new Float32Array(tokens.ids.length * hidden);
  tokens.ids.forEach((id, row) => {
    const others = neighbours.get(id);
    if (movable[row] !== 1 || others === undefined) return;
    const all = [id, ...others];
    weigh(row, all).forEach((weight, at) => {
      const from = (all[at] as number) * hidden;
      for (let k = 0; k < hidden; k++) {
        delta[row * hidden + k] =
          (delta[row * hidden + k] as number) +
          weight * ((table[from + k] as number) - (table[id * hidden + k] as number));
      }
    });
  });
  return delta;
}

const normalised = (weights: readonly number[]): number[] => {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

/**
 * Dong et al. 2021 (ASCC): the point of the convex hull of a word and its synonyms at which the answer differs most from that to the
 * untouched text, whose answer is to stay, as TRADES trains (Zhang et al. 2019). From the middle of the hull, each step multiplies the
 * shares by exp(gain) (exponentiated gradient: Kivinen and Warmuth 1997), a word's gains scaled to a range of sharpness / steps, so
 * that the last mixture is about as sparse as theirs, which pays a price for its entropy. Learnt is the cross-entropy against the
 * untouched text's answer, held fixed: the divergence KL(p, p') but for a constant.
 */
export const ascc =
  ({ sharpness, steps }: Ascc, neighbours: Neighbours): PerturbationMethod =>
  async (context, share) => {
    const { clean, table, batch, pass } = context;
    const targets = clean.probabilities;
    const shares = new Map<number, number[]>();
    const mixture = () =>
      mixed(context, neighbours, (row, ids) => {
        const own = shares.get(row) ?? ids.map(() => 1 / ids.length);
        shares.set(row, own);
        return own;
      });
    let delta = mixture();
    for (let step = 0; step < steps; step++) {
      const { slope } = await pass({ delta, targets }, 0);
      delta = mixed(context, neighbours, (row, ids) => {
        const gains = ids.map((id) => dot(slope, row, table, id, batch.hidden));
        const [least, most] = [Math.min(...gains), Math.max(...gains)];
        const scale = sharpness / steps / (most - least || 1);
        const next = normalised(
          (shares.get(row) as number[]).map((part, at) => part * Math.exp(scale * ((gains[at] as number) - most))),
        );
        shares.set(row, next);
        return next;
      });
    }
    return pass({ delta, targets }, share);
  };

/** Zhou et al. 2021 (DNE): a random point of that hull, its shares drawn evenly (Dirichlet(1, ..., 1)); without their gradient steps. */
export const dne =
  (_: Dne, neighbours: Neighbours): PerturbationMethod =>
  (context, share) => {
    const { random } = context;
    const delta = mixed(context, neighbours, (_row, ids) => normalised(ids.map(() => -Math.log(1 - random.unit()))));
    return context.pass({ delta }, share);
  };

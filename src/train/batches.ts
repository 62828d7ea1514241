/** @file Which examples are learnt together: texts of similar length, so that little of a batch is padding. */
import type { Random } from '../core/random.js';

/** Batches whose texts are sorted together: large enough to find neighbours in length, small enough to stay random. */
const SORTED_BATCHES = 50;

/**
 * One epoch: every example once, in batches of `size` (the last may be smaller), as indices. Examples are shuffled,
 * sorted by length within pools of 50 batches, cut, and the batches shuffled again. A pure function of its arguments.
 */
export function epochBatches(lengths: ArrayLike<number>, size: number, random: Random): Uint32Array[] {
  const order = Uint32Array.from({ length: lengths.length }, (_, at) => at);
  shuffle(order, random);
  const batches: Uint32Array[] = [];
  for (let from = 0; from < order.length; from += SORTED_BATCHES * size) {
    // Typed arrays sort stably, so equal lengths keep their shuffled order.
    const pool = order.subarray(from, from + SORTED_BATCHES * size).sort((a, b) => lengths[a]! - lengths[b]!);
    for (let at = 0; at < pool.length; at += size) batches.push(pool.subarray(at, at + size));
  }
  return random.shuffle(batches);
}

/** Batches in order of length, for measuring: the same whatever the seed. */
export function sortedBatches(lengths: ArrayLike<number>, size: number): Uint32Array[] {
  const order = Uint32Array.from({ length: lengths.length }, (_, at) => at);
  order.sort((a, b) => lengths[a]! - lengths[b]!);
  const batches: Uint32Array[] = [];
  for (let at = 0; at < order.length; at += size) batches.push(order.subarray(at, at + size));
  return batches;
}

/** Most texts in one pass of the graph: more gain nothing a text. What is cut so can be learnt side by side. */
export const PART_TEXTS = 16;

/** A batch cut into the passes it is learnt in, as even as can be. Depends on nothing but its size. */
export function parts(batch: Uint32Array): Uint32Array[] {
  const count = Math.ceil(batch.length / PART_TEXTS);
  const cut = (at: number) => Math.round((at * batch.length) / count);
  return Array.from({ length: count }, (_, at) => batch.subarray(cut(at), cut(at + 1)));
}

/** A batch cut into runs of texts of one length each, shortest first. */
export function byLength(batch: Uint32Array, lengths: ArrayLike<number>): Uint32Array[] {
  const sorted = batch.slice().sort((a, b) => lengths[a]! - lengths[b]!);
  const starts = [...sorted.keys()].filter((at) => at === 0 || lengths[sorted[at]!] !== lengths[sorted[at - 1]!]);
  return starts.map((from, at) => sorted.subarray(from, starts[at + 1]));
}

/** Fisher and Yates, in place: a million examples must not become a million objects. */
function shuffle(order: Uint32Array, random: Random): void {
  for (let last = order.length - 1; last > 0; last--) {
    const other = random.int(last + 1);
    const moved = order[last]!;
    order[last] = order[other]!;
    order[other] = moved;
  }
}

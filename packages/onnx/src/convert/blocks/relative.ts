/** @file Scores by the distance of two tokens: a table of distances instead of one of pairs. */
import type { Drawing } from '../drawing.js';
import { places } from './attention.js';

/**
 * The distances that a text of L tokens has, in descending order L - 1, ..., -(L - 1), -L, as [2 L]: the columns that `byDistance`
 * wants. The last is not used; it makes the rows of even length.
 */
export function distances(d: Drawing): string {
  return d.once('distances', () => {
    const { g } = d;
    const length = g.op('Squeeze', [d.length]);
    const end = g.neg(g.add(length, g.int(1)));
    return g.op('Range', [g.sub(length, g.int(1)), end, g.int(-1)]);
  });
}

/**
 * From scores of tokens i and distances, [batch, heads, L, 2 L], column c for the distance i - j = L - 1 - c, those of tokens i and
 * j, [batch, heads, L, L]. In one row of numbers, the result lies at i (2 L - 1) + j + L - 1. So two slices copy it, instead of a gather by
 * an index for each pair (Huang et al., "Music Transformer", 2018, section 3.4.1).
 */
export function byDistance(d: Drawing, scores: string, heads: number): string {
  const { g } = d;
  const { rows, from, to } = shapes(d, heads);
  const row = g.reshape(scores, [0, heads, -1]);
  const wanted = g.op('Slice', [row, from, to, g.ints([2])]);
  const skewed = g.reshape(wanted, rows); // [batch, heads, L, 2 L - 1]
  return g.op('Slice', [skewed, g.ints([0]), d.length, g.ints([3])]);
}

/** The shape [0, heads, L, 2 L - 1], and the ends of the slice of this many numbers. */
function shapes(d: Drawing, heads: number): { readonly rows: string; readonly from: string; readonly to: string } {
  const { g } = d;
  const { length } = d;
  const one = g.ints([1]);
  const odd = d.once('odd', () => g.sub(g.add(length, length), one)); // 2 L - 1
  const from = d.once('distance from', () => g.sub(length, one));
  const to = d.once('distance to', () => g.add(from, g.mul(length, odd)));
  const rows = d.once(`distance rows ${heads}`, () => g.concat([g.ints([0, heads]), length, odd], 0));
  return { rows, from, to };
}

export interface DistanceTable {
  /** Distances below this have a row: the table has 2 positions - 1. */
  readonly positions: number;
  readonly heads: number;
  /** Width of a head. */
  readonly size: number;
}

/**
 * The terms of scores that depend on the distance i - j by a table of vectors: q_i . E[i - j] (Shaw et al., NAACL 2018), and with
 * `keys` also k_j . E[i - j] (Huang et al., "Improve transformer models with better relative position embeddings", 2020).
 */
export function distanceTerms(d: Drawing, name: string, { positions, heads, size }: DistanceTable, keys: boolean) {
  const { g } = d;
  const last = 2 * positions - 2;
  return (query: string, key: string): string[] => {
    const table = d.weight(name, [last + 1, size]);
    // Turned, [size, 2 L]: of the distances i - j, and of j - i, which keys ask for.
    const rows = (sign: 1 | -1) => {
      const signed = sign === 1 ? distances(d) : d.once('distances back', () => g.neg(distances(d)));
      const at = g.op('Min', [g.add(signed, g.int(positions - 1)), g.int(last)]);
      return g.transpose(g.gather(table, at), [1, 0]);
    };
    const terms = [byDistance(d, g.matmul(query, rows(1)), heads)];
    if (!keys) return terms;
    const ofKeys = byDistance(d, g.matmul(key, rows(-1)), heads); // [batch, heads, key, query]
    return [...terms, g.transpose(ofKeys, [0, 1, 3, 2])];
  };
}

/** The distance i - j of tokens i and j, [L, L]. */
export function pairDistances(d: Drawing): string {
  return d.once('pair distances', () => d.g.sub(d.g.unsqueeze(places(d), [1]), places(d)));
}

/** A whole number for each distance, by a table up to the `farthest`, beyond which nothing changes. The shape of the distances. */
export function bucketed(d: Drawing, at: string, farthest: number, bucketOf: (distance: number) => number): string {
  const { g } = d;
  const buckets = Array.from({ length: 2 * farthest + 1 }, (_, i) => bucketOf(i - farthest));
  const near = g.op('Max', [g.op('Min', [at, g.int(farthest)]), g.int(-farthest)]);
  return g.gather(g.ints(buckets), g.add(near, g.int(farthest)));
}

interface LogBuckets {
  readonly buckets: number;
  /** Distances from here on share the last bucket of their side. */
  readonly farthest: number;
  /** Half the buckets are for tokens behind; without it, those have the bucket of the token itself. */
  readonly sided: boolean;
}

/** The bucket of a distance i - j (Raffel et al., "T5", JMLR 2020, section 2.1): one each for the next, then ever wider ones. */
export function logBucket(distance: number, { buckets, farthest, sided }: LogBuckets): number {
  const count = sided ? Math.floor(buckets / 2) : buckets;
  const exact = Math.floor(count / 2);
  const size = sided ? Math.abs(distance) : Math.max(distance, 0);
  const side = sided && distance < 0 ? count : 0;
  if (size < exact) return side + size;
  // In the steps of single precision that the reference takes: a power of two lies on a border.
  const log = Math.fround(Math.log(Math.fround(size / exact)));
  const share = Math.fround(log / Math.fround(Math.log(farthest / exact)));
  const far = exact + Math.trunc(Math.fround(share * (count - exact)));
  return side + Math.min(far, count - 1);
}

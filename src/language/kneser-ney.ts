/**
 * @file Interpolated Kneser-Ney smoothing with three discounts (Chen and Goodman 1998, section 3): from counts of n-grams in a trie to
 * p(last word | preceding words) of each, and the backoff weight of each context.
 */
import { must } from '../core/errors.js';
import { group, type Trie } from './trie.js';

/** Id of the mark that opens a text: counted as context, never predicted. */
export const START = 0;

export interface SmoothedCounts {
  /** p(word of the node | the rest of the node), by node. */
  readonly probability: Float64Array;
  /** Backoff weight of a node as a context, for the context without its first word. */
  readonly backoff: Float64Array;
}

/**
 * @param counts frequency of the n-gram of each node
 * @param depths n of each node
 * @param order the longest n counted
 * @param uniform probability with which unigrams are interpolated: one over the number of possible next words
 */
export function smooth(
  trie: Trie,
  counts: Float64Array,
  depths: readonly number[],
  order: number,
  uniform: number,
): SmoothedCounts {
  const suffixes = suffixesOf(trie, depths);
  const adjusted = adjust(trie, counts, depths, order, suffixes);
  const discounts = discountsByOrder(trie, adjusted, depths, order);
  const probability = new Float64Array(trie.size);
  const backoff = new Float64Array(trie.size).fill(1);
  const [firstChild, children] = group(
    trie.size,
    trie.size - 1,
    (i) => trie.parent(i + 1),
    (i) => i + 1,
  );
  const [firstOfDepth, byDepth] = group(
    order + 1,
    trie.size,
    (node) => must(depths[node]),
    (node) => node,
  );
  // Shortest contexts first, because each needs the probabilities of the context without its first word.
  for (const context of byDepth.subarray(0, firstOfDepth[order])) {
    const discount = must(discounts[depths[context]! + 1]);
    const followers = children
      .subarray(firstChild[context], firstChild[context + 1])
      .filter((node) => trie.word(node) !== START);
    let [total, discounted] = [0, 0];
    for (const node of followers) {
      total += adjusted[node]!;
      discounted += discount(adjusted[node]!);
    }
    if (total === 0) continue; // the end of a text, which is not a context
    const left = discounted / total;
    backoff[context] = left;
    for (const node of followers) {
      const count = adjusted[node]!;
      const lower = context === 0 ? uniform : probability[suffixes[node]!]!;
      probability[node] = (count - discount(count)) / total + left * lower;
    }
  }
  return { probability, backoff };
}

/** The node of each n-gram without its first word. It exists, because it was counted with the longer one. */
function suffixesOf(trie: Trie, depths: readonly number[]): Int32Array {
  const suffixes = new Int32Array(trie.size);
  for (let node = 1; node < trie.size; node++) {
    if (depths[node]! > 1) suffixes[node] = trie.child(suffixes[trie.parent(node)]!, trie.word(node));
  }
  return suffixes;
}

/**
 * Adjusted counts: for the longest n-grams, and for those that open a text, the raw counts; for every other, the number of contexts, that
 * is of words v for which v + n-gram was counted.
 */
function adjust(
  trie: Trie,
  counts: Float64Array,
  depths: readonly number[],
  order: number,
  suffixes: Int32Array,
): Float64Array {
  const adjusted = new Float64Array(trie.size);
  const opens = new Uint8Array(trie.size);
  for (let node = 1; node < trie.size; node++) {
    const depth = depths[node]!;
    opens[node] = depth === 1 ? Number(trie.word(node) === START) : opens[trie.parent(node)]!;
    if (depth === order || opens[node] === 1) adjusted[node] = counts[node]!;
    const suffix = suffixes[node]!;
    if (depth > 1) adjusted[suffix] = adjusted[suffix]! + 1;
  }
  return adjusted;
}

/**
 * Discounts of each order from its counts of counts (Chen and Goodman 1998, equation 26): one each for n-grams counted once, twice, and
 * more often. With too few texts to estimate them, a single discount (Ney, Essen and Kneser 1994), or half a count.
 */
function discountsByOrder(
  trie: Trie,
  adjusted: Float64Array,
  depths: readonly number[],
  order: number,
): ((count: number) => number)[] {
  const tallies = Array.from({ length: order + 1 }, () => [0, 0, 0, 0, 0]);
  for (let node = 1; node < adjusted.length; node++) {
    const count = adjusted[node]!;
    const tally = must(tallies[depths[node]!]);
    if (count >= 1 && count <= 4 && trie.word(node) !== START) tally[count] = tally[count]! + 1;
  }
  return tallies.map(([, n1 = 0, n2 = 0, n3 = 0, n4 = 0]) => {
    const y = n1 > 0 && n2 > 0 ? n1 / (n1 + 2 * n2) : 0.5;
    const d = [0, y, y, y];
    if (n1 > 0 && n2 > 0 && n3 > 0 && n4 > 0) {
      d[1] = 1 - (2 * y * n2) / n1;
      d[2] = 2 - (3 * y * n3) / n2;
      d[3] = 3 - (4 * y * n4) / n3;
      // Counts with an unnatural distribution would give a negative discount, or more than the count.
      if (d.some((value, i) => value < 0 || value > i)) d.fill(y, 1);
    }
    return (count) => must(d[Math.min(3, count)]);
  });
}

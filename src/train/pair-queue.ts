import { must } from '../core/errors.js';
import { getOrCompute } from '../core/get-or-compute.js';
/** @file Counts adjacent pairs of pieces and hands out the most frequent one: a binary heap whose stale entries are refreshed when they surface. */

export interface Joinable {
  readonly left: string;
  readonly right: string;
}

interface CountedPair extends Joinable {
  count: number;
  /** Indices of words that contain it, or once did. */
  readonly words: Set<number>;
}

interface QueuedPair {
  /** The pair's count when it was queued; the pair itself may have moved on. */
  readonly count: number;
  readonly pair: CountedPair;
}

export class PairQueue {
  readonly #pairs = new Map<string, CountedPair>();
  /** Invariant: every pair with a positive count has an entry of at least that count. */
  readonly #heap: QueuedPair[] = [];

  /** Adds `count` (negative to take away) occurrences of a pair in a word. */
  add(left: string, right: string, count: number, word: number): void {
    // A space cannot occur in a piece: words are split at white space.
    const key = `${left} ${right}`;
    const pair = getOrCompute(this.#pairs, key, () => ({ left, right, count: 0, words: new Set<number>() }));
    pair.count += count;
    pair.words.add(word);
    if (count > 0) this.#push({ count: pair.count, pair });
  }

  /** Removes and returns the most frequent pair, ties by smaller left then right; undefined when none is left. */
  takeMostFrequent(): Readonly<CountedPair> | undefined {
    for (let top = this.#pop(); top; top = this.#pop()) {
      const { pair } = top;
      if (pair.count !== top.count) {
        if (pair.count > 0 && pair.count < top.count) this.#push({ count: pair.count, pair });
        continue;
      }
      if (pair.count <= 0) continue;
      this.#pairs.delete(`${pair.left} ${pair.right}`);
      return pair;
    }
    return undefined;
  }

  #push(entry: QueuedPair): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!precedes(entry, must(heap[parent]))) break;
      heap[at] = must(heap[parent]);
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): QueuedPair | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && precedes(must(heap[child + 1]), must(heap[child]))) child++;
      if (!precedes(must(heap[child]), last)) break;
      heap[at] = must(heap[child]);
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

function precedes(a: QueuedPair, b: QueuedPair): boolean {
  if (a.count !== b.count) return a.count > b.count;
  if (a.pair.left !== b.pair.left) return a.pair.left < b.pair.left;
  return a.pair.right < b.pair.right;
}

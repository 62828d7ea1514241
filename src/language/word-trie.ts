/** @file A list of words that can be searched for words within a weighted edit distance of a string. */
import { must } from '../core/errors.js';

/** Costs of typing errors; a higher cost means a less probable error. All above 0. */
export interface SlipCosts {
  /** `meant` was intended, `written` was typed. `at`: position in the written word. */
  substitution(meant: string, written: string, at: number): number;
  /** An extra letter; `before` is the preceding written letter. */
  insertion(written: string, before: string, at: number): number;
  /** An omitted letter; `before` is the preceding intended letter. */
  omission(meant: string, before: string, at: number): number;
  /** Two adjacent letters exchanged. */
  readonly transposition: number;
}

export interface NearWord {
  readonly word: string;
  readonly cost: number;
}

const NONE = -1;

/**
 * Words as a tree of letters (UTF-16 units) in flat arrays. The search visits the tree with one row of the Damerau-Levenshtein table per
 * node (optimal string alignment: no letter takes part in two errors), and prunes branches that already cost too much.
 */
export class WordTrie {
  readonly #letter: number[] = [0];
  readonly #firstChild: number[] = [NONE];
  readonly #nextSibling: number[] = [NONE];
  readonly #isWord: boolean[] = [false];

  constructor(words: Iterable<string>) {
    // Sorted, so that a node's children are created in order and only the last one needs to be compared.
    for (const word of [...new Set(words)].sort()) this.#add(word);
  }

  #add(word: string): void {
    let node = 0;
    for (let at = 0; at < word.length; at++) {
      const letter = word.charCodeAt(at);
      // The newest child is first.
      const child = this.#firstChild[node]!;
      if (child !== NONE && this.#letter[child] === letter) {
        node = child;
        continue;
      }
      this.#letter.push(letter);
      this.#firstChild.push(NONE);
      this.#nextSibling.push(child);
      this.#isWord.push(false);
      const made = this.#letter.length - 1;
      this.#firstChild[node] = made;
      node = made;
    }
    this.#isWord[node] = true;
  }

  /** All words from which errors of total cost at most `limit` produce `written`, in no particular order. */
  near(written: string, limit: number, costs: SlipCosts): NearWord[] {
    const found: NearWord[] = [];
    const width = written.length + 1;
    /** One row of the table per depth of the tree; depth 0 is the empty word. */
    const rows = [new Float64Array(width)];
    const first = rows[0] as Float64Array;
    for (let at = 1; at < width; at++) {
      const before = written[at - 2] ?? '';
      first[at] = first[at - 1]! + costs.insertion(must(written[at - 1]), before, at - 1);
    }
    const walk = (node: number, prefix: string, least: number): void => {
      const depth = prefix.length;
      rows[depth + 1] ??= new Float64Array(width);
      const row = rows[depth + 1] as Float64Array;
      const last = prefix.slice(-1);
      for (let child = this.#firstChild[node]!; child !== NONE; child = this.#nextSibling[child]!) {
        const meant = String.fromCharCode(this.#letter[child]!);
        const lowest = fillRow(rows, depth, meant, last, written, limit, costs);
        const total = row[width - 1]!;
        if (this.#isWord[child] && total <= limit) found.push({ word: prefix + meant, cost: total });
        // Also checks one row above, because a transposition skips a row.
        if (lowest <= limit || least + costs.transposition <= limit) walk(child, prefix + meant, lowest);
      }
    };
    walk(0, '', 0);
    return found;
  }
}

/** Fills the row below `depth` for the letter `meant`, which follows `last`; only cells that may stay within the limit. Returns its minimum. */
function fillRow(
  rows: readonly Float64Array[],
  depth: number,
  meant: string,
  last: string,
  written: string,
  limit: number,
  costs: SlipCosts,
): number {
  const twoAbove = rows[depth - 1];
  const above = must(rows[depth]);
  const row = must(rows[depth + 1]);
  row[0] = above[0]! + costs.omission(meant, last, 0);
  let lowest = row[0] as number;
  let before = '';
  for (let at = 1; at < row.length; at++) {
    const letter = must(written[at - 1]);
    let cost = above[at - 1]!;
    if (letter !== meant && cost <= limit) cost += costs.substitution(meant, letter, at - 1);
    const left = row[at - 1]!;
    if (left <= limit) cost = Math.min(cost, left + costs.insertion(letter, before, at - 1));
    const up = above[at]!;
    if (up <= limit) cost = Math.min(cost, up + costs.omission(meant, last, at));
    if (twoAbove !== undefined && letter !== meant && letter === last && before === meant) {
      cost = Math.min(cost, twoAbove[at - 2]! + costs.transposition);
    }
    row[at] = cost;
    if (cost < lowest) lowest = cost;
    before = letter;
  }
  return lowest;
}

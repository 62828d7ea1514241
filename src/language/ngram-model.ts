/**
 * @file An n-gram language model with interpolated, modified Kneser-Ney smoothing (Chen and Goodman 1998, section 3; lower orders count the
 * contexts of a word, not its frequency). It is trained in memory on the texts of the data set. It rates how surprising a word is in its
 * context, and suggests words for a place.
 */
import { must, RobustError } from '../core/errors.js';
import { getOrCompute } from '../core/get-or-compute.js';
import type { Language } from '../core/language.js';
import { START, smooth } from './kneser-ney.js';
import { group, Trie } from './trie.js';

/** Reserved ids besides START: END closes a text; UNKNOWN represents all words not seen in training. */
const END = 1;
const UNKNOWN = 2;

export interface NgramOptions {
  /** Longest n-gram counted, from 1 to 6. @default 3 */
  readonly order?: number;
}

export interface RankedWord {
  readonly word: string;
  /** Natural logarithm. */
  readonly logProbability: number;
}

export class NgramModel {
  readonly order: number;
  /** Tokenizer. */
  readonly tokenize: Language['tokenize'];
  readonly #ids = new Map<string, number>();
  readonly #words: string[] = ['<s>', '</s>', '<unk>'];
  readonly #trie: Trie;
  /** p(word of the node | the rest of the node), by node. */
  readonly #probability: Float64Array;
  /** Backoff weight of a node as context. */
  readonly #backoff: Float64Array;
  /** Children of node n are at #children[#firstChild[n] .. #firstChild[n + 1]). */
  readonly #children: Int32Array;
  readonly #firstChild: Int32Array;
  /** Words that preceded word w, in the same layout. */
  readonly #before: Int32Array;
  readonly #firstBefore: Int32Array;

  /** Counts and smooths the texts' n-grams. Throws RobustError without texts, or for an order out of range. */
  constructor(texts: Iterable<string>, language: Pick<Language, 'tokenize'>, { order = 3 }: NgramOptions = {}) {
    if (!Number.isInteger(order) || order < 1 || order > 6) {
      throw new RobustError(`expected an n-gram order from 1 to 6, got ${order}`, { code: 'OPTION_INVALID' });
    }
    this.order = order;
    this.tokenize = (text) => language.tokenize(text);
    const { trie, counts, depths } = countNgrams(this.#sequences(texts), order);
    if (this.vocabulary === 0)
      throw new RobustError('expected texts to train the n-gram model on, got none with a word', {
        code: 'EXAMPLES_TOO_FEW',
        hint: 'Give it at least a few hundred texts of the kind under test.',
      });
    this.#trie = trie;
    [this.#firstChild, this.#children] = group(
      trie.size,
      trie.size - 1,
      (i) => trie.parent(i + 1),
      (i) => i + 1,
    );
    ({ probability: this.#probability, backoff: this.#backoff } = smooth(trie, counts, depths, order, this.#uniform));
    const pairs: number[] = [];
    for (let node = 1; node < trie.size; node++) if (depths[node] === 2) pairs.push(node);
    const wordOf = (i: number): number => trie.word(must(pairs[i]));
    const wordBefore = (i: number): number => trie.word(trie.parent(must(pairs[i])));
    [this.#firstBefore, this.#before] = group(this.#words.length, pairs.length, wordOf, wordBefore);
  }

  /** Number of distinct words in the training texts. */
  get vocabulary(): number {
    return this.#words.length - 3;
  }

  knows(word: string): boolean {
    return this.#ids.has(word.toLowerCase());
  }

  /**
   * Natural log of p(word | preceding words). `undefined` means the end of the text as the word, and its start as the first element of
   * `before`.
   */
  logProbability(word: string | undefined, before: readonly (string | undefined)[]): number {
    return Math.log(
      this.#p(
        word === undefined ? END : this.#id(word),
        before.map((w) => (w === undefined ? START : this.#id(w))),
      ),
    );
  }

  /** -log2 p of every token of the text and of its end, given the preceding ones. In bits. */
  surprisals(text: string): { readonly tokens: readonly string[]; readonly bits: Float64Array } {
    const tokens = this.tokenize(text);
    return { tokens, bits: this.#bits(tokens) };
  }

  /** 2 to the power of the mean surprisal of the text's tokens and its end. */
  perplexity(text: string): number {
    const { bits } = this.surprisals(text);
    return 2 ** (bits.reduce((sum, b) => sum + b, 0) / bits.length);
  }

  /**
   * The best words between `left` and `right`, by p(word | left) times p(right's first words | left, word). Only words that occurred next
   * to either neighbour in training are ranked.
   */
  candidates(left: readonly string[], right: readonly string[], limit = 20): RankedWord[] {
    const before = [START, ...left.map((w) => this.#id(w))];
    const after = [...right.map((w) => this.#id(w)), END].slice(0, this.order - 1);
    const ranked: RankedWord[] = [];
    for (const id of this.#seenBetween(before, after[0])) {
      if (id <= UNKNOWN) continue;
      let sum = Math.log(this.#p(id, before));
      const context = [...before, id];
      for (const word of after) {
        sum += Math.log(this.#p(word, context));
        context.push(word);
      }
      ranked.push({ word: must(this.#words[id]), logProbability: sum });
    }
    // Ties in alphabetical order, so that the order of the training texts has no influence.
    ranked.sort((a, b) => b.logProbability - a.logProbability || (a.word < b.word ? -1 : 1));
    return ranked.slice(0, limit);
  }

  /** Words that occurred after the longest end of `before` that occurred, or in front of `next`. */
  #seenBetween(before: readonly number[], next: number | undefined): ReadonlySet<number> {
    const seen = new Set<number>();
    for (let from = Math.max(0, before.length - this.order + 1); from <= before.length; from++) {
      // The empty context contains every word, so it is used only if no longer one was seen.
      if (from === before.length && seen.size > 0) continue;
      const node = this.#find(before, from, before.length);
      if (node < 0) continue;
      for (let i = this.#firstChild[node]!; i < this.#firstChild[node + 1]!; i++) {
        seen.add(this.#trie.word(this.#children[i]!));
      }
    }
    if (next === undefined) return seen;
    for (let i = this.#firstBefore[next]!; i < this.#firstBefore[next + 1]!; i++) seen.add(this.#before[i]!);
    return seen;
  }

  /** The word ids of each text. */
  *#sequences(texts: Iterable<string>): Iterable<readonly number[]> {
    const learn = (word: string): number => this.#words.push(word) - 1;
    for (const text of texts)
      yield [START, ...this.tokenize(text).map((token) => getOrCompute(this.#ids, token.toLowerCase(), learn)), END];
  }

  #id(word: string): number {
    return this.#ids.get(word.toLowerCase()) ?? UNKNOWN;
  }

  /** The node of ids[from..to), or -1. */
  #find(ids: readonly number[], from: number, to: number): number {
    let node = 0;
    for (let at = from; at < to && node >= 0; at++) node = this.#trie.child(node, ids[at]!);
    return node;
  }

  /** p(word | the last order - 1 of `before`): the longest n-gram seen, times the backoff weights of the longer contexts. */
  #p(word: number, before: readonly number[]): number {
    let weight = 1;
    for (let from = Math.max(0, before.length - this.order + 1); from <= before.length; from++) {
      const context = this.#find(before, from, before.length);
      if (context < 0) continue;
      const node = this.#trie.child(context, word);
      if (node >= 0) return weight * this.#probability[node]!;
      weight *= this.#backoff[context]!;
    }
    // Not in the vocabulary, or seen only as a start: the uniform share.
    return weight * this.#uniform;
  }

  /** One over the number of possible next words: the vocabulary, the end and the unknown. */
  get #uniform(): number {
    return 1 / (this.#words.length - 1);
  }

  #bits(tokens: readonly string[]): Float64Array {
    const ids = [START, ...tokens.map((token) => this.#id(token)), END];
    return Float64Array.from({ length: ids.length - 1 }, (_, i) => {
      const from = Math.max(0, i + 2 - this.order);
      return -Math.log2(this.#p(must(ids[i + 1]), ids.slice(from, i + 1)));
    });
  }
}

interface NgramCounts {
  readonly trie: Trie;
  /** By node. */
  readonly counts: Float64Array;
  readonly depths: readonly number[];
}

function countNgrams(sequences: Iterable<readonly number[]>, order: number): NgramCounts {
  const trie = new Trie();
  let counts = new Float64Array(4096);
  const depths: number[] = [0];
  for (const ids of sequences) {
    for (let from = 0; from < ids.length; from++) {
      let node = 0;
      for (let at = from; at < Math.min(ids.length, from + order); at++) {
        node = trie.grow(node, ids[at]!);
        depths[node] = at - from + 1;
        if (node >= counts.length) counts = grow(counts);
        counts[node] = counts[node]! + 1;
      }
    }
  }
  return { trie, counts, depths };
}

function grow(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(array.length * 2);
  longer.set(array);
  return longer;
}

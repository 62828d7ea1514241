/**
 * @file Spelling correction of a whole text by a noisy channel (Shannon 1948; for real-word errors Mays, Damerau and Mercer 1991, "Context
 * based spelling correction"). It finds the reading whose word sequence, times the likelihood of the typos that produce the text, is most
 * probable. A reading may join several tokens to one word ("te.dious", "bl ak") and split one into two ("thefilm").
 *
 * Differences: typos have a high prior, because they may be deliberate; and readings are searched by a beam, not exhaustively.
 */
import { must } from '../../core/errors.js';
import type { WordContext, WordFrequency } from '../../core/language.js';
import { leetSigns } from '../confusables.js';
import { matchCase } from '../match-case.js';
import { WordTrie } from '../word-trie.js';
import { slipCosts } from './spelling.js';

/** -ln p of an ordinary typo. */
const SLIP_COST = 4;
/** Added cost of reading a known word as another one. */
const REAL_WORD = 1.5;
/** Maximum cost in a word that no single typo explains, and its minimum length. */
const [TWO, LONG] = [2.2, 6];
/** Minimum letters of a dictionary word that the texts lack, next to a lost space. */
const LISTED = 4;
/** Cost of a space inserted, omitted or replacing a letter, in addition to the omission. */
const BLANK = 1;
/** -ln p of a first or last letter replaced by a space, which leaves two spaces as a hint. */
const LOST = 0.7;
/** Longer strings are not words. */
const LONGEST = 32;
/** Most tokens that are joined into one word. */
const MOST_JOINED = 5;
/** Readings kept per string, their maximum distance from the best (in ln p), and readings kept of the preceding text. */
const [CANDIDATES, BEHIND, BEAM] = [8, 9, 5];
/** Number of uses that makes a word missing from the texts as probable as all missing words together. */
const USUAL = 30;
/** Uses of an unlisted word: fewer than two adjacent listed words have, so that "escapistfun" is not a word. */
const UNLISTED = 1e-5;
/** Cost of a punctuation mark, a number or a word of another script that the texts lack, because it is not a typo. */
const NOT_A_WORD = 0.05;

/** Clitics, words and marks, as they are counted in English texts. */
const ATOM =
  /n['’]t(?!\p{L})|['’](?:s|re|ve|ll|d|m)(?!\p{L})|[\p{L}\p{N}]+?(?=n['’]t(?!\p{L}))|[\p{L}\p{N}]+|\.{2,}|-{2,}|\S/giu;

interface Atom {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A possible meaning of a string: one word, or two. */
interface Meant {
  readonly words: readonly string[];
  /** -ln p of the typos. */
  readonly cost: number;
}

/** A reading of the text up to an atom. */
interface Reading {
  readonly score: number;
  readonly last: string;
  readonly lastButOne: string;
  /** The last string as corrected, and its position. */
  readonly made: string;
  readonly from: number;
  readonly to: number;
  readonly before: Reading | undefined;
}

export interface ContextualOptions {
  /** Replaces words unknown to the texts and the dictionary. @default the word itself */
  readonly unknown?: string | undefined;
}

export class SpellingInContext {
  readonly #frequency: WordFrequency;
  readonly #context: WordContext;
  readonly #unknown: string | undefined;
  readonly #words: ReadonlySet<string>;
  readonly #hashed: HashedWords;
  #trie: WordTrie | undefined;
  readonly #meant = new Map<string, readonly Meant[]>();

  constructor(frequency: WordFrequency, context: WordContext, { unknown }: ContextualOptions = {}) {
    this.#frequency = frequency;
    this.#context = context;
    this.#words = frequency.words();
    this.#hashed = new HashedWords(this.#words);
    this.#unknown = unknown;
  }

  /** The most probable reading; parts that need no correction stay identical. */
  mend(text: string): string {
    const atoms = Array.from(text.matchAll(ATOM), ({ 0: atom, index }) => ({
      text: atom,
      start: index,
      end: index + atom.length,
    }));
    const start = { score: 0, last: '', lastButOne: '', made: '', from: 0, to: 0, before: undefined };
    /** Indexed by the next atom. */
    const beams: Reading[][] = [[start], ...atoms.map(() => [])];
    for (const [at, atom] of atoms.entries()) {
      const beam = keepBest(must(beams[at]));
      for (let count = 1; count <= MOST_JOINED && at + count <= atoms.length; count++) {
        const stretch = stretchOf(text, atoms, at, count);
        if (stretch === undefined) break;
        const meanings = stretch === '' ? [] : this.#readings(stretch, count > 1);
        must(beams[at + count]).push(...this.#extend(beam, meanings, stretch, atom.start));
      }
      for (const [from, to] of blanksBeside(text, atom)) {
        const stretch = text.slice(from, to);
        // One of two spaces stays.
        const apart = beam.filter((each) => each.to < from || from === 0);
        must(beams[at + 1]).push(...this.#extend(apart, this.#withLostSpace(stretch), stretch, from));
      }
    }
    return this.#render(text, keepBest(must(beams[atoms.length]))[0]);
  }

  /** Each reading continued by each meaning of the stretch at `start`. */
  #extend(beam: readonly Reading[], meanings: readonly Meant[], stretch: string, start: number): Reading[] {
    return meanings.flatMap((meant) => beam.map((before) => this.#extendOne(before, meant, stretch, start)));
  }

  #extendOne(before: Reading, { words, cost }: Meant, stretch: string, start: number): Reading {
    let { score, last, lastButOne } = before;
    score -= cost;
    for (const word of words) {
      // A hyphen does not separate words: "ex-wife".
      if (word === '-') continue;
      score += this.#score(word, last, lastButOne);
      [lastButOne, last] = [last, word];
    }
    const made = cost === 0 ? stretch : matchCase(words.join(' '), stretch);
    return { score, last, lastButOne, made, from: start, to: start + stretch.length, before };
  }

  /** ln p of a word after two others. */
  #score(word: string, last: string, lastButOne: string): number {
    const left = lastButOne === '' ? (last === '' ? [] : [last]) : [lastButOne, last];
    const fit = this.#context.logProbability(word, left);
    if (this.#context.knows(word)) return fit;
    const uses = /^[a-z]/.test(word) ? this.#frequency.of(word) + UNLISTED : NOT_A_WORD * USUAL;
    return fit + Math.log(Math.min(1, uses / USUAL));
  }

  #render(text: string, reading: Reading | undefined): string {
    const stretches: Reading[] = [];
    for (let now = reading; now?.before !== undefined; now = now.before) stretches.push(now);
    let made = '';
    let end = 0;
    for (const stretch of stretches.reverse()) {
      // A mark between two words, even if it was read as a typo of one, still separates them.
      const glued = /\p{L}$/u.test(made) && /^\p{L}/u.test(stretch.made) && end === stretch.from;
      const parted = glued && !/^\p{L}{2}$/u.test(text.slice(end - 1, end + 1));
      made += text.slice(end, stretch.from) + (parted ? ' ' : '') + this.#known(stretch.made);
      end = stretch.to;
    }
    return made + text.slice(end);
  }

  /** The word, or the replacement of an unknown one. */
  #known(word: string): string {
    const lower = word.toLowerCase();
    if (this.#unknown === undefined || !/\p{L}/u.test(word) || / /.test(word)) return word;
    return this.#isKnown(lower.replace('’', "'")) ? word : this.#unknown;
  }

  #isKnown(word: string): boolean {
    return this.#context.knows(word) || this.#frequency.isCommon(word);
  }

  /** Possible meanings of a string, the most probable first, regardless of its neighbours. */
  #readings(stretch: string, joined: boolean): readonly Meant[] {
    const known = this.#meant.get(stretch);
    if (known !== undefined) return known;
    const written = stretch.toLowerCase().replace('’', "'");
    const stands = !joined || this.#words.has(written);
    const literal: Meant[] = stands ? [{ words: [written], cost: 0 }] : [];
    const price = !joined && this.#isKnown(written) ? REAL_WORD : 0;
    const other = ({ words, cost }: Meant): Meant => ({ words, cost: cost * SLIP_COST + price });
    const others =
      /[a-z]/.test(written) && written.length <= LONGEST
        ? [...this.#near(written, joined), ...(/ /.test(written) ? [] : this.#apart(written))]
        : [];
    const meant = [...literal, ...others.map(other)];
    const score = ({ words, cost }: Meant) => words.reduce((sum, word) => sum + this.#score(word, '', ''), -cost);
    const scored = new Map(meant.map((each) => [each, score(each)]));
    const likeliest = Math.max(...scored.values());
    const best = meant
      .filter((each) => must(scored.get(each)) >= likeliest - BEHIND)
      .sort((a, b) => must(scored.get(b)) - must(scored.get(a)) || (must(a.words[0]) < must(b.words[0]) ? -1 : 1))
      .slice(0, CANDIDATES);
    // The literal reading is always possible.
    const all = literal.every((each) => best.includes(each)) ? best : [...best, ...literal];
    this.#meant.set(stretch, all);
    return all;
  }

  /** Words one typo away, or else two; the string itself at no cost if the texts have it in another case. */
  #near(written: string, joined: boolean): Meant[] {
    if (written.length < 2 || CLITICS.has(written)) return [];
    const near = new Map<string, number>();
    for (const [word, slips] of oneSlipFrom(written, this.#hashed)) {
      if (this.#words.has(word) && slips < (near.get(word) ?? Number.POSITIVE_INFINITY)) near.set(word, slips);
    }
    if (near.size === 0 && !joined && written.length >= LONG && !this.#words.has(written)) {
      this.#trie ??= new WordTrie(this.#words);
      for (const { word, cost } of this.#trie.near(written, TWO, slipCosts)) near.set(word, cost);
    }
    return Array.from(near, ([word, slips]) => ({ words: [word], cost: slips }));
  }

  /** Words whose first or last letter was replaced by a space here. */
  #withLostSpace(stretch: string): Meant[] {
    return LETTERS.map((letter) => stretch.toLowerCase().replace(' ', letter))
      .filter((word) => this.#words.has(word))
      .map((word) => ({ words: [word], cost: LOST }));
  }

  /** Two words without their space, or with a letter or mark instead of it. */
  #apart(written: string): Meant[] {
    const found: Meant[] = [];
    for (let at = 1; at < written.length; at++) {
      for (const skipped of [0, 1]) {
        const words = [written.slice(0, at), written.slice(at + skipped)];
        if (words.every(this.#stands)) found.push({ words, cost: BLANK + 0.3 * skipped });
      }
    }
    return found;
  }

  /** Whether a lost space may precede or follow this word: it occurs in the texts, or it is long and in the dictionary. */
  #stands = (word: string): boolean =>
    this.#context.knows(word) ? word.length > 1 || /[ai]/.test(word) : word.length >= LISTED && this.#words.has(word);
}

const CLITICS: ReadonlySet<string> = new Set(["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"]);

/** The most probable readings; among those with the same last two words only the best. */
function keepBest(readings: readonly Reading[]): Reading[] {
  const best = new Map<string, Reading>();
  for (const reading of readings) {
    const state = `${reading.lastButOne} ${reading.last}`;
    const other = best.get(state);
    if (other === undefined || reading.score > other.score) best.set(state, reading);
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, BEAM);
}

/** The text of `count` atoms; undefined if no word can begin like this, empty if no word can end here. */
function stretchOf(text: string, atoms: readonly Atom[], at: number, count: number): string | undefined {
  const [first, last] = [must(atoms[at]), must(atoms[at + count - 1])];
  if (count === 1) return first.text;
  const stretch = text.slice(first.start, last.end);
  if (stretch.length > LONGEST || !(mayBeLetter(first.text) || beginsWord(text, first))) return undefined;
  const spaces = stretch.match(/\s+/gu) ?? [];
  if (spaces.length > 1 || spaces.some((space) => space !== ' ')) return undefined;
  const wordy = (atom: Atom) => /^[\p{L}\p{N}]/u.test(atom.text);
  if (spaces.length === 1 && !(wordy(first) && wordy(last))) return '';
  return mayBeLetter(last.text) && /\p{L}/u.test(stretch) ? stretch : '';
}

/** Spans of the word with an adjacent space that another one separates from its neighbour; two spaces between sentences are normal. */
function blanksBeside(text: string, { text: atom, start, end }: Atom): (readonly [number, number])[] {
  if (!/^[a-z]+$/i.test(atom)) return [];
  return [
    ...(/(^|[^.!?:] ) $/.test(text.slice(Math.max(0, start - 3), start)) ? [[start - 1, end] as const] : []),
    ...(/^ ( |$)/.test(text.slice(end, end + 2)) ? [[start, end + 1] as const] : []),
  ];
}

let signs: ReadonlySet<string> | undefined;

/** Whether a word can begin with this atom: no writer puts such a mark before a word. */
const beginsWord = (text: string, { text: atom, start }: Atom): boolean =>
  /^[?!;:.,*%&/+=]$/.test(atom) && /^(\s|)$/.test(text.slice(Math.max(0, start - 1), start));

function mayBeLetter(atom: string): boolean {
  signs ??= new Set([...'abcdefghijklmnopqrstuvwxyz'].flatMap(leetSigns));
  return /^[\p{L}\p{N}]/u.test(atom) || signs.has(atom);
}

/** Letters of the listed words. */
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz'-"];

/** Rolling hash of strings by UTF-16 units, sum of unit[i] BASE^i: the hash of a string one edit away follows from partial sums. */
const BASE = 0x01000193;

/** Words by hash, to look up hundreds of strings without creating them. */
class HashedWords {
  readonly #slots: Int32Array;
  readonly #mask: number;

  constructor(words: ReadonlySet<string>) {
    const size = 2 ** Math.ceil(Math.log2(4 * Math.max(1, words.size)));
    this.#slots = new Int32Array(size);
    this.#mask = size - 1;
    for (const word of words) {
      let hash = 0;
      for (let at = word.length - 1; at >= 0; at--) hash = (Math.imul(hash, BASE) + word.charCodeAt(at)) | 0;
      let slot = scattered(hash) & this.#mask;
      while (this.#slots[slot] !== 0 && this.#slots[slot] !== hash) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = hash;
    }
  }

  /** False only for unlisted words; rarely true for them. */
  mayHave(hash: number): boolean {
    for (let slot = scattered(hash) & this.#mask; this.#slots[slot] !== 0; slot = (slot + 1) & this.#mask) {
      if (this.#slots[slot] === hash) return true;
    }
    // The value that marks an empty slot.
    return hash === 0;
  }
}

const scattered = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 12;

type SlipLookup = (at: number, middle: number, units: 0 | 1 | 2, from: number) => boolean;

/** Looks up written[..at], then `units` units with the hash `middle`, then written[from..]. */
function lookupIn(words: HashedWords, written: string): SlipLookup {
  const size = written.length;
  const power = new Int32Array(size + 2).fill(1);
  const head = new Int32Array(size + 1);
  for (let at = 0; at <= size; at++) power[at + 1] = Math.imul(power[at]!, BASE);
  for (let at = 0; at < size; at++) head[at + 1] = (head[at]! + Math.imul(written.charCodeAt(at), power[at]!)) | 0;
  /** Hash of written[at..] as if it began at index 0. */
  const tail = new Int32Array(size + 3);
  for (let at = size - 1; at >= 0; at--) tail[at] = (Math.imul(tail[at + 1]!, BASE) + written.charCodeAt(at)) | 0;
  return (at, middle, units, from) => {
    const rest = Math.imul(tail[from]!, power[units]!);
    return words.mayHave((head[at]! + Math.imul((middle + rest) | 0, power[at]!)) | 0);
  };
}

/** Possible intended words for a string with one typo, with the typo's cost: listed words and few others. */
function* oneSlipFrom(written: string, words: HashedWords): Iterable<readonly [string, number]> {
  const has = lookupIn(words, written);
  yield* wrongLetters(written, has);
  yield* extraLetters(written, has);
}

/** A letter is missing, or replaced by another one. */
function* wrongLetters(written: string, has: SlipLookup): Iterable<readonly [string, number]> {
  for (let at = 0; at <= written.length; at++) {
    const [before = '', here = ''] = [written[at - 1], written[at]];
    for (const letter of LETTERS) {
      const code = letter.charCodeAt(0);
      if (has(at, code, 1, at)) {
        yield [written.slice(0, at) + letter + written.slice(at), slipCosts.omission(letter, before, at)];
      }
      if (here !== '' && letter !== here && has(at, code, 1, at + 1)) {
        yield [written.slice(0, at) + letter + written.slice(at + 1), slipCosts.substitution(letter, here, at)];
      }
    }
  }
}

/** A letter was inserted, or exchanged with the next one. */
function* extraLetters(written: string, has: SlipLookup): Iterable<readonly [string, number]> {
  for (let at = 0; at < written.length; at++) {
    const [before = '', here = '', next = ''] = [written[at - 1], written[at], written[at + 1]];
    if (has(at, 0, 0, at + 1))
      yield [written.slice(0, at) + written.slice(at + 1), slipCosts.insertion(here, before, at)];
    const exchanged = (next.charCodeAt(0) + Math.imul(here.charCodeAt(0), BASE)) | 0;
    if (next !== '' && next !== here && has(at, exchanged, 2, at + 2)) {
      yield [written.slice(0, at) + next + here + written.slice(at + 2), slipCosts.transposition];
    }
  }
}

/**
 * @file Corrects typos by a noisy channel (Kernighan, Church and Gale 1990): it chooses the intended word with the greatest product of
 * frequency and likelihood of the typos. Common words stay.
 */
import { wordsOf } from '../../core/draft.js';
import type { WordFrequency } from '../../core/language.js';
import { leetSigns } from '../confusables.js';
import { matchCase } from '../match-case.js';
import { type SlipCosts, WordTrie } from '../word-trie.js';
import { neighbourKeys } from './keyboard.js';

/** Costs of typos, in units of one ordinary typo. */
const SLIP = {
  lookAlike: 0.4,
  doubled: 0.6,
  neighbour: 0.8,
  exchanged: 0.8,
  vowel: 0.9,
  ordinary: 1,
  space: 1.2,
} as const;
/** Added for the first letter, which writers rarely get wrong (Kukich 1992, section 1.1.2). */
const FIRST_LETTER_COST = 0.3;
/** -ln p of one ordinary typo: writers make about one in 150 letters. */
const SLIP_COST = 5;
/** Maximum cost of the typos in a word: one; two if that finds nothing and the word is long enough to be recognised. */
const [ONE, TWO, LONG] = [1.3, 2.2, 5];
/** Longer strings were not meant as words and would take seconds to look up. */
const LONGEST = 64;
/** Uses of a word that nothing lists. */
const UNKNOWN_WORD_USES = 0.001;

/** Cached cost of replacing one ASCII character by another; 0 if not computed yet. */
const substitutions = new Float64Array(128 * 128);

function substitution(meant: number, written: number): number {
  if (meant >= 128 || written >= 128) return substitutionCost(String.fromCharCode(meant), String.fromCharCode(written));
  const at = 128 * meant + written;
  if (substitutions[at] === 0)
    substitutions[at] = substitutionCost(String.fromCharCode(meant), String.fromCharCode(written));
  return substitutions[at]!;
}

function substitutionCost(meant: string, written: string): number {
  if (leetSigns(meant).includes(written)) return SLIP.lookAlike;
  if (neighbourKeys(meant, 'touching').includes(written)) return SLIP.neighbour;
  return /[aeiouy]/.test(meant) && /[aeiouy]/.test(written) ? SLIP.vowel : SLIP.ordinary;
}

/** Cost of one typo of each kind. */
export const slipCosts: SlipCosts = {
  transposition: SLIP.exchanged,
  substitution: (meant, written, at) => {
    const cost = substitution(meant.charCodeAt(0), written.charCodeAt(0));
    return at === 0 && cost !== SLIP.lookAlike ? cost + FIRST_LETTER_COST : cost;
  },
  insertion: (written, before, at) =>
    written === before ? SLIP.doubled : SLIP.ordinary + (at === 0 ? FIRST_LETTER_COST : 0),
  omission: (meant, before, at) =>
    meant === before ? SLIP.doubled : SLIP.ordinary + (at === 0 ? FIRST_LETTER_COST : 0),
};

interface Candidate {
  readonly word: string;
  /** ln p(word) + ln p(typos | word), without terms that are equal for all. */
  readonly score: number;
}

/** Words with a clitic: only the part before it is corrected. */
const CLITIC = /^(.+?)(['’](?:s|re|ve|ll|d|m)|n['’]t|['’])$/i;

export class SpellingCorrector {
  readonly #frequency: WordFrequency;
  #trie: WordTrie | undefined;
  readonly #known = new Map<string, Candidate>();

  constructor(frequency: WordFrequency) {
    this.#frequency = frequency;
  }

  /** The corrected text; parts that need no correction stay identical. */
  mend(text: string): string {
    const words = wordsOf(text);
    let made = '';
    let end = 0;
    for (let at = 0; at < words.length; at++) {
      const { text: word, start } = words[at]!;
      made += text.slice(end, start);
      end = start + word.length;
      const next = words[at + 1];
      // A stray space: "go od".
      const clitic = /['’]$/.test(made);
      if (!clitic && next !== undefined && text.slice(end, next.start) === ' ' && this.#isOne(word, next.text)) {
        const one = word + next.text;
        made += one;
        end = next.start + next.text.length;
        at++;
        continue;
      }
      made += this.#word(word);
    }
    return made + text.slice(end);
  }

  #isOne(first: string, second: string): boolean {
    const [a, b] = [first.toLowerCase(), second.toLowerCase()];
    if (!/^[a-z]+$/.test(a) || !/^[a-z]+$/.test(b)) return false;
    const common = (word: string): boolean =>
      word.length === 1 ? word === 'a' || word === 'i' : this.#frequency.isCommon(word);
    if (common(a) && common(b)) return false;
    return this.#frequency.isCommon(a + b);
  }

  #word(word: string): string {
    const clitic = CLITIC.exec(word);
    if (clitic !== null && this.#stands(word.toLowerCase())) return word;
    const stem = clitic?.[1] ?? word;
    const lower = stem.toLowerCase();
    // A word without Latin letters belongs to another language.
    if (lower.length < 3 || lower.length > LONGEST || !/[a-z]/.test(lower) || this.#stands(lower)) return word;
    const best = this.#best(lower);
    if (best.word === lower) return word;
    return matchCase(best.word, stem) + word.slice(stem.length);
  }

  /** Numbers and common words, or hyphenated words with such parts. */
  #stands = (word: string): boolean =>
    word
      .split('-')
      .every((part) => part === '' || /^\p{N}/u.test(part) || this.#frequency.isCommon(part.replace('’', "'")));

  /** The most probable intended word, possibly the word itself; ties in alphabetical order. */
  #best(written: string): Candidate {
    const known = this.#known.get(written);
    if (known !== undefined) return known;
    this.#trie ??= new WordTrie(this.#frequency.words());
    const score = (word: string, slips: number): Candidate => ({
      word,
      score: Math.log(this.#frequency.of(word) + UNKNOWN_WORD_USES) - SLIP_COST * slips,
    });
    let near = this.#trie.near(written, ONE, slipCosts);
    if (near.length === 0 && written.length >= LONG) near = this.#trie.near(written, TWO, slipCosts);
    const [best] = near
      .map(({ word, cost }) => score(word, cost))
      .concat(score(written, 0), this.#apart(written))
      .sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1)) as [Candidate];
    this.#known.set(written, best);
    return best;
  }

  /** Two words without a space: "thefilm". */
  #apart(written: string): Candidate[] {
    const found: Candidate[] = [];
    for (let at = 1; at < written.length; at++) {
      const [first, second] = [written.slice(0, at), written.slice(at)];
      const least = Math.min(...[first, second].map((word) => this.#uses(word)));
      if (least >= 1) found.push({ word: `${first} ${second}`, score: Math.log(least) - SLIP_COST * SLIP.space - 2 });
    }
    return found;
  }

  #uses = (word: string): number => (word.length > 1 || /[ai]/.test(word) ? this.#frequency.of(word) : 0);
}

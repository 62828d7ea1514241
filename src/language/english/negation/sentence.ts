/** @file A text as its tokens with tags and places, ready to be rewritten in its own style: plain, or tokenised and in lower case. */

import { baseForms } from '../base-forms.js';
import { section } from '../data-files.js';
import { inflect } from '../inflection.js';
import { tagTokens } from '../part-of-speech.js';
import { tokenize } from '../tokens.js';

export interface SentenceToken {
  readonly text: string;
  /** Lower case. */
  readonly word: string;
  /** Penn Treebank. */
  readonly tag: string;
  /** Offsets in the text, UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

const END = /^(?:[.!?…]|\.{2,})$/;
/** Words that deny, doubt or set apart: a rule that counts on a plain assertion keeps off them. */
export const NEGATORS = section('negation-words.txt', 'negators');
/** Words that join clauses, turn a verdict round, report it, or make it depend on something. */
const JOINTS = section('negation-words.txt', 'joints');
/** "Every episode is not a gem" denies some or all of them: it does not say which. */
export const UNIVERSAL = section('negation-words.txt', 'universal');
const BEFORE_LITTLE = section('negation-words.txt', 'determiners before "little"');
const FINITE = /^(?:VBZ|VBP|VBD|MD)$/;

export class Sentence {
  readonly text: string;
  readonly tokens: readonly SentenceToken[];
  /** Punctuation stands apart, as in corpora. */
  readonly tokenised: boolean;
  readonly lowerCase: boolean;
  #simple: boolean | undefined;

  constructor(text: string) {
    // One character for one, so that offsets hold.
    this.text = text.replaceAll('’', "'");
    this.tokenised = /\w [.,!?;]/.test(text) || /\w (?:n't|'s)\b/.test(text);
    this.lowerCase = !/\p{Lu}/u.test(text);
    let at = 0;
    this.tokens = tagTokens(tokenize(this.text)).map(({ text: token, word, tag }) => {
      const start = this.text.indexOf(token, at);
      at = start + token.length;
      return { text: token, word, tag, start, end: at };
    });
  }

  word(at: number): string {
    return this.tokens[at]?.word ?? '';
  }

  tag(at: number): string {
    return this.tokens[at]?.tag ?? '';
  }

  /** Does the sentence that holds token `at` end here, or is `at` past the text? */
  closes(at: number): boolean {
    return at >= this.tokens.length || END.test(this.word(at));
  }

  /** First token of the sentence that holds `at`. */
  opening(at: number): number {
    let first = at;
    while (first > 0 && !END.test(this.word(first - 1))) first--;
    return first;
  }

  /** Is any of the words in tokens [from, to)? */
  holds(words: Pick<ReadonlySet<string>, 'has'>, from = 0, to: number = this.tokens.length): boolean {
    for (let at = from; at < to; at++) if (words.has(this.word(at))) return true;
    return false;
  }

  /** Is the sentence of token `at` a question? */
  asks(at: number): boolean {
    let last = at;
    while (!this.closes(last)) last++;
    return this.word(last) === '?' || /\?/.test(this.word(last));
  }

  /**
   * One short assertion and no more: a single sentence of at most 16 tokens, one finite verb, nothing denied, doubted,
   * quoted, compared or set against it. What is said of its predicate is said of the text.
   */
  get simple(): boolean {
    this.#simple ??= this.#isSimple();
    return this.#simple;
  }

  #isSimple(): boolean {
    const tokens = this.tokens.filter((token) => !END.test(token.word));
    const ends = this.tokens.findIndex((token) => END.test(token.word));
    if (tokens.length === 0 || tokens.length > 16 || (ends >= 0 && ends < tokens.length)) return false;
    if (this.asks(0) || this.holds(JOINTS)) return false;
    // "this little film" denies nothing.
    const small = (at: number): boolean =>
      /^(?:little|few)$/.test(this.word(at)) && BEFORE_LITTLE.has(this.word(at - 1));
    if (this.tokens.some(({ word }, at) => NEGATORS.has(word) && !small(at))) return false;
    if (tokens.some((token) => /^[,;:()[\]"“”`*]|^--|^-l|^-r|^''|^[–—]/.test(token.word))) return false;
    const verbs = tokens.flatMap((token, at) => (FINITE.test(token.tag) ? [at] : []));
    return verbs.length === 1 && !this.holds(UNIVERSAL, 0, verbs[0]);
  }

  /** The text with tokens [from, to) replaced; with nothing in their place, the space beside them goes too. */
  replace(from: number, to: number, words: string): string {
    const start = this.tokens[from]?.start ?? this.text.length;
    const end = to > from ? (this.tokens[to - 1]?.end ?? this.text.length) : start;
    const said = this.say(from === 0 && this.capitalised ? words.charAt(0).toUpperCase() + words.slice(1) : words);
    if (to > from) {
      const after = said === '' ? this.text.slice(end).replace(/^ /, '') : this.text.slice(end);
      return this.text.slice(0, start) + said + after;
    }
    return `${this.text.slice(0, start)}${said} ${this.text.slice(start)}`;
  }

  /** The text after some words that open it: "There is no denying that" + it. */
  after(opening: string): string {
    return `${this.say(opening)} ${this.words(0, this.tokens.length)}${this.text.slice(this.tokens.at(-1)?.end ?? 0)}`;
  }

  /** Tokens [from, to) as they would stand inside a sentence: without the capital that opens one. */
  words(from: number, to: number): string {
    const [first, last] = [this.tokens[from], this.tokens[to - 1]];
    if (first === undefined || last === undefined) return '';
    const text = this.text.slice(first.start, last.end);
    const keeps =
      first.tag.startsWith('NNP') ||
      /^I\b/.test(first.text) ||
      (first.text.length > 1 && first.text === first.text.toUpperCase());
    return from === this.opening(from) && !keeps ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  }

  /** Words of ours in the text's style. */
  say(words: string): string {
    const spaced = this.tokenised ? words.replace(/([.,!?;])/g, ' $1') : words;
    return this.lowerCase ? spaced.toLowerCase() : spaced;
  }

  get capitalised(): boolean {
    return /^\P{L}*\p{Lu}/u.test(this.text);
  }
}

/** "do", "does" or "did" with the verb's base form, for a verb in a finite form; undefined for no such verb. */
export function withDo(word: string, tag: string): { auxiliary: string; base: string } | undefined {
  const auxiliary = ({ VBP: 'do', VBZ: 'does', VBD: 'did' } as const)[tag as 'VBP' | 'VBZ' | 'VBD'];
  const base = baseForms(word, 'verb').find((form) => inflect(form, tag) === word);
  return auxiliary === undefined || base === undefined ? undefined : { auxiliary, base };
}

/** @file A text as tagged tokens with positions, for rewrites in its style: plain, or tokenised and in lower case. */
import type { Polarity } from '../../../core/negation.js';
import { tagTokens } from '../part-of-speech.js';
import { isSentenceEnd, type Tokens } from '../token-tests.js';
import { tokenize } from '../tokens.js';

interface SentenceToken {
  readonly text: string;
  /** Lower case. */
  readonly word: string;
  /** Penn Treebank. */
  readonly tag: string;
  /** Offsets in the text, UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

export class Sentence implements Tokens {
  readonly text: string;
  /** Sentiment of the text. */
  readonly polarity: Polarity;
  readonly tokens: readonly SentenceToken[];
  /** Punctuation is separated by spaces, as in corpora. */
  readonly tokenised: boolean;
  readonly #lowerCase: boolean;
  readonly #capitalised: boolean;

  constructor(text: string, polarity: Polarity) {
    // Replaces single characters only, so offsets stay valid.
    this.text = text.replaceAll('’', "'");
    this.polarity = polarity;
    this.tokenised = /\w [.,!?;]/.test(text) || /\w (?:n't|'s)\b/.test(text);
    this.#lowerCase = !/\p{Lu}/u.test(text);
    this.#capitalised = /^\P{L}*\p{Lu}/u.test(this.text);
    let at = 0;
    this.tokens = tagTokens(tokenize(this.text)).map(({ text: token, word, tag }) => {
      const start = this.text.indexOf(token, at);
      at = start + token.length;
      return { text: token, word, tag, start, end: at };
    });
  }

  get length(): number {
    return this.tokens.length;
  }

  word(at: number): string {
    return this.tokens[at]?.word ?? '';
  }

  tag(at: number): string {
    return this.tokens[at]?.tag ?? '';
  }

  /** Is the sentence of token `at` a question? */
  isQuestion(at: number): boolean {
    let last = at;
    while (!isSentenceEnd(this, last)) last++;
    return this.word(last).includes('?');
  }

  /** The text with tokens [from, to) replaced; an empty replacement also removes the adjacent space. */
  replace(from: number, to: number, words: string): string {
    const start = this.tokens[from]?.start ?? this.text.length;
    const before = this.text.slice(0, start);
    const after = this.text.slice(this.tokens[to - 1]?.end ?? start);
    if (words === '') return /\S$/.test(before) ? before + after : before + after.replace(/^ /, '');
    const capital = from === 0 && this.#capitalised;
    // In "It's" no space precedes the clitic.
    const space = /\S$/.test(before) && /^'\w/.test(this.word(from)) && !words.startsWith(' ') ? ' ' : '';
    return before + space + (capital ? words.charAt(0).toUpperCase() + words.slice(1) : words) + after;
  }

  /** Tokens [from, to) in the middle of a sentence: without the initial capital. */
  words(from: number, to: number): string {
    const [first, last] = [this.tokens[from], this.tokens[to - 1]];
    if (first === undefined || last === undefined || to <= from) return '';
    const text = this.text.slice(first.start, last.end);
    const keeps =
      first.tag.startsWith('NNP') ||
      /^I\b/.test(first.text) ||
      (first.text.length > 1 && first.text === first.text.toUpperCase());
    return isSentenceEnd(this, from - 1) && !keeps ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  }

  /** Inserted words in the text's style. */
  style(words: string): string {
    const spaced = this.tokenised ? words.replace(/[.,!?;]|n't/g, ' $&') : words;
    return this.#lowerCase ? spaced.toLowerCase() : spaced;
  }
}

/** @file Tests of one token, as named in patterns: `film`, `NN`, `@noun`, `!a|b`. The format: rule-file.ts. */

/** Tagged tokens. Positions outside them have the word ''. */
export interface Tokens {
  readonly length: number;
  /** Lower case. */
  word(at: number): string;
  /** Penn Treebank. */
  tag(at: number): string;
}

/** Tokens [from, to). */
type TokenRange = readonly [from: number, to: number];

/** A match: the tokens in brackets, and the named ones. */
export interface PatternMatch {
  from: number;
  to: number;
  readonly named: Map<string, TokenRange>;
}

export type PatternTest<T> = (tokens: T, at: number, match?: PatternMatch) => boolean;
/** Names available to rules besides the sets and tests of their file. */
export interface RuleVocabulary<T extends Tokens> {
  readonly tests: Readonly<Record<string, (tokens: T, at: number) => boolean>>;
  /** Conditions on the whole text. */
  readonly texts?: Readonly<Record<string, (tokens: T) => boolean>>;
  /** Conditions on the position of the first token in brackets. */
  readonly places?: Readonly<Record<string, (tokens: T, at: number) => boolean>>;
  /** A set that the file does not define. */
  readonly set?: (name: string) => { has(word: string): boolean };
  /** The dictionary form of a verb in a finite form; undefined for other words. */
  readonly verb?: (word: string, tag: string) => string | undefined;
}

const SENTENCE_END = /^(?:[.!?…]|\.{2,})$/;

export const isInside = (tokens: Tokens, at: number): boolean => at >= 0 && at < tokens.length;

/** Does token `at` end a sentence, or is it outside the text? */
export const isSentenceEnd = (tokens: Tokens, at: number): boolean =>
  !isInside(tokens, at) || SENTENCE_END.test(tokens.word(at));

/** First token of the sentence that contains `at`. */
export function sentenceStart(tokens: Tokens, at: number): number {
  let first = at;
  while (first > 0 && !SENTENCE_END.test(tokens.word(first - 1))) first--;
  return first;
}

/** Sets and tests that patterns name. */
export class TokenTests<T extends Tokens> {
  readonly #vocabulary: RuleVocabulary<T>;
  readonly #tests = new Map<string, PatternTest<T>>();
  readonly #sets = new Map<string, { has(word: string): boolean }>();

  constructor(vocabulary: RuleVocabulary<T>) {
    this.#vocabulary = vocabulary;
    for (const [name, test] of Object.entries(vocabulary.tests)) this.#tests.set(name, test);
  }

  defineWords(name: string, words: readonly string[]): void {
    this.#sets.set(name, new Set(words));
  }

  defineTags(name: string, tags: readonly string[]): void {
    const set = new Set(tags);
    this.#tests.set(name, (tokens, at) => set.has(tokens.tag(at)));
  }

  define(name: string, test: PatternTest<T>): void {
    this.#tests.set(name, test);
  }

  named(name: string): PatternTest<T> {
    const test = this.#tests.get(name);
    if (test !== undefined) return test;
    const set = this.#set(name);
    return (tokens, at) => set.has(tokens.word(at));
  }

  #set(name: string): { has(word: string): boolean } {
    const set = this.#sets.get(name) ?? this.#vocabulary.set?.(name);
    if (set === undefined) throw new RangeError(`expected the name of a set or a test, got @${name}`);
    return set;
  }

  /** A test such as `!a|@b&NN`. */
  parse(text: string): PatternTest<T> {
    const parts = text.split('&').map((part) => this.#either(part));
    const [first, second] = parts as [PatternTest<T>, PatternTest<T> | undefined];
    if (parts.length === 1) return first;
    if (parts.length === 2 && second) return (t, at, match) => first(t, at, match) && second(t, at, match);
    return (tokens, at, match) => parts.every((part) => part(tokens, at, match));
  }

  #either(part: string): PatternTest<T> {
    if (/^!![^|]|\|![^|]/.test(part)) throw new RangeError(`expected ! before all choices, got ${part}`);
    const negated = /^!./.test(part);
    const words = new Set<string>();
    const tags = new Set<string>();
    const others: PatternTest<T>[] = [];
    for (const choice of part.slice(negated ? 1 : 0).split('|')) {
      const other = this.#special(choice);
      if (other !== undefined) others.push(other);
      else (/^[A-Z]+\$?$/.test(choice) ? tags : words).add(choice);
    }
    const [only] = others;
    if (only !== undefined && others.length === 1 && words.size === 0 && tags.size === 0) {
      return negated ? (tokens, at, match) => !only(tokens, at, match) : only;
    }
    return (tokens, at, match) =>
      negated !==
      ((words.size > 0 && words.has(tokens.word(at))) ||
        (tags.size > 0 && tags.has(tokens.tag(at))) ||
        (others.length > 0 && others.some((other) => other(tokens, at, match))));
  }

  /** A test of anything other than one word or tag; undefined for those. */
  #special(choice: string): PatternTest<T> | undefined {
    if (choice === '_') return isInside;
    if (choice === '$') return isSentenceEnd;
    if (choice.endsWith('~')) {
      const set = choice.startsWith('@') ? this.#set(choice.slice(1, -1)) : undefined;
      return (tokens, at) => {
        const base = this.#vocabulary.verb?.(tokens.word(at), tokens.tag(at));
        return base !== undefined && (set === undefined || set.has(base));
      };
    }
    if (choice.startsWith('@')) return this.named(choice.slice(1));
    if (/^-[a-z]/.test(choice)) {
      const ending = choice.slice(1);
      return (tokens, at) => tokens.word(at).length > ending.length && tokens.word(at).endsWith(ending);
    }
    if (/^=[a-z]/.test(choice)) {
      const name = choice.slice(1);
      return (tokens, at, match) => tokens.tag(at) === tokens.tag(match?.named.get(name)?.[0] ?? -1);
    }
    return undefined;
  }
}

/** @file Compiles patterns over tagged tokens to functions that match at a position. The format: rule-file.ts. */
import { must } from '../../core/errors.js';
import {
  isInside,
  type PatternMatch,
  type PatternTest,
  type RuleVocabulary,
  sentenceStart,
  type Tokens,
  type TokenTests,
} from './token-tests.js';

type NextStep<T> = (tokens: T, at: number, match: PatternMatch) => boolean;

export interface CompiledPattern<T> {
  /** Checks the conditions on the whole text. */
  readonly applies: (tokens: T) => boolean;
  /** The match whose first token in brackets is `at`. */
  readonly matches: (tokens: T, at: number) => PatternMatch | undefined;
}

/** Does a token of [from, to) pass? */
const some = <T>(tokens: T, from: number, to: number, test: PatternTest<T>): boolean => {
  for (let at = from; at < to; at++) if (test(tokens, at)) return true;
  return false;
};

interface PatternElement<T> {
  readonly test?: PatternTest<T>;
  /** The alternatives. */
  readonly group?: readonly (readonly PatternElement<T>[])[];
  readonly bracket?: 'from' | 'to';
  readonly name?: string | undefined;
  readonly least: number;
  readonly most: number;
}

/** Compiles the patterns of a file. */
export class PatternCompiler<T extends Tokens> {
  readonly #vocabulary: RuleVocabulary<T>;
  readonly #tests: TokenTests<T>;
  readonly #phrases = new Map<string, readonly string[]>();

  constructor(vocabulary: RuleVocabulary<T>, tests: TokenTests<T>) {
    this.#vocabulary = vocabulary;
    this.#tests = tests;
  }

  definePhrase(name: string, words: readonly string[]): void {
    this.#phrases.set(name, words);
  }

  /** Replaces phrase names by their elements. */
  #expand(words: readonly string[]): string[] {
    return words.flatMap((word) => {
      const [, name = '', phrase] = /^([a-z]+:)?%(.+)$/.exec(word) ?? [];
      if (phrase === undefined) return [word];
      const elements = this.#expand(this.#phrase(phrase));
      return name === '' ? elements : [`${name}(`, ...elements, ')'];
    });
  }

  #phrase(name: string): readonly string[] {
    const phrase = this.#phrases.get(name);
    if (phrase === undefined) throw new RangeError(`expected the name of a phrase, got %${name}`);
    return phrase;
  }

  /** Parses the alternatives in round brackets, up to the closing one. */
  #choices(words: string[]): PatternElement<T>[][] {
    const choices = [this.#elements(words)];
    while (words[0] === '/') {
      words.shift();
      choices.push(this.#elements(words));
    }
    return choices;
  }

  /** Consumes elements from the front of `words`, up to the end of the pattern or of an alternative. */
  #elements(words: string[]): PatternElement<T>[] {
    const elements: PatternElement<T>[] = [];
    while (words.length > 0 && !/^(?:\/|\)\??)$/.test(must(words[0]))) elements.push(this.#element(words));
    return elements;
  }

  #element(words: string[]): PatternElement<T> {
    const word = must(words.shift());
    if (word === '[') return { bracket: 'from', least: 0, most: 0 };
    if (word === ']') return { bracket: 'to', least: 0, most: 0 };
    const [, name, rest = word] = /^([a-z]+)[=:](?=.)(.+)$/.exec(word) ?? [];
    if (rest === '(') return { group: this.#choices(words), name, least: words.shift() === ')?' ? 0 : 1, most: 1 };
    const [, test = rest, sign, most] = /^(.+?)(?:(\?)|\*(\d*))$/.exec(rest) ?? [];
    const unlimited = most === '' ? Number.POSITIVE_INFINITY : Number(most ?? 1);
    return { test: this.#tests.parse(test), name, least: test === rest ? 1 : 0, most: sign ? 1 : unlimited };
  }

  #link(elements: readonly PatternElement<T>[], last: NextStep<T>): NextStep<T> {
    return elements.reduceRight((next, element) => this.#linkElement(element, next), last);
  }

  #linkElement({ test, group, bracket, name, least, most }: PatternElement<T>, next: NextStep<T>): NextStep<T> {
    if (bracket !== undefined) {
      return (tokens, at, match) => {
        match[bracket] = at;
        return next(tokens, at, match);
      };
    }
    if (group !== undefined) {
      const choices = group.map((choice) =>
        this.#link(choice, (tokens, at, match) => {
          if (name !== undefined) match.named.set(name, [match.named.get(name)?.[0] ?? at, at]);
          return next(tokens, at, match);
        }),
      );
      return (tokens, at, match) => {
        if (name !== undefined) match.named.set(name, [at, at]);
        return choices.some((choice) => choice(tokens, at, match)) || (least === 0 && next(tokens, at, match));
      };
    }
    const passes = must(test);
    return (tokens, at, match) => {
      let count = 0;
      while (count < most && (most === 1 || isInside(tokens, at + count)) && passes(tokens, at + count, match)) count++;
      for (; count >= least; count--) {
        if (name !== undefined) match.named.set(name, [at, at + count]);
        if (next(tokens, at + count, match)) return true;
      }
      return false;
    };
  }

  compile(text: string, conditions: readonly string[]): CompiledPattern<T> {
    const elements = this.#elements(this.#expand(text.split(' ')));
    const open = elements.findIndex(({ bracket }) => bracket === 'from');
    const before = elements.slice(0, open).map(({ test, least }) => (least === 1 ? test : undefined));
    const first = elements[open + 1];
    if (
      open < 0 ||
      first === undefined ||
      !elements.some(({ bracket }) => bracket === 'to') ||
      before.includes(undefined)
    )
      throw new RangeError(`expected [ ] in a pattern, and single tokens before it, got ${JSON.stringify(text)}`);
    const quick = first.least === 1 ? first.test : undefined;
    const opensText = text.startsWith('!_ ');
    const rest = this.#link(elements.slice(open), () => true);
    const texts = conditions.map((condition) => this.#ofText(condition)).filter((each) => each !== undefined);
    const places = conditions.map((condition) => this.#ofPlace(condition)).filter((each) => each !== undefined);
    if (texts.length + places.length < conditions.length)
      throw new RangeError(`expected conditions, got ${conditions}`);
    const matches = (tokens: T, at: number): PatternMatch | undefined => {
      if ((opensText && at >= open) || (quick !== undefined && !quick(tokens, at))) return undefined;
      for (let i = 0; i < open; i++) if (!must(before[i])(tokens, at - open + i)) return undefined;
      const match: PatternMatch = { from: at, to: at, named: new Map() };
      return rest(tokens, at, match) && places.every((holds) => holds(tokens, match)) ? match : undefined;
    };
    return { applies: (tokens) => texts.every((holds) => holds(tokens)), matches };
  }

  #ofText(condition: string): ((tokens: T) => boolean) | undefined {
    const [, least, most] = /^(\d+) to (\d+) tokens$/.exec(condition) ?? [];
    if (least !== undefined) return (tokens) => tokens.length >= Number(least) && tokens.length <= Number(most);
    return this.#vocabulary.texts?.[condition];
  }

  #ofPlace(condition: string): ((tokens: T, match: PatternMatch) => boolean) | undefined {
    const [, words, where] = /^no (\S+) (before|elsewhere|anywhere)$/.exec(condition) ?? [];
    if (words === undefined) {
      const named = this.#vocabulary.places?.[condition];
      return named && ((tokens, { from }) => named(tokens, from));
    }
    const test = this.#tests.parse(words);
    if (where === 'anywhere') return (tokens) => !some(tokens, 0, tokens.length, test);
    if (where === 'before') return (tokens, { from }) => !some(tokens, sentenceStart(tokens, from), from, test);
    return (tokens, { from, to }) => !some(tokens, 0, from, test) && !some(tokens, to, tokens.length, test);
  }
}

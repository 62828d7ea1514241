/**
 * @file Rules over tagged tokens, read from data files, so that what they say about English is data. The format:
 *
 *     words NAME a b c     a set of words                 tags NAME NN NNS     a set of Penn Treebank tags
 *     map NAME a=b c=d     a function for outputs         phrase NAME a b c    elements that `%NAME` stands for in patterns
 *     test NAME            a test of one token, the first in brackets: one of the patterns below it matches
 *     rule NAME            the patterns below it, tried in turn at each token; the first that matches wins
 *       PATTERN            two spaces: elements with a space between them
 *         when A, B        four spaces: conditions that must all hold
 *         OUTPUT           four spaces: what takes the place of the tokens in [ ]; without one, the pattern only keeps off the others
 *
 * An element of a pattern is a test of one token: a `word` in lower case, an ending `-ing`, a `TAG`, `@name` of a set or a test,
 * `@name~` for a finite form of a verb in the set and `~` for one of any verb, `$` for the end of a sentence or a place outside the
 * text, `_` for any token of the text, `=x` for the tag of the first token named x. `a|b` is either, `a&b` both (`|` binds tighter),
 * `!a|b` neither. `x=` before a test names its tokens; `?`, `*` and `*5` after it mean at most one, any number, at most five. `x:( ... )`
 * names several elements, `( ... / ... )` is either, `( ... )?` are optional. What stands before `[` has a fixed length. Outputs hold `{x}`, the tokens named x,
 * and `{function x}`.
 */

/** Tokens with tags. Places outside them have the word ''. */
export interface Tokens {
  readonly length: number;
  /** Lower case. */
  word(at: number): string;
  /** Penn Treebank. */
  tag(at: number): string;
}

/** Tokens [from, to). */
type TokenRange = readonly [from: number, to: number];

/** Where a pattern matched: the tokens in brackets, and those that it names. */
export interface PatternMatch {
  from: number;
  to: number;
  readonly named: Map<string, TokenRange>;
}

type PatternTest<T> = (tokens: T, at: number, match?: PatternMatch) => boolean;
type NextStep<T> = (tokens: T, at: number, match: PatternMatch) => boolean;

/** What rules may name besides the sets and tests of their file. */
export interface RuleVocabulary<T extends Tokens> {
  readonly tests: Readonly<Record<string, (tokens: T, at: number) => boolean>>;
  /** Conditions on the whole text. */
  readonly texts?: Readonly<Record<string, (tokens: T) => boolean>>;
  /** Conditions on the place of the first token in brackets. */
  readonly places?: Readonly<Record<string, (tokens: T, at: number) => boolean>>;
  /** A set that the file does not define. */
  readonly set?: (name: string) => { has(word: string): boolean };
  /** The dictionary form of a verb in a finite form; undefined for other words. */
  readonly verb?: (word: string, tag: string) => string | undefined;
}

interface CompiledPattern<T> {
  /** Do the conditions on the whole text hold? */
  readonly applies: (tokens: T) => boolean;
  /** Its match whose first token in brackets is `at`. */
  readonly matches: (tokens: T, at: number) => PatternMatch | undefined;
}

export interface RuleCase<T> extends CompiledPattern<T> {
  readonly outputs: readonly string[];
}

interface PatternRule<T> {
  readonly name: string;
  readonly cases: readonly RuleCase<T>[];
}

export interface RuleFile<T> {
  readonly rules: readonly PatternRule<T>[];
  readonly maps: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly test: (name: string) => (tokens: T, at: number) => boolean;
}

const SENTENCE_END = /^(?:[.!?…]|\.{2,})$/;

const isInside = (tokens: Tokens, at: number): boolean => at >= 0 && at < tokens.length;

/** Does token `at` end a sentence, or lie outside the text? */
export const isSentenceEnd = (tokens: Tokens, at: number): boolean =>
  !isInside(tokens, at) || SENTENCE_END.test(tokens.word(at));

/** First token of the sentence that holds `at`. */
function sentenceStart(tokens: Tokens, at: number): number {
  let first = at;
  while (first > 0 && !SENTENCE_END.test(tokens.word(first - 1))) first--;
  return first;
}

/** Does a token of [from, to) pass? */
const some = <T>(tokens: T, from: number, to: number, test: PatternTest<T>): boolean => {
  for (let at = from; at < to; at++) if (test(tokens, at)) return true;
  return false;
};

interface PatternElement<T> {
  readonly test?: PatternTest<T>;
  /** Each of the choices. */
  readonly group?: readonly (readonly PatternElement<T>[])[];
  readonly bracket?: 'from' | 'to';
  readonly name?: string | undefined;
  readonly least: number;
  readonly most: number;
}

class Compiler<T extends Tokens> {
  readonly #vocabulary: RuleVocabulary<T>;
  readonly #tests = new Map<string, PatternTest<T>>();
  readonly #phrases = new Map<string, readonly string[]>();
  readonly #sets = new Map<string, { has(word: string): boolean }>();

  constructor(vocabulary: RuleVocabulary<T>) {
    this.#vocabulary = vocabulary;
    for (const [name, test] of Object.entries(vocabulary.tests)) this.#tests.set(name, test);
  }

  defineWords(name: string, words: readonly string[]): void {
    this.#sets.set(name, new Set(words));
  }

  definePhrase(name: string, words: readonly string[]): void {
    this.#phrases.set(name, words);
  }

  defineTags(name: string, tags: readonly string[]): void {
    const set = new Set(tags);
    this.#tests.set(name, (tokens, at) => set.has(tokens.tag(at)));
  }

  defineTest(name: string, cases: readonly RuleCase<T>[]): void {
    this.#tests.set(name, (tokens, at) =>
      cases.some(({ applies, matches }) => applies(tokens) && matches(tokens, at) !== undefined),
    );
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
  #test(text: string): PatternTest<T> {
    const parts = text.split('&').map((part) => this.#either(part));
    const [first, second] = parts as [PatternTest<T>, PatternTest<T> | undefined];
    if (parts.length === 1) return first;
    if (parts.length === 2 && second) return (t, at, match) => first(t, at, match) && second(t, at, match);
    return (tokens, at, match) => parts.every((part) => part(tokens, at, match));
  }

  #either(part: string): PatternTest<T> {
    const negated = /^!./.test(part);
    const words = new Set<string>();
    const tags = new Set<string>();
    const others: PatternTest<T>[] = [];
    for (const choice of part.slice(negated ? 1 : 0).split('|')) {
      if (/^!./.test(choice)) throw new RangeError(`expected ! before all choices, got ${part}`);
      if (/^[A-Z]+\$?$/.test(choice)) tags.add(choice);
      else {
        const other = this.#special(choice);
        if (other === undefined) words.add(choice);
        else others.push(other);
      }
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

  /** A test of something else than one word or tag; undefined for those. */
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

  /** With the elements of phrases in place of their names. */
  #expanded(words: readonly string[]): string[] {
    return words.flatMap((word) => {
      const [, name = '', phrase] = /^([a-z]+:)?%(.+)$/.exec(word) ?? [];
      if (phrase === undefined) return [word];
      const elements = this.#expanded(this.#phrase(phrase));
      return name === '' ? elements : [`${name}(`, ...elements, ')'];
    });
  }

  #phrase(name: string): readonly string[] {
    const phrase = this.#phrases.get(name);
    if (phrase === undefined) throw new RangeError(`expected the name of a phrase, got %${name}`);
    return phrase;
  }

  /** What stands between round brackets, up to the closing one. */
  #choices(words: string[]): PatternElement<T>[][] {
    const choices = [this.#elements(words)];
    while (words[0] === '/') {
      words.shift();
      choices.push(this.#elements(words));
    }
    return choices;
  }

  /** Takes elements from the front of `words`, up to the end or to what ends a choice. */
  #elements(words: string[]): PatternElement<T>[] {
    const elements: PatternElement<T>[] = [];
    while (words.length > 0 && !/^(?:\/|\)\??)$/.test(words[0] as string)) {
      const word = words.shift() as string;
      const [, name, rest = word] = /^([a-z]+)[=:](?=.)(.+)$/.exec(word) ?? [];
      if (word === '[' || word === ']') {
        elements.push({ bracket: word === '[' ? 'from' : 'to', least: 0, most: 0 });
      } else if (rest === '(') {
        elements.push({ group: this.#choices(words), name, least: words.shift() === ')?' ? 0 : 1, most: 1 });
      } else {
        const [, test = rest, sign, most] = /^(.+?)(?:(\?)|\*(\d*))$/.exec(rest) ?? [];
        const unlimited = most === '' ? Number.POSITIVE_INFINITY : Number(most ?? 1);
        elements.push({ test: this.#test(test), name, least: test === rest ? 1 : 0, most: sign ? 1 : unlimited });
      }
    }
    return elements;
  }

  #link(elements: readonly PatternElement<T>[], last: NextStep<T>): NextStep<T> {
    return elements.reduceRight((next, element) => this.#linked(element, next), last);
  }

  #linked({ test, group, bracket, name, least, most }: PatternElement<T>, next: NextStep<T>): NextStep<T> {
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
    const passes = test as PatternTest<T>;
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

  pattern(text: string, conditions: readonly string[]): CompiledPattern<T> {
    const elements = this.#elements(this.#expanded(text.split(' ')));
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
      for (let i = 0; i < open; i++) if (!(before[i] as PatternTest<T>)(tokens, at - open + i)) return undefined;
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
    const test = this.#test(words);
    if (where === 'anywhere') return (tokens) => !some(tokens, 0, tokens.length, test);
    if (where === 'before') return (tokens, { from }) => !some(tokens, sentenceStart(tokens, from), from, test);
    return (tokens, { from, to }) => !some(tokens, 0, from, test) && !some(tokens, to, tokens.length, test);
  }
}

/** Reads the lines of a rule file. */
export function readRules<T extends Tokens>(lines: readonly string[], vocabulary: RuleVocabulary<T>): RuleFile<T> {
  const compiler = new Compiler(vocabulary);
  const rules: PatternRule<T>[] = [];
  const maps = new Map<string, ReadonlyMap<string, string>>();
  for (const [heading, ...body] of blocks(lines)) {
    const [kind, name, ...values] = (heading as string).split(' ') as [string, string, ...string[]];
    if (kind === 'words') compiler.defineWords(name, values);
    else if (kind === 'tags') compiler.defineTags(name, values);
    else if (kind === 'phrase') compiler.definePhrase(name, values);
    else if (kind === 'map') maps.set(name, new Map(values.map((pair) => pair.split('=') as [string, string])));
    else {
      const cases = readCases(body).map(({ pattern, conditions, outputs }) => ({
        ...compiler.pattern(pattern, conditions),
        outputs,
      }));
      if (kind === 'test') compiler.defineTest(name, cases);
      else if (kind === 'rule') rules.push({ name: [name, ...values].join(' '), cases });
      else throw new RangeError(`expected words, tags, map, phrase, test or rule, got ${JSON.stringify(heading)}`);
    }
  }
  return { rules, maps, test: (name) => compiler.named(name) };
}

/** Each heading with the lines indented below it. */
function blocks(lines: readonly string[]): string[][] {
  const found: string[][] = [];
  for (const line of lines) {
    if (line.startsWith(' ')) found.at(-1)?.push(line);
    else found.push([line]);
  }
  return found;
}

function readCases(body: readonly string[]): { pattern: string; conditions: string[]; outputs: string[] }[] {
  const cases: { pattern: string; conditions: string[]; outputs: string[] }[] = [];
  for (const line of body) {
    const text = line.trim();
    const last = cases.at(-1);
    if (!line.startsWith('    ') || last === undefined) cases.push({ pattern: text, conditions: [], outputs: [] });
    else if (text.startsWith('when ')) last.conditions.push(...text.slice(5).split(', '));
    else last.outputs.push(text);
  }
  return cases;
}

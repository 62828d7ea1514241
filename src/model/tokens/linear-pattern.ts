/**
 * @file Matches regular expressions from files in time linear in the text. V8 backtracks, so `(a+)+$` in an untrusted manifest or tokenizer
 * would run forever; RE2's automata do not. V8 determines the members of a class such as `\p{L}` or `\s`, so that both interpret a pattern
 * alike.
 */
import { RE2JS } from 're2js';
import { must } from '../../core/errors.js';
import { getOrCompute } from '../../core/get-or-compute.js';

/** Characters of a pattern. The longest of published tokenizers have some 600. */
const MAX_PATTERN_CHARACTERS = 10_000;

/** The end of most word-splitting tokenizer patterns: blanks up to the last one before a word, which belongs to the word. */
const BLANKS = [
  ['\\s', '\\S'],
  ['\\p{White_Space}', '\\P{White_Space}'],
].map(([blank = '', other]) => ({ blank, ending: `|${blank}+(?!${other})|${blank}+` }));

/** How the library of tokenizers writes the ends of a line and of the text, in RE2's words. */
const ENDS = [
  [String.raw`(?:(?=\n)|(?![\s\S]))`, '(?m:$)'],
  [String.raw`(?![\s\S])`, String.raw`\z`],
] as const;

/** Parts of a pattern (flag u) that match one character, and those that do not. */
const PART = new RegExp(
  [
    `(?<end>${ENDS.map(([end]) => end.replace(/[\\[\]()|?]/g, '\\$&')).join('|')})`,
    String.raw`(?<assertion>\\[bB])`,
    String.raw`(?<group>\((?:\?(?:[:=!]|<[=!]|<[A-Za-z_]\w*>))?)`,
    String.raw`(?<refused>\\[1-9k]|\(\?)`,
    String.raw`(?<set>\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89aAbB]..\\u[dD][c-fC-F]..|\\u.{4}|\\x..|\\c.|\\.|\.)`,
    String.raw`(?<syntax>[)|^$*+?]|\{\d+(?:,\d*)?\})`,
    '(?<letter>[^])',
  ].join('|'),
  'gsu',
);

interface Program {
  readonly automaton: RE2JS;
  /** The class of blanks, if its only group matches `BLANKS`. */
  readonly blank: RegExp | undefined;
}

/**
 * The pattern with the flags g and u, for all string methods that take one, without capturing. `unassigned`: a class of characters without
 * a category, whatever V8 knows of them. Throws SyntaxError for invalid patterns and for those that no automaton decides: back references
 * and lookaheads (except for blanks before a word).
 */
export function linearPattern(source: string, unassigned?: string): RegExp {
  if (source.length > MAX_PATTERN_CHARACTERS)
    throw new SyntaxError(`a pattern of ${source.length} characters, more than ${MAX_PATTERN_CHARACTERS}`);
  // V8 only parses it here, for its familiar error messages, and compiles on the first match.
  return new LinearPattern(new RegExp(source, 'gu'), 'gu', unassigned);
}

class LinearPattern extends RegExp {
  readonly #program: Program;
  readonly #unassigned: string | undefined;
  #text: string | undefined;
  #matcher: ReturnType<RE2JS['matcher']> | undefined;

  /** Methods of strings make a copy, from the pattern and the flags alone. */
  constructor(pattern: RegExp, flags: string, unassigned?: string) {
    super(pattern, flags);
    this.#unassigned = pattern instanceof LinearPattern ? pattern.#unassigned : unassigned;
    this.#program = programOf(pattern.source, this.#unassigned);
  }

  override exec(text: string): RegExpExecArray | null {
    // A matcher reads its text once, for any number of matches.
    if (this.#text !== text) this.#matcher = this.#program.automaton.matcher(text);
    this.#text = text;
    const matcher = must(this.#matcher);
    if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
      this.lastIndex = 0;
      return null;
    }
    const index = matcher.start();
    let end = matcher.end();
    const { blank } = this.#program;
    const isBlank = blank !== undefined && matcher.start(1) !== -1;
    if (isBlank && end - index > 1 && end < text.length && !blank.test(text.charAt(end))) end--;
    this.lastIndex = end;
    return Object.assign([text.slice(index, end)] as [string], { index, input: text });
  }

  /** The inherited method tries a match at every position. */
  override [Symbol.split](text: string, limit = 2 ** 32 - 1): string[] {
    const parts: string[] = [];
    let cursor = 0;
    for (const match of text.matchAll(this)) {
      const end = match.index + match[0].length;
      if (end === cursor || match.index >= text.length) continue;
      parts.push(text.slice(cursor, match.index));
      cursor = end;
    }
    if (text !== '' || this.exec('') === null) parts.push(text.slice(cursor));
    return parts.slice(0, limit);
  }
}

const programs = new Map<string, Program>();

function programOf(source: string, unassigned: string | undefined): Program {
  const key = `${unassigned ?? ''}/${source}`;
  return getOrCompute(programs, key, () => compile(source, unassigned));
}

function compile(source: string, unassigned: string | undefined): Program {
  for (const { blank, ending } of BLANKS) {
    if (!source.endsWith(ending)) continue;
    const before = re2(source.slice(0, -ending.length), unassigned);
    // It compiles alone, so that the ending is an alternative of its own.
    RE2JS.compile(before, RE2JS.LOOKBEHINDS);
    return {
      automaton: RE2JS.compile(`${before}|(${re2(blank, unassigned)}+)`, RE2JS.LOOKBEHINDS),
      blank: new RegExp(blank, 'u'),
    };
  }
  return { automaton: RE2JS.compile(re2(source, unassigned), RE2JS.LOOKBEHINDS), blank: undefined };
}

/** The pattern as RE2 writes it. */
function re2(source: string, unassigned: string | undefined): string {
  return source.replace(PART, (part: string, ...rest: unknown[]) => {
    const { end, assertion, group, refused, set, syntax } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    if (refused !== undefined || group === '(?=' || group === '(?!') {
      throw new SyntaxError(`"${part}" in /${source}/ cannot be matched in time linear in the text`);
    }
    if (end !== undefined) return must(ENDS.find(([written]) => written === end))[1];
    if (group !== undefined) return /^\(\?[:<][=!]?$/.test(group) ? group : '(?:';
    if (assertion !== undefined || syntax !== undefined) return part;
    return set === undefined ? `\\x{${must(part.codePointAt(0)).toString(16)}}` : `[${rangesOf(set, unassigned)}]`;
  });
}

const SURROGATES = { first: 0xd800, low: 0xdc00, last: 0xdfff } as const;
const classes = new Map<string, string>();

/** Characters that a class or an escape matches in V8, as ranges in RE2's syntax. */
function rangesOf(written: string, unassigned: string | undefined): string {
  const set = unassigned !== undefined && /\\[pP]\{/.test(written) ? without(written, unassigned) : written;
  return getOrCompute(classes, set, ranged);
}

/** A character of no category. */
const UNASSIGNED = '\u0378';

/** The class, with these characters in it only where every unassigned one is. */
const without = (set: string, unassigned: string): string =>
  `(?:(?!${unassigned})${set}${new RegExp(set, 'u').test(UNASSIGNED) ? `|${unassigned}` : ''})`;

/** All characters in two texts: high surrogates must not stand before low ones. */
const ALPHABET = lazily(() => {
  const text = (from: number, to: number): string => {
    let made = '';
    for (let at = from; at < to; at++) made += String.fromCodePoint(at);
    return made;
  };
  return [text(0, SURROGATES.low), text(SURROGATES.low, 0x110000)];
});

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function ranged(set: string): string {
  const run = new RegExp(`${set}+`, 'gu');
  const hex = (text: string, at: number): string => `\\x{${must(text.codePointAt(at)).toString(16)}}`;
  const ranges = ALPHABET().flatMap((text) =>
    Array.from(text.matchAll(run), ([found]) => {
      const last =
        found.length > 1 && found.charCodeAt(found.length - 2) >= SURROGATES.first
          ? found.length - 2
          : found.length - 1;
      const pair = must(found.codePointAt(last));
      return `${hex(found, 0)}-${hex(found, pair > 0xffff ? last : found.length - 1)}`;
    }),
  );
  // No character at all: what RE2 has no other word for.
  return ranges.length === 0 ? '^\\x{0}-\\x{10ffff}' : ranges.join('');
}

/**
 * @file Reads rules over tagged tokens from data files, so that knowledge about English is data. The format:
 *
 * ```
 *  words NAME a b c     a set of words
 *  tags NAME NN NNS     a set of Penn Treebank tags
 *  map NAME a=b c=d     a function for outputs
 *  phrase NAME a b c    elements that `%NAME` represents in patterns
 *  test NAME            a test of one token, the first in brackets: one of the following patterns matches
 *  rule NAME            the following patterns, tried in order at each token; the first match wins
 *  PATTERN            two spaces: elements separated by spaces
 *  when A, B        four spaces: conditions that must all be met
 *  OUTPUT           four spaces: replacement of the tokens in [ ]; without one, the pattern only excludes later ones
 * ```
 *
 * An element of a pattern tests one token:
 *
 * - a `word` in lower case, an ending `-ing`, a `TAG`, or `@name` for a set or a test
 * - `@name~` for a finite form of a verb in the set, `~` for one of any verb
 * - `$` for the end of a sentence or a position outside the text, `_` for any token of the text
 * - `=x` for the tag of the first token named x
 *
 * `a|b` is either, `a&b` both (`|` binds tighter), `!a|b` neither. `x=` before a test names its tokens. `?`, `*` and `*5` after it mean at
 * most one, any number, at most five. `x:( ... )` names several elements, `( ... / ... )` is either, `( ... )?` is optional. Everything
 * before `[` has a fixed length. Outputs contain `{x}`, the tokens named x, and `{function x}`.
 */
import { type CompiledPattern, PatternCompiler } from './patterns.js';
import { type RuleVocabulary, type Tokens, TokenTests } from './token-tests.js';

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

/** Reads the lines of a rule file. */
export function readRules<T extends Tokens>(lines: readonly string[], vocabulary: RuleVocabulary<T>): RuleFile<T> {
  const tests = new TokenTests(vocabulary);
  const patterns = new PatternCompiler(vocabulary, tests);
  const rules: PatternRule<T>[] = [];
  const maps = new Map<string, ReadonlyMap<string, string>>();
  const compile = (body: readonly string[]): RuleCase<T>[] =>
    readCases(body).map(({ pattern, conditions, outputs }) => ({ ...patterns.compile(pattern, conditions), outputs }));
  type Definition = (name: string, values: readonly string[], body: readonly string[]) => void;
  const definitions = new Map<string, Definition>([
    ['words', (name, values) => tests.defineWords(name, values)],
    ['tags', (name, values) => tests.defineTags(name, values)],
    ['phrase', (name, values) => patterns.definePhrase(name, values)],
    ['map', (name, values) => maps.set(name, new Map(values.map((pair) => pair.split('=') as [string, string])))],
    ['rule', (name, values, body) => rules.push({ name: [name, ...values].join(' '), cases: compile(body) })],
    [
      'test',
      (name, _, body) => {
        const cases = compile(body);
        tests.define(name, (tokens, at) => cases.some((each) => each.applies(tokens) && each.matches(tokens, at)));
      },
    ],
  ]);
  for (const [heading = '', ...body] of blocks(lines)) {
    const [kind, name, ...values] = heading.split(' ') as [string, string, ...string[]];
    const define = definitions.get(kind);
    if (define === undefined)
      throw new RangeError(`expected words, tags, map, phrase, test or rule, got ${JSON.stringify(heading)}`);
    define(name, values, body);
  }
  return { rules, maps, test: (name) => tests.named(name) };
}

/** Each heading with its indented lines. */
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

/** Matches of patterns over tagged tokens: the format of src/language/english/data/negation-rules.txt and tag-corrections.txt. */
import { describe, expect, test } from 'vitest';
import { readRules } from '../../src/language/english/rule-file.js';
import type { Tokens } from '../../src/language/english/token-tests.js';

/** "the/DT film/NN": tokens with tags. */
const tagged = (text: string): Tokens => {
  const pairs = text === '' ? [] : text.split(' ').map((pair) => pair.split('/') as [string, string]);
  return {
    length: pairs.length,
    word: (at) => pairs[at]?.[0] ?? '',
    tag: (at) => pairs[at]?.[1] ?? '',
  };
};

const TEXT = 'the/DT good/JJ old/JJ film/NN never/RB ends/VBZ well/RB ./.';
const HEADER = [
  'words ages old new',
  'tags noun NN NNS',
  'phrase described DT JJ*',
  'test described-noun',
  '  JJ [ @noun ]',
];

/** The tokens in brackets, and those named x, of the first match. */
function found(pattern: string, text = TEXT, when?: string): readonly [string, string] | undefined {
  const lines = [...HEADER, 'rule tried', `  ${pattern}`, ...(when === undefined ? [] : [`    when ${when}`])];
  const { rules } = readRules(lines, {
    tests: { long: (tokens, at) => tokens.word(at).length > 4 },
    texts: { false: () => false },
    places: { early: (_, at) => at < 3 },
    verb: (word) => (word === 'ends' ? 'end' : undefined),
  });
  const tokens = tagged(text);
  const words = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => tokens.word(from + i)).join(' ');
  for (let at = 0; at < tokens.length; at++) {
    for (const { applies, matches } of rules[0]?.cases ?? []) {
      const match = applies(tokens) ? matches(tokens, at) : undefined;
      if (match !== undefined) return [words(match.from, match.to), words(...(match.named.get('x') ?? [0, 0]))];
    }
  }
  return undefined;
}

test.each<[string, string | undefined, string?]>([
  ['[ never ]', 'never'],
  ['[ NN ]', 'film'],
  ['[ @noun ]', 'film'],
  ['[ @ages ]', 'old'],
  ['[ @described-noun ]', 'film'],
  ['[ @long ]', 'never'],
  ['[ -er ]', 'never'],
  ['[ ~ ]', 'ends'],
  ['[ @ages~ ]', undefined],
  ['[ JJ&!good ]', 'old'],
  ['[ !DT|good ]', 'old'],
  ['DT JJ [ _ ]', 'old'],
  ['!_ [ _ ]', 'the'],
  ['!_ [ film ]', undefined],
  ['[ _ ] !_', '.'],
  ['[ well ] $', 'well'],
  ['[ DT x=JJ* @noun ]', 'the good old film', 'good old'],
  ['[ x=JJ* film ]', 'good old film', 'good old'],
  ['[ DT JJ*1 ] film', undefined],
  ['[ DT JJ*2 ] film', 'the good old'],
  ['[ never fast? ends ]', 'never ends'],
  ['[ x:( never / ends ) well ]', 'ends well', 'ends'],
  ['[ film ( always )? never ]', 'film never'],
  ['[ x=JJ =x ]', 'good old', 'good'],
  ['[ x:%described ] film', 'the good old', 'the good old'],
])('%s finds %s', (pattern, expected, named = '') =>
  expect(found(pattern)).toEqual(expected === undefined ? undefined : [expected, named]),
);

test.each<[string, boolean]>([
  ['no the before', false],
  ['no well before', true],
  ['no film elsewhere', true],
  ['no the|well elsewhere', false],
  ['no film anywhere', false],
  ['1 to 8 tokens', true],
  ['9 to 20 tokens', false],
  ['false', false],
  ['early', false],
])('when %s: %s', (when, expected) => expect(found('[ film ]', TEXT, when) !== undefined).toBe(expected));

test('a sentence before another one counts for nothing', () =>
  expect(found('[ film ]', 'never/RB ./. a/DT film/NN', 'no never before')).toBeDefined());

describe('refuses', () => {
  test.each([
    ['a set that is not defined', '[ @unknown ]', undefined],
    ['a phrase that is not defined', '[ %unknown ]', undefined],
    ['no brackets', 'film', undefined],
    ['a length that varies before the brackets', 'JJ* [ film ]', undefined],
    ['a negation of one choice of several', '[ a|!b ]', undefined],
    ['a condition that is not defined', '[ film ]', 'unknown'],
  ])('%s', (_, pattern, when) => expect(() => found(pattern, TEXT, when)).toThrow(RangeError));

  test('a heading of no kind', () => expect(() => readRules(['rules a'], { tests: {} })).toThrow(RangeError));
});

import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { describe, expect, test } from 'vitest';
import { noNewStopWords, protect } from '../../src/constraints/words.js';
import { english } from '../../src/language/english/index.js';
import {
  type Constraint,
  Draft,
  keepStopWords,
  maxEdits,
  maxFraction,
  maxWords,
  minLength,
  noRepeat,
} from '../../src/plugin.js';

const editable = (constraint: Constraint, draft: Draft) =>
  draft.words.filter((_, at) => constraint.editable?.(draft, at, english) ?? true);
const accepts = async (constraint: Constraint, candidate: Draft, original: Draft) =>
  (await constraint.accepts?.([candidate], original, english))?.[0];

test.each([
  [noRepeat, 'each word edited once'],
  [keepStopWords, 'stop words kept'],
  [noNewStopWords, 'no word becomes a stop word'],
  [minLength(4), 'only words of 4 letters or more'],
  [maxWords(1), 'at most 1 word edited'],
  [maxWords(3), 'at most 3 words edited'],
  [maxFraction(0.25), 'at most 25 % of words edited'],
  [maxEdits(30), 'at most 30 character edits'],
  [protect(['Acme Corp', 'safe']), 'protected: Acme Corp, safe'],
])('a constraint is named with its bounds: %#', (constraint, name) => {
  expect(constraint.name).toBe(name);
});

const draft = Draft.of("The film isn't good, and it’s NOT a well-made one");

describe('which words may be edited', () => {
  test.each([
    ['stop words, in any case and with either apostrophe', keepStopWords, ['film', 'good', 'well-made', 'one']],
    ['short words', minLength(4), ['film', "isn't", 'good', 'it’s', 'well-made']],
    ['protected words', protect(['FILM', "it's"]), ['The', "isn't", 'good', 'and', 'NOT', 'a', 'well-made', 'one']],
    [
      'a protected phrase, whatever stands between its words',
      protect(['good and']),
      ['The', 'film', "isn't", 'it’s', 'NOT', 'a', 'well-made', 'one'],
    ],
    ['a phrase that does not occur', protect(['film good', '?!']), [...draft.words]],
  ])('%s', (_, constraint, words) => {
    expect(editable(constraint, draft)).toEqual(words);
  });

  test('a word edited before stays', () => {
    expect(editable(noRepeat, Draft.of('one two').replace(0, '1'))).toEqual(['two']);
  });

  test('once the limit is reached, only words edited already', () => {
    const edited = Draft.of('one two three four').replace(1, '2');
    expect(editable(maxWords(1), edited)).toEqual(['2']);
    expect(editable(maxFraction(0.25), edited)).toEqual(['2']);
    expect(editable(maxFraction(0.26), edited)).toHaveLength(4); // rounded up
  });
});

describe('which drafts are legal', () => {
  const original = Draft.of('a good film');
  test.each([
    ['within the limit', maxWords(1), original.replace(1, 'bad'), true],
    ['beyond it', maxWords(1), original.replace(1, 'bad').replace(2, 'cast'), false],
    [
      'edited back counts for nothing',
      maxWords(1),
      original.replace(1, 'bad').replace(2, 'x').replace(2, 'film'),
      true,
    ],
    ['a third', maxFraction(0.3), original.replace(1, 'bad'), true],
    ['two thirds', maxFraction(0.3), original.replace(1, 'bad').replace(2, 'cast'), false],
    ['few edits', maxEdits(3), original.replace(1, 'gold'), true],
    ['a new stop word', noNewStopWords, original.replace(1, 'other'), false],
    ['a stop word for another', noNewStopWords, original.replace(0, 'the'), true],
    ['a comparison of two words', noNewStopWords, original.replace(1, 'more amusing'), true],
    ['a removed word', noNewStopWords, original.replace(1, ''), true],
    ['many edits', maxEdits(3), original.replace(1, 'wonderful'), false],
    ['a protected phrase in a rewritten text', protect(['good film']), Draft.of('This is one good film'), true],
    ['one that is gone from it', protect(['good film']), Draft.of('This film is good'), false],
  ])('%s', async (_, constraint, candidate, legal) => {
    expect(await accepts(constraint, candidate, original)).toBe(legal);
  });

  test('the shortcut of the edit distance gives what measuring the whole texts gives', async () => {
    const edit = fc.record({
      at: fc.nat(3),
      word: fc.constantFrom('', 'a', 'god', 'goood', 'movie', 'xyzxyz'),
      gap: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 5 }), fc.nat(12), async (edits, most) => {
        const start = Draft.of('one good film, two');
        let candidate = start;
        for (const { at, word, gap } of edits) {
          candidate = gap && at < 3 ? candidate.join(at, word) : candidate.replace(at, word);
        }
        expect(await accepts(maxEdits(most), candidate, start)).toBe(distance(candidate.text, start.text) <= most);
        const other = Draft.of(candidate.text);
        expect(await accepts(maxEdits(most), other, start)).toBe(distance(candidate.text, start.text) <= most);
      }),
    );
  });
});

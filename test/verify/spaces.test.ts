/** The spaces of edits against enumerations of other kinds: all strings of an alphabet by their edit distance, and the edits of attacks. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { Draft } from '../../src/core/draft.js';
import { random } from '../../src/core/random.js';
import { applyEdits, type TextEdit } from '../../src/core/text-edit.js';
import { english } from '../../src/language/english/index.js';
import { charactersOf } from '../../src/verify/characters.js';
import { pairsOf } from '../../src/verify/edits.js';
import { placesOf, type SpaceName } from '../../src/verify/spaces.js';
import { tries } from '../cover.js';
import { blind } from '../search/toys.js';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz '];

const editsOf = (space: SpaceName, text: string, alphabet = LETTERS, repeats = false): TextEdit[] =>
  [...placesOf([space], text, { language: english, alphabet, repeats })].flatMap((place) => [...place.edits()]);

const textsOf = (...given: Parameters<typeof editsOf>): string[] =>
  editsOf(...given).map((edit) => applyEdits(given[1], [edit]));

/** The optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours, no stretch edited twice. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i ? (j ? 0 : i) : j)),
  );
  const at = (i: number, j: number): number => rows[i]?.[j] as number;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      (rows[i] as number[])[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]),
        swap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(a.length, b.length);
}

/** All strings over an alphabet of at most `most` characters. */
function stringsOf(alphabet: readonly string[], most: number): string[] {
  let [all, longest] = [[''], ['']];
  for (let length = 1; length <= most; length++) {
    longest = longest.flatMap((start) => alphabet.map((character) => start + character));
    all = all.concat(longest);
  }
  return all;
}

const SMALL = ['a', 'b', ' '];
const shortText = (maxLength: number) =>
  fc.array(fc.constantFrom(...SMALL), { maxLength }).map((characters) => characters.join(''));

describe('characters', () => {
  test('one edit gives each string at a distance of 1 over the alphabet, once', () => {
    fc.assert(
      fc.property(shortText(5), (text) => {
        const wanted = stringsOf(SMALL, text.length + 1).filter((other) => distance(text, other) === 1);
        expect(textsOf('characters', text, SMALL).sort()).toEqual(wanted.sort());
      }),
      { numRuns: tries(60) },
    );
  });

  test('pairs of edits give the strings at a distance of up to 2', () => {
    fc.assert(
      fc.property(shortText(4), (text) => {
        const wanted = stringsOf(SMALL, text.length + 2).filter((other) => distance(text, other) <= 2);
        const edits = editsOf('characters', text, SMALL, true);
        const pairs = edits.flatMap((a, at) => edits.slice(0, at + 1).flatMap((b) => pairsOf(a, b)));
        const found = new Set([
          text,
          ...edits.map((edit) => applyEdits(text, [edit])),
          ...pairs.map((pair) => applyEdits(text, pair)),
        ]);
        expect([...found].sort()).toEqual(wanted.sort());
      }),
      { numRuns: tries(40) },
    );
  });

  test('a sentence of n characters has some 54 n texts, each different', () => {
    const text = 'it is a charming and often affecting journey .';
    const texts = textsOf('characters', text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.length).toBeGreaterThan(53 * text.length);
    expect(texts.length).toBeLessThan(56 * text.length);
  });

  test('letters keep their combining marks', () => {
    const texts = textsOf('characters', 'é!'.normalize('NFD'), ['x']);
    for (const text of texts) expect(text).not.toMatch(/^\p{M}|[x!]\p{M}/u);
    expect(texts).toContain('!');
  });

  test('the alphabet of the data has the blank and no invisible character', () => {
    expect(charactersOf(['b a', 'a\u200bc\n'])).toEqual([' ', 'a', 'b', 'c']);
  });
});

describe('words', () => {
  const TEXT = "A lovely film, don't miss it";

  test.each(['typos', 'synonyms', 'look-alikes', 'layout'] as const)(
    '%s: no text is the original or comes twice from a place',
    (space) => {
      for (const place of placesOf([space], TEXT, { language: english, alphabet: [], repeats: false })) {
        const texts = [...place.edits()].map((edit) => applyEdits(TEXT, [edit]));
        expect(new Set(texts).size).toBe(texts.length);
        expect(texts).not.toContain(TEXT);
      }
    },
  );

  test.each([
    ['typos', ['A lvoely film', 'A lovly film', 'A lovelyy film', 'A kovely film', 'A klovely film']],
    ['synonyms', ['A lovely movie', 'A lovely picture']],
    ['look-alikes', ['A l\u043evely film', 'A l0vely film']],
    [
      'layout',
      ['A love ly film', 'A LOVELY film', 'Alovely film', 'a lovely film', 'A lov\u200bely film', 'A lovely\nfilm'],
    ],
  ] as const)('%s holds %j', (space, wanted) => {
    expect(textsOf(space, 'A lovely film')).toEqual(expect.arrayContaining([...wanted]));
  });

  test('a typo makes no other word', () => {
    expect(textsOf('typos', 'not bad')).not.toContain('now bad');
  });

  test('the article before a synonym agrees with it', () => {
    const texts = textsOf('synonyms', 'a film');
    for (const text of texts) expect(text).toMatch(/^(?:an [aeiou]|a [^aeiou])/);
  });

  test.each([
    ['human-typos', 'typos'],
    ['homoglyphs', 'look-alikes'],
    ['leet', 'look-alikes'],
    ['punctuation', 'layout'],
    ['merge-words', 'layout'],
    ['case-flip', 'layout'],
    ['zero-width', 'layout'],
    ['swap-synonyms', 'synonyms'],
  ] as const)('every single edit of %s is in the space of %s', async (name, space) => {
    const plugin =
      attacks.find((attack) => attack.name === name)?.transformation ??
      (await import('../../src/recipes/transformations.js')).sharedTransformations.find((each) => each.name === name);
    const draft = Draft.of('The tedious plot drags, but the cast of this film is charming');
    const slots = Array.from({ length: draft.size }, (_, slot) => slot);
    const known = new Set(textsOf(space, draft.text));
    const edited: string[] = [];
    const transformation = plugin?.create(plugin.options.parse({}));
    for await (const { text } of transformation?.edits(draft, slots, random(1), blind) ?? []) {
      // Leet also replaces all vowels at once, which the space has only for letters of other alphabets.
      if (name !== 'leet' || distance(draft.text, text) <= 1) edited.push(text);
    }
    expect(edited.length).toBeGreaterThan(2);
    expect(edited.filter((text) => !known.has(text))).toEqual([]);
  });
});

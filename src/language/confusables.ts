/** @file Look-alike characters. */
import { VOWELS } from '../../packages/shield/src/letters.js';
import { GREEK_LATIN } from '../../packages/shield/src/look-alikes.js';
import { lazily, table } from './data-files.js';

const pairs = lazily(() => table('homoglyphs.tsv') as [string, string, string][]);
const doubles = lazily(() => new Map(pairs().map(([latin, double]) => [latin, double])));
const latin = lazily(() => new Map([...GREEK_LATIN, ...pairs().map(([letter, double]) => [double, letter] as const)]));

const signs = lazily(() => new Map((table('leet.tsv') as [string, string][]).map(([from, to]) => [from, [...to]])));
// If a sign represents several letters, the first one wins: reading "1" as "l" is one more letter to forgive.
const letters = lazily(
  () => new Map([...signs()].flatMap(([letter, stand]) => stand.map((sign) => [sign, letter] as const)).reverse()),
);

/** Han characters -> Kangxi radicals, which Unicode encodes a second time. */
const radicals = lazily(
  () =>
    new Map(
      Array.from({ length: 0x2fd6 - 0x2f00 }, (_, at) => String.fromCodePoint(0x2f00 + at)).map((radical) => [
        radical.normalize('NFKC'),
        radical,
      ]),
    ),
);

/** Devanagari vowels -> another letter with a sign that looks the same. */
const vowels = new Map([...VOWELS].map(([drawn, vowel]) => [vowel, drawn]));

/** A vowel with its marks. */
const vowelWithMarks = (letter: string): string | undefined => {
  const double = vowels.get(letter.charAt(0));
  return double && double + letter.slice(1);
};

/**
 * Look-alike of a letter: for a Latin letter one of another alphabet, for another alphabet the Latin one, for a Han character its radical,
 * for a Devanagari vowel another letter with a sign. Undefined if no character is close enough.
 */
export const homoglyph = (letter: string): string | undefined =>
  doubles().get(letter) ??
  (/[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(letter)
    ? latin().get(letter)
    : (radicals().get(letter) ?? vowelWithMarks(letter)));

/**
 * Arabic letters, and lam with alef -> presentation forms: isolated, final and, for letters that join on both sides, initial and medial.
 */
const forms = lazily(() => {
  const found = new Map<string, string[]>();
  for (let code = 0xfe80; code <= 0xfefc; code++) {
    const form = String.fromCodePoint(code);
    const letter = form.normalize('NFKC');
    found.set(letter, [...(found.get(letter) ?? []), form]);
  }
  return found;
});

/**
 * The word in presentation forms, which Unicode has only for old encodings: each letter in the shape that its neighbours require. Undefined
 * if a word has none, or has marks, which would become separate letters.
 */
export function presentationForms(word: string): string | undefined {
  const letters = word.match(/ل[آأإا]|./gsu) ?? [];
  if (!letters.every((letter) => forms().has(letter))) return undefined;
  const joins = (letter: string | undefined): boolean => (forms().get(letter ?? '')?.length ?? 0) > 2;
  const joinsBothWays = (letter: string | undefined): boolean => (forms().get(letter ?? '')?.length ?? 0) > 1;
  return letters
    .map((letter, at) => {
      const [before, behind] = [
        joins(letters[at - 1]) && joinsBothWays(letter),
        joins(letter) && joinsBothWays(letters[at + 1]),
      ];
      return forms().get(letter)?.[Number(before) + 2 * Number(behind)];
    })
    .join('');
}

/** The Latin letter that a letter of another alphabet resembles; otherwise the letter itself. */
export const latinOf = (letter: string): string => latin().get(letter) ?? letter;

/** Signs and digits that represent a letter ("a": "@", "4"), the closest first. */
export const leetSigns = (letter: string): readonly string[] => signs().get(letter.toLowerCase()) ?? [];

/** The letter that a sign or digit represents (alphabetically the first of several); otherwise the sign itself. */
export const letterOf = (sign: string): string => letters().get(sign) ?? sign;

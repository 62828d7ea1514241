/** @file Characters that look like a letter. */
import { lazily, table } from './data-files.js';

const pairs = lazily(() => table('homoglyphs.tsv') as [string, string, string][]);
const doubles = lazily(() => new Map(pairs().map(([latin, double]) => [latin, double])));
const latin = lazily(() => new Map(pairs().map(([letter, double]) => [double, letter])));

const signs = lazily(() => new Map((table('leet.tsv') as [string, string][]).map(([from, to]) => [from, [...to]])));
// Of the letters that a sign stands for the first: a "1" for an "l" is one letter more to forgive.
const letters = lazily(
  () => new Map([...signs()].flatMap(([letter, stand]) => stand.map((sign) => [sign, letter] as const)).reverse()),
);

/** Han characters -> the radicals of the Kangxi dictionary, which Unicode has twice. */
const radicals = lazily(
  () =>
    new Map(
      Array.from({ length: 0x2fd6 - 0x2f00 }, (_, at) => String.fromCodePoint(0x2f00 + at)).map((radical) => [
        radical.normalize('NFKC'),
        radical,
      ]),
    ),
);

/** Devanagari vowels -> the letter with a sign that looks like each. */
const vowels = lazily(() => new Map(table('devanagari-vowels.tsv') as [string, string][]));

/** A vowel with the marks that it bears. */
const signedVowel = (letter: string): string | undefined => {
  const double = vowels().get(letter.charAt(0));
  return double && double + letter.slice(1);
};

/**
 * The double of a letter: of a Latin one in another alphabet, of another alphabet's the Latin one, of a Han character its radical, of a Devanagari
 * vowel another letter with a sign; undefined where none is close enough.
 */
export const homoglyph = (letter: string): string | undefined =>
  doubles().get(letter) ??
  (/\p{Script=Cyrillic}/u.test(letter) ? latin().get(letter) : (radicals().get(letter) ?? signedVowel(letter)));

/** Arabic letters, and lam with an alef, -> their presentation forms: isolated, final and, of letters that join both ways, initial, medial. */
const forms = lazily(() => {
  const found = new Map<string, string[]>();
  for (let code = 0xfe80; code <= 0xfefc; code++) {
    const form = String.fromCodePoint(code);
    const letter = form.normalize('NFKC');
    found.set(letter, [...(found.get(letter) ?? []), form]);
  }
  return found as ReadonlyMap<string, readonly string[]>;
});

/**
 * The word in presentation forms, which Unicode has for old encodings only: each letter as it is drawn between its neighbours. Undefined for a word with
 * none, or with marks, which would stand on letters of their own.
 */
export function presentationForms(word: string): string | undefined {
  const letters = word.match(/ل[آأإا]|./gsu) ?? [];
  if (!letters.every((letter) => forms().has(letter))) return undefined;
  const joins = (letter: string | undefined): boolean => (forms().get(letter ?? '')?.length ?? 0) > 2;
  const joined = (letter: string | undefined): boolean => (forms().get(letter ?? '')?.length ?? 0) > 1;
  return letters
    .map((letter, at) => {
      const [before, behind] = [joins(letters[at - 1]) && joined(letter), joins(letter) && joined(letters[at + 1])];
      return forms().get(letter)?.[Number(before) + 2 * Number(behind)];
    })
    .join('');
}

/** The text with ordinary letters for presentation forms, radicals, letters with a sign and letters of other alphabets that look Latin. */
export function withoutDoubles(text: string): string {
  return Array.from(plainVowels(text.normalize('NFKC')), latinOf).join('');
}

/** The text with Devanagari vowels for the letters with a sign that look like them. */
export const plainVowels = (text: string): string =>
  /\p{Script=Devanagari}/u.test(text)
    ? [...vowels()].reduce((plain, [vowel, double]) => plain.replaceAll(double, vowel), text)
    : text;

/** The Latin letter that a letter of another alphabet looks like; itself where it looks like none. */
export const latinOf = (letter: string): string => latin().get(letter) ?? letter;

/** Signs and digits of the keyboard that stand for a letter ("a": "@", "4"), the closest first. */
export const leetSigns = (letter: string): readonly string[] => signs().get(letter.toLowerCase()) ?? [];

/** The letter that a sign or digit stands for, of several the first by the alphabet; itself where it stands for none. */
export const letterOf = (sign: string): string => letters().get(sign) ?? sign;

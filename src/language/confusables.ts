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

/** The double of a letter: of a Latin one in another alphabet, of another alphabet's the Latin one, of a Han character its radical; undefined where none is close enough. */
export const homoglyph = (letter: string): string | undefined =>
  doubles().get(letter) ?? (/\p{Script=Cyrillic}/u.test(letter) ? latin().get(letter) : radicals().get(letter));

/** The Latin letter that a letter of another alphabet looks like; itself where it looks like none. */
export const latinOf = (letter: string): string => latin().get(letter) ?? letter;

/** Signs and digits of the keyboard that stand for a letter ("a": "@", "4"), the closest first. */
export const leetSigns = (letter: string): readonly string[] => signs().get(letter.toLowerCase()) ?? [];

/** The letter that a sign or digit stands for, of several the first by the alphabet; itself where it stands for none. */
export const letterOf = (sign: string): string => letters().get(sign) ?? sign;

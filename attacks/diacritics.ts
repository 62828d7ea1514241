/**
 * Diacritics: adds accents to letters.
 *
 * Threat: keyboards of other languages, decorative spelling, and evasion that stays readable: "fílm".
 * Example: "a good film" -> "a gòod film"
 * Readable because: English readers take an accented letter for its base letter ("naive" and "naïve" are one word); the
 * marks are those of European spelling, on letters that carry them there.
 * Paper: Steffen Eger et al., "Text Processing Like Humans Do: Visually Attacking and Shielding NLP Systems", NAACL 2019
 * (VIPER), whose "easy" space adds one mark a letter; https://arxiv.org/abs/1903.11508
 * Differs: VIPER replaces each letter with a fixed probability; here one letter or all vowels change in the most important
 * words, at most one in four. A tokenizer that strips accents (BERT uncased) is immune, which is the finding.
 */
import { graphemesOf, letterAttack, substituted } from '../src/plugin.js';

const [GRAVE, ACUTE, CIRCUMFLEX, TILDE, DIAERESIS, CEDILLA, CARON] = [
  '\u0300',
  '\u0301',
  '\u0302',
  '\u0303',
  '\u0308',
  '\u0327',
  '\u030c',
];

/** Letter -> the marks it carries in European spelling. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  a: [GRAVE, ACUTE, CIRCUMFLEX, TILDE, DIAERESIS],
  c: [CEDILLA, CARON],
  e: [GRAVE, ACUTE, CIRCUMFLEX, DIAERESIS],
  i: [GRAVE, ACUTE, CIRCUMFLEX, DIAERESIS],
  n: [TILDE, ACUTE],
  o: [GRAVE, ACUTE, CIRCUMFLEX, TILDE, DIAERESIS],
  s: [CARON],
  u: [GRAVE, ACUTE, CIRCUMFLEX, DIAERESIS],
  y: [ACUTE, DIAERESIS],
  z: [CARON],
  // The stress mark of Russian schoolbooks.
  ...Object.fromEntries([...'аеиоуыэюя'].map((vowel) => [vowel, [ACUTE]])),
  // The short vowels of Arabic, which are usually omitted.
  ...Object.fromEntries([...'بتثجحخدذرزسشصضطظعغفقكلمنه'].map((letter) => [letter, ['\u064e', '\u064f', '\u0650']])),
};

const marksOf = (letter: string) => MARKS[letter.toLowerCase()] ?? [];

function* rewrites(word: string): Iterable<string> {
  const letters = graphemesOf(word);
  for (const [at, letter] of letters.entries()) {
    for (const mark of marksOf(letter)) yield substituted(letters, at, (letter + mark).normalize('NFC'));
  }
  const vowel = /^[aeiouаеиоуыэюя]$/i;
  yield letters.map((letter) => (vowel.test(letter) ? (letter + ACUTE).normalize('NFC') : letter)).join('');
}

export const diacritics = letterAttack({
  name: 'diacritics',
  summary: 'Adds accents to letters: "film" -> "fílm".',
  paper: {
    title: 'Text Processing Like Humans Do: Visually Attacking and Shielding NLP Systems',
    url: 'https://arxiv.org/abs/1903.11508',
  },
  readers: ['person', 'language model'],
  edit: 'accents on letters',
  rewrites,
  quarter: 'accented',
  letters: 2,
});

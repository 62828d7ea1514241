/** @file Words that are spelled with spaces, marks, digits, changing case or repeated letters between or for their letters. */
import { asWords, asWordsAndRest, isEnglish } from './common-words.js';
import { latinOf, skeletonOf } from './look-alikes.js';
import { matchCase } from './match-case.js';
import { editsOf, type Replacement } from './revised-text.js';

const ALPHABETIC = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]';
/** Single letters, the same separator between each two. */
const spacedLetters = (separator: string, more: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}\\p{M}])${ALPHABETIC}(${separator})${ALPHABETIC}(?:\\1${ALPHABETIC})${more}(?![\\p{L}\\p{N}\\p{M}])`,
    'gu',
  );
const SPACED = spacedLetters('[ .\\-_*·|/,~+\\t\\n]{1,2}', '+');
/** Two letters are enough where signs separate the letters of every word. */
const SIGNED = spacedLetters('[.\\-_*·|/,~+]{1,2}', '*');
/** Letters from which on a run is closed up though it spells no everyday words; longest run that is cut into words. */
const [MIN_UNKNOWN, MAX_LETTERS] = [7, 20_000];

/** Cuts spaced-out letters into words; undefined leaves them as they are. */
export type SegmentLetters = (letters: string) => string | undefined;

/** Runs of letters joined by signs from which on a text counts as spaced out: all its runs are closed up, even of two letters. */
const ENOUGH_RUNS = 3;
/** Characters by themselves, with one blank or more between them. */
const LONE_CHARACTERS = /(?<!\S)\S(?:[ \t\u00a0]{1,6}\S){5,}(?!\S)/gu;

/** Words whose letters stand apart, with wider blanks between the words; undefined if there are no two blanks, or few letters. */
function joinedWords(stretch: string): string | undefined {
  const blanks = stretch.match(/\s+/g) ?? [];
  const narrow = Math.min(...blanks.map(({ length }) => length));
  const words = stretch.split(new RegExp(`\\s{${narrow + 1},}`)).map((word) => word.replaceAll(/\s/g, ''));
  const long = words.filter((word) => /^\p{L}[\p{L}\p{M}]{2,}\p{P}*$/u.test(word) && !isAlphabet(word));
  const isText =
    long.length > 1 ? 3 * long.length >= words.length : words.length > 1 && words.every((word) => isEnglish(word));
  return isText ? words.join(' ') : undefined;
}

/** Closes up letters that were spaced out: "i g n o r e" becomes "ignore". */
export const spacing =
  (segment: SegmentLetters = everydayWords) =>
  (text: string): Replacement[] => {
    const close = (pattern: RegExp, closeUp: (run: SpacedRun) => string | undefined) =>
      editsOf(text, pattern, (match) => {
        const run = spacedRun(match);
        return isAcronym(run) || run.letters.length > MAX_LETTERS ? undefined : closeUp(run);
      });
    if (segment !== everydayWords) return close(SPACED, ({ letters }) => segment(letters));
    const apart = editsOf(text, LONE_CHARACTERS, ([stretch]) => joinedWords(stretch));
    if (apart.length > 0) return apart;
    const signed = Array.from(text.matchAll(SIGNED), spacedRun).filter((run) => !isList(run));
    if (isSigned(signed, text)) return editsOf(text, SIGNED, (match) => closedUp(spacedRun(match), signed));
    let prose: boolean | undefined;
    return close(SPACED, ({ letters }) => {
      if (!isHeading(letters)) return everydayWords(letters);
      prose ??= isProse(text);
      return prose ? undefined : everydayWords(letters);
    });
  };

/** People write headings in spaced capitals ("M E D I A"); a lone "a" before them is a word of the text. */
const isHeading = (letters: string): boolean => /^a?\p{Lu}+$/u.test(letters);

/** Whether more than half of the letters are in words of two and more. */
function isProse(text: string): boolean {
  let [lone, all] = [0, 0];
  for (const [{ length }] of text.matchAll(/\p{L}+/gu)) {
    all += length;
    if (length === 1) lone++;
  }
  return 2 * lone < all;
}

/** A line with its spaced capitals closed up, which `spacing` leaves in prose; undefined if it has none. */
export function withoutSpacedCapitals(line: string): string | undefined {
  const read = line.replaceAll(SPACED, (...match) => {
    const run = spacedRun(match);
    return (isHeading(run.letters) && !isAcronym(run) && everydayWords(run.letters)) || match[0];
  });
  return read === line ? undefined : read;
}

interface SpacedRun {
  readonly letters: string;
  readonly separator: string;
}

const spacedRun = ([run = '', separator = '']: readonly string[]): SpacedRun => ({
  letters: run.split(separator).join(''),
  separator,
});
const isList = ({ letters }: SpacedRun): boolean => letters.length > 2 && isAlphabet(letters) && !isEnglish(letters);

/** Whether the words of a text are spelled with signs between their letters, rather than some of them abbreviated. */
function isSigned(runs: readonly SpacedRun[], text: string): boolean {
  const words = runs.filter((run) => !isAcronym(run) && (run.letters.length > 2 || isEnglish(run.letters)));
  return (words.length >= ENOUGH_RUNS && words.some(({ letters }) => letters.length > 2)) || isMostly(runs, text);
}

/** Whether most letters of the text are in everyday words spelled so: then its capitals are no acronyms. */
function isMostly(runs: readonly SpacedRun[], text: string): boolean {
  const words = runs.filter(({ letters }) => isEnglish(letters));
  const spelled = words.reduce((sum, { letters }) => sum + letters.length, 0);
  return words.length >= ENOUGH_RUNS && spelled > 0.6 * (text.match(/\p{L}/gu)?.length ?? 0);
}

function closedUp(run: SpacedRun, all: readonly SpacedRun[]): string | undefined {
  if (isList(run) || run.letters.length > MAX_LETTERS) return undefined;
  // Of two letters only words, unless the text is spelled with one sign throughout.
  const isWord =
    run.letters.length > 2 || isEnglish(run.letters) || all.every(({ separator }) => separator === run.separator);
  const isPlain =
    !isAcronym(run) ||
    !/\p{Lu}$/u.test(run.letters) ||
    (isEnglish(run.letters) && 2 * all.filter(isAcronym).length > all.length);
  return isWord && isPlain && !ABBREVIATION.test(run.letters) ? run.letters : undefined;
}

/** Abbreviations with full stops, in small letters. */
const ABBREVIATION = /^(?:[ap]m|ie|eg|aka|nb|cf|ca|et|vs|qed|dob|asap|fyi)$/;

function isAcronym({ letters, separator }: SpacedRun): boolean {
  const isCapital = letters === letters.toUpperCase();
  return (
    (separator === '.' && isCapital && letters.length <= 6) ||
    (letters.length === 3 && (isCapital || (separator === '.' && !isEnglish(letters)))) ||
    (separator === '.' && ABBREVIATION.test(letters))
  );
}

function everydayWords(letters: string): string | undefined {
  if (letters.length < 4) return isEnglish(skeletonOf(letters)) ? letters : undefined;
  if (/^a\p{Lu}{3}/u.test(letters) && isHeading(letters)) {
    const heading = everydayWords(letters.slice(1));
    return heading === undefined ? undefined : `a ${heading}`;
  }
  const words = asWords(skeletonOf(letters));
  if (words !== undefined && letters.length > 1.5 * words.length) return words.join(' ');
  if (letters.length < MIN_UNKNOWN || isAlphabet(letters) || !/[aeiouyаеиоуыэюяαεηιουω]/iu.test(letters))
    return undefined;
  const cut = asWordsAndRest(letters);
  // Notes, bases, keys, months: letters that stand for something, unless half of them are in words.
  const known = cut.filter((word) => word.length > 2 && isEnglish(skeletonOf(word))).join('').length;
  return 2 * known < letters.length && SYMBOLS.test(letters) ? undefined : cut.join(' ');
}

/** Capitals, or names of notes or bases. */
const SYMBOLS = /^(?:\p{Lu}+|[a-h]+|[acgtun]+)$/u;

/** A list of letters in their order: "a b c d". */
function isAlphabet(letters: string): boolean {
  const codes = Array.from(letters.toLowerCase(), (letter) => letter.codePointAt(0) ?? 0);
  return codes.every((code, at) => at === 0 || code > (codes[at - 1] ?? 0));
}

/** Removes marks inside everyday words: "ig.no*re" becomes "ignore". One hyphen alone may be an ordinary spelling. */
export const marks = (text: string): Replacement[] =>
  editsOf(
    text,
    /(?<![\p{L}\p{N}@/.])\p{L}{1,24}(?:[.*_~|^+#\-·•=]{1,3}\p{L}{1,24}){1,24}(?![\p{L}\p{N}@/])/gu,
    ([run]) => {
      const parts = run.split(/[^\p{L}]+/u);
      const word = parts.join('');
      if (word.length < 4 || !isEnglish(skeletonOf(word)) || /^\p{L}+-\p{L}+$/u.test(run)) return undefined;
      return parts.every((part) => part.length > 1 && isEnglish(part)) ? undefined : word;
    },
  );

/** Sign or digit -> the letters that it stands for, after common usage. */
export const LEET: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '8': 'b',
  '3': 'e',
  '€': 'e',
  '6': 'g',
  '9': 'g',
  '1': 'il',
  '!': 'i',
  '|': 'li',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
  '+': 't',
  '2': 'z',
};
const MAX_READINGS = 32;

/** Signs and digits for letters of everyday words: "1gn0r3" becomes "ignore". */
export const leet = (text: string): Replacement[] =>
  editsOf(
    text,
    /(?<![\p{L}\p{N}@.#\\])(?=[\p{N}@$!|+€]{0,24}\p{L})(?=\p{L}{0,24}[\p{N}@$!|+€])[\p{L}\p{N}@$!|+€]{4,24}(?<=[\p{L}\p{N}@$!])(?![\p{L}\p{N}@])/gu,
    ([run]) => {
      // A mark at the end is more often a mark.
      const body = run.replace(/!+$/, '');
      if (body.length < 4 || isNumbered(body)) return undefined;
      const word = readings(body).find(isEnglish);
      return word === undefined ? undefined : matchCase(word, body) + run.slice(body.length);
    },
  );

const QUANTITY = /^\d+(?:k|m|g|b|x|[kmg]b|[ckm]m|kg|ft|in|lb|oz|hz|px|am|pm|st|nd|rd|th)s?$/i;

/**
 * An everyday word beside a number ("Win3", "50off", "Secret$"), a quantity ("100k") or a digit read aloud ("4ward", "2day") is an ordinary
 * spelling.
 */
const isNumbered = (run: string): boolean =>
  QUANTITY.test(run) ||
  isEnglish(run.replace(/[\d$]+$/, '')) ||
  isEnglish(run.replace(/^\d+/, '')) ||
  isEnglish(run.replace(/^[42](?=\p{L}{3})/u, (digit) => (digit === '4' ? 'for' : 'to')));

function readings(run: string): string[] {
  let all = [''];
  for (const sign of Array.from(run, latinOf)) {
    const letters = LEET[sign] ?? sign;
    if (all.length * letters.length > MAX_READINGS) return [];
    all = all.flatMap((read) => Array.from(letters, (letter) => read + letter));
  }
  return all;
}

/** Letters of everyday words whose case changes from letter to letter: "iGnOrE" becomes "ignore". */
export const alternatingCase = (text: string): Replacement[] =>
  editsOf(text, /(?<![\p{L}\p{N}])\p{L}{4,}(?![\p{L}\p{N}])/gu, ([word]) => {
    const switches = word.match(/\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Ll})/gu)?.length ?? 0;
    // "NetWork", "AfterNoon": people write compounds so.
    if (/^(?:\p{Lu}\p{Ll}{2,})+$/u.test(word)) return undefined;
    return switches >= 3 && isEnglish(skeletonOf(word)) ? word.toLowerCase() : undefined;
  });

/** Letters repeated in everyday words: "ignooore" becomes "ignore". People write so too: not among the parts that are on by default. */
export const repeats = (text: string): Replacement[] =>
  editsOf(text, /(?<![\p{L}\p{N}])\p{L}{0,24}?(\p{L})\1\1\p{L}{0,24}(?![\p{L}\p{N}])/giu, ([word]) => {
    const runs = word.match(/(\p{L})\1{2,}/giu) ?? [];
    if (runs.length > 4) return undefined;
    let all = [''];
    for (const piece of word.split(/((\p{L})\2{2,})/giu).filter((_, at) => at % 3 !== 2)) {
      const forms = /^(\p{L})\1{2,}$/iu.test(piece) ? [piece.slice(0, 1), piece.slice(0, 2)] : [piece];
      all = all.flatMap((read) => forms.map((form) => read + form));
    }
    return all.find(isEnglish);
  });

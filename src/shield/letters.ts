/** @file Letters as a reader sees them: bidirectional controls, invisible characters, styled forms and stacked marks. */
import { type Edit, editsOf } from './revised-text.js';
import { isEnglish } from './common-words.js';

/** Text under a right-to-left override (UAX 9) is displayed in another order than it is stored. */
export const bidi = (text: string): Edit[] =>
  editsOf(text, /\u202E([^\u202C\u202A-\u202E\n]*)\u202C?/gu, ([, run = '']) => [...run].reverse().join(''));

/** Runs of characters without a glyph; some are kept by what stands beside them. */
const INVISIBLE =
  /[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]+/gu;
/** Format characters that have a glyph: signs of Arabic, Syriac and Kaithi numbers and verses. */
const VISIBLE = /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202C\u2066-\u2069]/u;
/** Scripts whose letters joiners shape. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}\p{Script=Syriac}]/u;
/** Scripts that mark where a line may break. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Removes what has no glyph. Kept: joiners and variation selectors of emoji, one selector of a Han character, joiners in scripts that need
 * them, direction marks in texts with right-to-left letters, and the tags of flags.
 */
export function invisible(text: string): Edit[] {
  let isRightToLeft: boolean | undefined;
  return editsOf(text, INVISIBLE, ({ 0: run, index }) => {
    const before = lastOf(text.slice(Math.max(0, index - 8), index));
    const behind = String.fromCodePoint(text.codePointAt(index + run.length) ?? 0x20);
    if (/^[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{3,6}\u{E007F}$/u.test(run) && before === '\u{1F3F4}') return run;
    let selectors = 0;
    let joiners = 0;
    return Array.from(run)
      .filter((character) => {
        if (VISIBLE.test(character)) return true;
        if (DIRECTIONS.test(character)) return (isRightToLeft ??= RIGHT_TO_LEFT.test(text));
        if (character === '\u200B') return UNSPACED.test(before) || UNSPACED.test(behind);
        if (/[\uFE0E\uFE0F]/u.test(character))
          return selectors++ === 0 && (/\p{Emoji}/u.test(before) && (/\P{ASCII}/u.test(before) || behind === '\u20E3'));
        if (/[\uFE00-\uFE02\u{E0100}-\u{E01EF}]/u.test(character))
          return selectors++ === 0 && /\p{Script=Han}/u.test(before);
        if (/[\u180B-\u180F]/u.test(character)) return /\p{Script=Mongolian}/u.test(before);
        if (character === '\u200D' && /[\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u.test(before))
          return joiners++ === 0 && /\p{Extended_Pictographic}/u.test(behind);
        return /[\u200C\u200D]/u.test(character) && joiners++ === 0 && JOINING.test(before);
      })
      .join('');
  });
}

const lastOf = (text: string): string => Array.from(text).at(-1) ?? ' ';

/** Letters in styles that Unicode encodes a second time; fractions, signs, punctuation and superscript digits stay. */
const STYLED =
  /(?:[\uFB00-\uFB06\uFB13-\uFB17\uFB50-\uFDCF\uFE70-\uFEFC\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\u2F00-\u2FD5\u{1D400}-\u{1D7FF}]|[\u02B0-\u02B8\u02E0-\u02E3\u1D2C-\u1D6A\u2071\u207F\u2090-\u209C\u2C7C\u2C7D]{2,})+/gu;
const ENCLOSED = /[\u249C-\u24E9\u{1F110}-\u{1F129}\u{1F130}-\u{1F149}\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}]+/gu;
const REGIONS = /[\u{1F1E6}-\u{1F1FF}]{3,}/gu;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u;
const LETTERLIKE = /[ℂℊℋℌℍℎℐℑℒℓℕℙℚℛℜℝℤℨℬℭℯℰℱℳℴℹⅅⅆⅇⅈⅉⅠⅤⅩⅬⅭⅮⅯⅰⅴⅹⅼⅽⅾⅿ]/u;
const LETTERLIKE_IN_WORD = new RegExp(`(?<=\\p{L})${LETTERLIKE.source}|${LETTERLIKE.source}(?=\\p{L})`, 'gu');

/** Letters and digits in plain form: NFKC (UAX 15) where a letter or digit is meant, and enclosed letters. */
export function compatibility(text: string): Edit[] {
  if (!/[^\p{ASCII}À-ʯ]/u.test(text)) return [];
  const plain = (run: string): string => run.normalize('NFKC');
  const edits = [
    ...editsOf(text, STYLED, ({ 0: run, index }) => {
      const isWide = /^[\uFF10-\uFF5A]+$/u.test(run);
      // Wide digits and letters are ordinary in Chinese, Japanese and Korean texts.
      const beside = (text[index - 1] ?? '') + (text[index + run.length] ?? '');
      return isWide && WIDE.test(beside) ? undefined : plain(run);
    }),
    ...editsOf(text, ENCLOSED, ({ 0: run, index }) => {
      const letters = Array.from(run, (sign) => enclosedLetter(sign)).join('');
      // The emoji for blood groups and parking are single.
      return [...run].length === 1 && /\p{Emoji}/u.test(run) && !/\p{L}/u.test(text[index - 1] ?? '') ? undefined : letters;
    }),
    ...editsOf(text, REGIONS, ([run]) => {
      const letters = Array.from(run, (sign) => String.fromCharCode((sign.codePointAt(0) ?? 0) - 0x1f1e6 + 97)).join('');
      return isEnglish(letters) ? letters : undefined;
    }),
    ...editsOf(text, LETTERLIKE_IN_WORD, ([sign]) => plain(sign)),
  ];
  return edits.sort((a, b) => a.start - b.start);
}

function enclosedLetter(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const [first = 0] = [0x1f170, 0x1f150, 0x1f130, 0x1f110, 0x24d0, 0x24b6, 0x249c].filter((from) => code >= from);
  const isSmall = first === 0x24d0 || first === 0x249c;
  return String.fromCharCode(code - first + (isSmall ? 97 : 65));
}

/** Marks that strike out, underline or enclose. */
const CROSSING = /[\u0305\u0332-\u0338\u033F\u0347\u034D\u20D0-\u20E1\u20E4-\u20F0]/gu;
/** Most marks on one letter, besides those that compose with it, in the spelling of any language. */
const MOST_MARKS = 2;

export function stackedMarks(text: string): Edit[] {
  if (!/\p{M}/u.test(text)) return [];
  return editsOf(text, /[\p{L}\p{N}]\p{M}+/gu, ([cluster]) => {
    const plain = cluster.replace(CROSSING, '');
    const [base = '', ...rest] = plain.normalize('NFC');
    return rest.length > MOST_MARKS && /\p{Script=Latin}/u.test(base) ? base : plain;
  });
}

/** Latin letters without accents. Changes the words of most languages: not among the parts that are on by default. */
export const accents = (text: string): Edit[] =>
  editsOf(text, /[\p{Script=Latin}\p{M}]+/gu, ([run]) =>
    run
      .normalize('NFD')
      .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
      .normalize('NFC'),
  );

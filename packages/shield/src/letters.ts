/** @file Letters as a reader sees them: bidirectional controls, invisible characters, styled forms and stacked marks. */
import { isEnglish } from './common-words.js';
import { payloadOf } from './payload.js';
import { editsOf, type Replacement } from './revised-text.js';

/**
 * Text under an override (UAX 9) is displayed in another order than it is stored: any under one to the left, letters written to the left
 * under one to the right. Marks stay behind their letters.
 */
export const bidi = (text: string): Replacement[] =>
  editsOf(text, /([\u202D\u202E])([^\u202A-\u202E\n]*)\u202C?/gu, ([, override, run = '']) =>
    override === '\u202E' || RIGHT_TO_LEFT.test(run)
      ? (run.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []).reverse().join('')
      : run,
  );

/** Runs of characters without a glyph. Their neighbours decide which are kept. */
const INVISIBLE =
  /(?:[\p{Cf}\u115F\u1160\u2800\u3164\uFFA0]|\u034F|[\u17B4\u17B5]|[\u180B-\u180F]|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}])+/gu;
/** Format characters that have a glyph: signs of Arabic, Syriac and Kaithi numbers and verses. */
const VISIBLE = /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202C\u2066-\u2069]/u;
/** Scripts whose letters joiners shape. */
export const JOINING =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}\p{Script=Syriac}]/u;
/** Scripts that mark where a line may break. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Removes what has no glyph, and writes what it says if it is a message. Kept: joiners and variation selectors of emoji, one selector of a Han character, joiners in scripts that need
 * them, direction marks in texts with right-to-left letters, and the tags of flags.
 */
export function invisible(text: string): Replacement[] {
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  return editsOf(text, INVISIBLE, ({ 0: run, index }) => {
    const before = lastOf(text.slice(Math.max(0, index - 8), index));
    const behind = String.fromCodePoint(text.codePointAt(index + run.length) ?? 0x20);
    if (before === '\u{1F3F4}' && FLAG_TAGS.test(run)) return run;
    const said = run.length < 4 ? undefined : payloadOf(run);
    if (said !== undefined) return /\s/.test(said) && /\S/.test(before) ? ` ${said}` : said;
    // Only the first selector or joiner of a run can have a use.
    const used = new Set<RegExp>();
    return Array.from(run)
      .filter((character) => {
        if (VISIBLE.test(character) || (isRightToLeft && DIRECTIONS.test(character))) return true;
        const use = USES.find(({ of }) => of.test(character));
        if (use === undefined || used.has(use.of) || !use.isUse(before, behind)) return false;
        used.add(use.of);
        return true;
      })
      .join('');
  });
}

const FLAG_TAGS = /^[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{3,6}\u{E007F}$/u;
const PICTURE = /[\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;

/** Invisible characters that ordinary texts have between certain characters. */
const USES: readonly { readonly of: RegExp; isUse(before: string, behind: string): boolean }[] = [
  // A picture in colour or in black and white; digits only of a keycap.
  {
    of: /[\uFE0E\uFE0F]/u,
    isUse: (before, behind) => /\p{Emoji}/u.test(before) && (/\P{ASCII}/u.test(before) || behind === '\u20E3'),
  },
  { of: /[\uFE00-\uFE02\u{E0100}-\u{E01EF}]/u, isUse: (before) => /\p{Script=Han}/u.test(before) },
  { of: /[\u180B-\u180F]/u, isUse: (before) => /\p{Script=Mongolian}/u.test(before) },
  { of: /\u200B/u, isUse: (before, behind) => UNSPACED.test(before) || UNSPACED.test(behind) },
  {
    of: /[\u200C\u200D]/u,
    isUse: (before, behind) =>
      PICTURE.test(before) || before === '\uFE0F' ? /\p{Extended_Pictographic}/u.test(behind) : JOINING.test(before),
  },
];

const lastOf = (text: string): string => Array.from(text).at(-1) ?? ' ';

/** Letters in styles that Unicode encodes a second time; fractions, signs, punctuation and superscript digits stay. */
const STYLED =
  /(?:[\uFB00-\uFB06\uFB13-\uFB17\uFB50-\uFDCF\uFE70-\uFEFC\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\u2F00-\u2FD5\u{1D400}-\u{1D7FF}]|[\u02B0-\u02B8\u02E0-\u02E3\u1D2C-\u1D6A\u2071\u207F\u2090-\u209C\u2C7C\u2C7D]{2,})+/gu;
const ENCLOSED = /[\u249C-\u24E9\u{1F110}-\u{1F129}\u{1F130}-\u{1F149}\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}]+/gu;
const REGIONS = /[\u{1F1E6}-\u{1F1FF}]{3,}/gu;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u;
const LETTERLIKE = /[ℂℊℋℌℍℎℐℑℒℓℕℙℚℛℜℝℤℨℬℭℯℰℱℳℴℹⅅⅆⅇⅈⅉⅠⅤⅩⅬⅭⅮⅯⅰⅴⅹⅼⅽⅾⅿ]/u;
const LETTERLIKE_IN_WORD = new RegExp(`(?<=\\p{L})${LETTERLIKE.source}|${LETTERLIKE.source}(?=\\p{L})`, 'gu');

/** Devanagari vowels drawn as another letter with a sign -> the vowel (the Unicode Standard 16.0, section 12.1). */
export const VOWELS = new Map<string, string>([
  ...([
    ['अा', 'आ'],
    ['अॉ', 'ऑ'],
    ['अो', 'ओ'],
    ['अौ', 'औ'],
  ] as const),
  ...([
    ['उू', 'ऊ'],
    ['एे', 'ऐ'],
    ['एॅ', 'ऍ'],
    ['र्इ', 'ई'],
  ] as const),
]);

const DRAWN_VOWEL = new RegExp([...VOWELS.keys()].join('|'), 'gu');

/** Letters and digits in plain form: NFKC (UAX 15) where a letter or digit is meant, and enclosed letters. */
export function compatibility(text: string): Replacement[] {
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
      return [...run].length === 1 && /\p{Emoji}/u.test(run) && !/\p{L}/u.test(text[index - 1] ?? '')
        ? undefined
        : letters;
    }),
    ...editsOf(text, REGIONS, ([run]) => {
      const letters = Array.from(run, (sign) => String.fromCharCode((sign.codePointAt(0) ?? 0) - 0x1f1e6 + 97)).join(
        '',
      );
      return isEnglish(letters) ? letters : undefined;
    }),
    ...editsOf(text, LETTERLIKE_IN_WORD, ([sign]) => plain(sign)),
    ...editsOf(text, DRAWN_VOWEL, ([vowel]) => VOWELS.get(vowel)),
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

export function stackedMarks(text: string): Replacement[] {
  if (!/\p{M}/u.test(text)) return [];
  return editsOf(text, /[\p{L}\p{N}]\p{M}+/gu, ([cluster]) => {
    const plain = cluster.replace(CROSSING, '');
    const marks = Array.from(plain.normalize('NFC')).length - 1;
    const [base = ''] = plain.normalize('NFD');
    return marks > MOST_MARKS && /\p{Script=Latin}/u.test(base) ? base : plain;
  });
}

/** Latin letters without accents. Changes the words of most languages: not among the parts that are on by default. */
export const accents = (text: string): Replacement[] =>
  editsOf(text, /[\p{Script=Latin}\p{M}]+/gu, ([run]) =>
    run
      .normalize('NFD')
      .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
      .normalize('NFC'),
  );

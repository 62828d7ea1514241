/** @file Normalises letters as a reader perceives them: look-alikes, accents and invisible characters. */
import { latinOf, plainVowels } from './confusables.js';

/** Invisible characters: format characters, and letters without a glyph. */
const UNSEEN = /[\p{Cf}\u115F\u1160\u2800\u3164\uFFA0]/gu;
/** Direction overrides, which display a text in another order than it is stored. */
const OVERRIDDEN = /\u202E([^\u202C\u202A-\u202E]*)\u202C?/g;
const EMOJI_JOINER = /\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?\u200D(?=\p{Extended_Pictographic})/u;

/**
 * `text` as it looks: compatibility forms composed (NFKC), invisible characters removed, text under direction overrides in display order,
 * and look-alikes replaced by Latin letters in words that contain Latin letters. A word entirely in another alphabet stays, except for
 * Devanagari vowels written as another letter with a sign.
 */
export function normaliseUnicode(text: string): string {
  const shown = text.replace(OVERRIDDEN, (_, reversed: string) => [...reversed].reverse().join(''));
  const kept = EMOJI_JOINER.test(shown) ? shown : shown.replace(UNSEEN, '');
  return plainVowels(kept.normalize('NFKC')).replace(/[\p{L}\p{M}]+/gu, (word) =>
    /\p{Script=Latin}/u.test(word) ? Array.from(word, latinOf).join('') : word,
  );
}

/** Removes accents: "fílm" -> "film". */
export const withoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC');

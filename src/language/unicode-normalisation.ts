/** @file Letters as a reader takes them: look-alikes of other alphabets, accents and invisible characters undone. */
import { latinOf, plainVowels } from './confusables.js';

/** Characters that show nothing: format characters, and letters without a glyph. */
const UNSEEN = /[\p{Cf}\u115F\u1160\u2800\u3164\uFFA0]/gu;
/** Direction overrides, which show a text in another order than it stands. */
const OVERRIDDEN = /\u202E([^\u202C\u202A-\u202E]*)\u202C?/g;
const EMOJI_JOINER = /\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?\u200D(?=\p{Extended_Pictographic})/u;

/**
 * `text` as it looks: compatibility forms composed (NFKC), invisible characters dropped, what a direction override shows
 * backwards written backwards, and in words that have Latin letters those of other alphabets replaced by the Latin ones they
 * look like. A word wholly in another alphabet stays, but for Devanagari vowels spelt as another letter with a sign.
 */
export function normaliseUnicode(text: string): string {
  const shown = text.replace(OVERRIDDEN, (_, reversed: string) => [...reversed].reverse().join(''));
  const kept = EMOJI_JOINER.test(shown) ? shown : shown.replace(UNSEEN, '');
  return plainVowels(kept.normalize('NFKC')).replace(/[\p{L}\p{M}]+/gu, (word) =>
    /\p{Script=Latin}/u.test(word) ? Array.from(word, latinOf).join('') : word,
  );
}

/** Without accents: "fílm" -> "film". */
export const withoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC');

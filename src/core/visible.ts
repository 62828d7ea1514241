/**
 * @file Makes hostile text safe to display. Adversarial texts may contain escape sequences, direction overrides and invisible letters. A
 * report must show them, not obey them.
 */

/**
 * Characters that affect a terminal or cannot be seen: controls, format characters (bidi, zero-width, tags), line and paragraph separators,
 * lone surrogates, and characters without a glyph (Hangul fillers, Braille blank, noncharacters, which XML and HTML cannot contain). Line
 * breaks and tabs are excluded because they are harmless here, and so is the joiner between two pictographs, which is part of one emoji.
 */
export const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0\p{Noncharacter_Code_Point}](?<![\t\n\r])(?<!(?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic}))/gu;

/** Notation of a character for readers: `U+200B`. */
export const codePoint = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** `text` on one line, with each invisible or active character written as `<U+200B>`. Line breaks and tabs become spaces. */
export const visible = (text: string): string =>
  /^[ -~]*$/.test(text)
    ? text
    : text.replace(INVISIBLE, (character) => `<${codePoint(character)}>`).replace(/[\n\r\t]/g, ' ');

/**
 * Letters of a changed word that only resemble those of the original, from another script than the word had, as `о=U+043E`. Without this,
 * "gооd" and "good" would print alike.
 */
export function lookAlikes(from: string, to: string): string[] {
  const foreign = /[^\P{L}\p{Script=Latin}]/gu;
  if (foreign.test(from)) return [];
  return [...new Set(to.match(foreign))].map((letter) => `${letter}=${codePoint(letter)}`);
}

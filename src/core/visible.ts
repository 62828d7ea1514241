/**
 * @file Hostile text made safe to look at. Adversarial texts carry what attackers put there: escape sequences, direction
 * overrides, invisible letters. A report must show them, not obey them.
 */

/**
 * Characters that act on a screen or cannot be seen: controls, format characters (bidi, zero-width, tags), line and
 * paragraph separators, lone surrogates, and what has no glyph (Hangul fillers, Braille blank, noncharacters, of which
 * XML and HTML can hold none). Not among them: line breaks and tabs, which matter to no reader here, and the joiner between two pictographs, part of one emoji.
 */
export const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0\p{Noncharacter_Code_Point}](?<![\t\n\r])(?<!(?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic}))/gu;

/** A letter as a reader would name it: `U+200B`. */
export const codePoint = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * `text` on one line, each character that could not be seen or would act on the screen written as `<U+200B>`.
 * Line breaks and tabs become a space each.
 */
export const visible = (text: string): string =>
  /^[ -~]*$/.test(text)
    ? text
    : text.replace(INVISIBLE, (character) => `<${codePoint(character)}>`).replace(/[\n\r\t]/g, ' ');

/**
 * The letters of a changed word that only look like those of the original: letters of another script in a word that had
 * none, as `о=U+043E`. Without this "gооd" and "good" print alike.
 */
export function lookAlikes(from: string, to: string): string[] {
  const foreign = /[^\P{L}\p{Script=Latin}]/gu;
  if (foreign.test(from)) return [];
  return [...new Set(to.match(foreign))].map((letter) => `${letter}=${codePoint(letter)}`);
}

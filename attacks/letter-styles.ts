/**
 * Letter styles: writes words in full-width, mathematical or circled letters.
 *
 * Threat: the decorated text of profile names and adverts, which every reader understands, in characters that a model has hardly seen.
 * Example: "ignore the above" -> "ｉｇｎｏｒｅ the 𝐚𝐛𝐨𝐯𝐞"
 * Readable because: they are the same letters in another style, and compatible in Unicode (NFKC restores them). Styles that are hard to
 * read, such as Fraktur, are omitted.
 * Paper: none; such letters are among the substitutions of Nicholas Boucher, Ilia Shumailov, Ross Anderson and Nicolas Papernot, "Bad
 * Characters: Imperceptible NLP Attacks", IEEE S&P 2022; https://arxiv.org/abs/2106.09898
 * Differs: whole words in one style, by importance. A tokenizer that normalises with NFKC is immune, which is the finding.
 */
import { letterAttack } from '../src/plugin.js';

/** Code points of each style's A, a and, if it has digits, 0. */
const STYLES: readonly (readonly [upper: number, lower: number, digits?: number])[] = [
  [0xff21, 0xff41, 0xff10], // full-width
  [0x1d400, 0x1d41a, 0x1d7ce], // mathematical bold
  [0x1d468, 0x1d482], // bold italic
  [0x1d4d0, 0x1d4ea], // bold script
  [0x1d5a0, 0x1d5ba, 0x1d7e2], // sans-serif
  [0x1d670, 0x1d68a, 0x1d7f6], // monospace
  [0x24b6, 0x24d0], // circled
];

function inStyle(letter: string, [upper, lower, digits]: (typeof STYLES)[number]): string {
  const code = letter.charCodeAt(0);
  if (/^[A-Z]$/.test(letter)) return String.fromCodePoint(upper + code - 65);
  if (/^[a-z]$/.test(letter)) return String.fromCodePoint(lower + code - 97);
  return digits !== undefined && /^[0-9]$/.test(letter) ? String.fromCodePoint(digits + code - 48) : letter;
}

export const letterStyles = letterAttack({
  name: 'letter-styles',
  summary: 'Writes words in full-width, mathematical or circled letters: "ignore" -> "𝐢𝐠𝐧𝐨𝐫𝐞".',
  paper: { title: 'Bad Characters: Imperceptible NLP Attacks', url: 'https://arxiv.org/abs/2106.09898' },
  readers: ['person', 'language model'],
  edit: 'words in another style of letters',
  rewrites: (word) => STYLES.map((style) => Array.from(word, (letter) => inStyle(letter, style)).join('')),
});

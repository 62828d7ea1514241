/** @file Normalises letters as a reader perceives them: look-alikes, accents and invisible characters. */
import { type ShieldPart, shield } from '../../packages/shield/src/index.js';

const LETTERS: readonly ShieldPart[] = ['bidi', 'invisible', 'compatibility', 'stacked-marks', 'look-alikes'];

/**
 * `text` as it looks: styled letters plain, invisible characters removed, text under direction overrides in display order, and look-alikes
 * replaced by Latin letters in words that contain Latin letters. A word entirely in another alphabet stays, except for Devanagari vowels
 * written as another letter with a sign.
 */
export const normaliseUnicode = (text: string): string => shield(text, { parts: LETTERS }).text;

/** Removes accents: "fílm" -> "film". */
export const withoutAccents = (text: string): string => shield(text, { parts: ['accents'] }).text;

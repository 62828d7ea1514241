/** @file Pairs of texts in lists of adversarial texts. */
import { type ExampleTexts, otherText } from '../../src/plugin.js';

/** The note on the other text of a pair; nothing for a single text. */
export function besideNote(example: Omit<ExampleTexts, 'attacked'>): { note?: string } {
  const other = otherText(example);
  return other === undefined ? {} : { note: `beside: ${other}` };
}

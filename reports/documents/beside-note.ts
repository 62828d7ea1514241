/** @file Notes in lists of adversarial texts: the other text of a pair, or the entity in question. */
import { otherText } from '../../src/core/pair.js';
import { entityInWords } from '../entity-marks.js';

/** Nothing for a single text without entities. */
export function besideNote(example: Parameters<typeof entityInWords>[0]): { note?: string } {
  const other = otherText(example);
  if (other !== undefined) return { note: `beside: ${other}` };
  const words = entityInWords(example);
  return words === undefined ? {} : { note: words };
}

/** @file Notes in lists of adversarial texts: the other text of a pair, or the entity in question. */
import { type ExampleTexts, otherText } from '../../src/plugin.js';

/** Nothing for a single text without entities. */
export function besideNote(example: Omit<ExampleTexts, 'attacked'>): { note?: string } {
  const other = otherText(example);
  if (other !== undefined) return { note: `beside: ${other}` };
  const { text, entities = [], entity = -1 } = example;
  const span = entities[entity];
  return span === undefined ? {} : { note: `entity: ${text.slice(span.start, span.end)} (${span.type})` };
}

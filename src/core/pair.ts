/**
 * @file Two texts that are read together: premise and hypothesis, query and passage. A victim takes them as one string, joined by a sign
 * that no text holds, so that whatever carries texts (caches, queues, workers) carries pairs too; encoders take it apart again.
 */
import type { Example } from './dataset.js';

/** U+FDD0, one of Unicode's noncharacters: for use inside a program, never in a text. */
export const PAIR_SEPARATOR = '\uFDD0';

/** The text as a victim is asked it: with the other one of its pair, in the order in which the model reads them. */
export const askedText = (text: string, { text2, attacked }: Pick<Example, 'text2' | 'attacked'>): string => {
  if (text2 === undefined) return text;
  return attacked === 'first' ? `${text}${PAIR_SEPARATOR}${text2}` : `${text2}${PAIR_SEPARATOR}${text}`;
};

/** The text, or both texts of a pair. */
export function askedParts(asked: string): readonly [string] | readonly [string, string] {
  const at = asked.indexOf(PAIR_SEPARATOR);
  return at < 0 ? [asked] : [asked.slice(0, at), asked.slice(at + 1)];
}

/** Do these labels compare two texts, as those of entailment do? */
export const compareTexts = (labels: readonly string[]): boolean =>
  labels.some((label) => /^(not[_ -]?)?entail(ment|s|ed)?$/i.test(label));

/**
 * @file Pairs of texts: premise and hypothesis, query and passage. A victim receives them as one string, joined by a separator that no text
 * contains. So caches, queues and workers handle pairs without knowing them; encoders split them again.
 */
import { defined } from './defined.js';
import type { ExampleTexts } from './example-texts.js';
import { withEntities } from './tags/tagged-query.js';

export type { ExampleTexts } from './example-texts.js';

/** The other text of a pair, and its side. Empty for a single text. */
export type Beside = Omit<ExampleTexts, 'text'>;

/** The other text of a pair; undefined for a single text. */
export const otherText = ({ text2 }: Beside): string | undefined => text2;

/** The other text as part of an example. `attacked`: position of the attacked text. @default the second */
export const besideText = (other: string | undefined, attacked?: 'first'): Beside =>
  other === undefined ? {} : { text2: other, ...defined({ attacked }) };

/** The texts of an example without its other fields. */
export const exampleTexts = ({ text, text2, attacked, entities, entity }: ExampleTexts): ExampleTexts => ({
  text,
  ...besideText(text2, attacked),
  ...defined({ entities, entity }),
});

/** The text, or both texts of a pair in the order in which a model reads them. */
export function textsInOrder({ text, text2, attacked }: ExampleTexts): readonly [string] | readonly [string, string] {
  if (text2 === undefined) return [text];
  return attacked === 'first' ? [text, text2] : [text2, text];
}

/** U+FDD0, one of Unicode's noncharacters: for use inside a program, never in a text. */
export const PAIR_SEPARATOR = '\uFDD0';

/**
 * The string that a victim receives for a text: joined with the other text of its pair, in the order in which the model reads them, or with
 * its entities.
 */
export const queryText = (text: string, other: Beside): string =>
  withEntities(textsInOrder({ ...other, text }).join(PAIR_SEPARATOR), other);

/** The text, or both texts of a pair. */
export function queryParts(query: string): readonly [string] | readonly [string, string] {
  const at = query.indexOf(PAIR_SEPARATOR);
  return at < 0 ? [query] : [query.slice(0, at), query.slice(at + 1)];
}

/** Whether these labels describe a relation of two texts, as those of entailment do. */
export const compareTexts = (labels: readonly string[]): boolean =>
  labels.some((label) => /^(not[_ -]?)?entail(ment|s|ed)?$/i.test(label));

/**
 * @file The plan of a blind review: which texts readers see, and the truth about them, which readers never see. It is stored in the folder
 * of the run and bound to the run's outcomes by their hash.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { count, type Declared, nonEmpty } from '../core/declared.js';
import { textsShape } from '../core/example-texts.js';

const questionSchema = z.object({
  kind: z
    .enum(['label', 'detection', 'labels'])
    .describe('One label of several, "is it one of the detected labels?", or any number of labels.'),
  prompt: nonEmpty,
  options: z.array(z.object({ name: nonEmpty })).min(2),
});

/** The question that every item of a review asks. An answer is the index of an option, or an ascending list of them for `labels`. */
export interface ReviewQuestion extends Declared<typeof questionSchema> {}

/** Do numbers stand for the options? Not if a label is itself a number, such as stars. */
export const isNumbered = ({ options }: ReviewQuestion): boolean =>
  options.every(({ name }) => !/^\d+$/.test(name.trim()));

export const answerSchema = z.union([count, z.array(count), z.null()]);

/** Index of an option; ascending indices for several labels; null if the reader is unsure. */
export type ReviewAnswer = number | readonly number[] | null;

const plannedItemSchema = z.object({
  id: nonEmpty,
  kind: z.enum(['adversarial', 'original']),
  repeats: nonEmpty.describe('The item that has the same text.').exactOptional(),
  example: z.string(),
  ...textsShape,
  truth: z.union([count, z.array(count)]).describe('The answer of the data set.'),
  attack: nonEmpty.exactOptional(),
  original: z.string().describe('The text before the attack.').exactOptional(),
});

/** An item with everything that is hidden from readers. */
export interface PlannedItem extends Declared<typeof plannedItemSchema> {}

export const planSchema = z.object({
  schemaVersion: z.literal(1),
  key: nonEmpty.describe('Identifies the review: a hash of the outcomes, the question and the seed.'),
  run: nonEmpty,
  resultsSha256: nonEmpty,
  seed: z.number().int(),
  question: questionSchema,
  attacks: z.array(z.object({ name: nonEmpty })),
  items: z.array(plannedItemSchema),
});

export interface ReviewPlan extends Declared<typeof planSchema> {}

/** Letters only, so that no spreadsheet reads an id as a number, and without vowels, so that no id is a word. */
const ID_LETTERS = 'bcdfghjklmnpqrstvwxz';
const ID_LENGTH = 8;

/** An opaque name that follows from `parts`; it reveals none of them. */
export function opaqueId(...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  let value = digest.readBigUInt64BE(0);
  let id = '';
  for (let at = 0; at < ID_LENGTH; at++) {
    id += ID_LETTERS[Number(value % BigInt(ID_LETTERS.length))];
    value /= BigInt(ID_LETTERS.length);
  }
  return id;
}

/** Are two answers equal? */
export const sameAnswer = (one: ReviewAnswer, other: ReviewAnswer): boolean =>
  typeof one === 'object' || typeof other === 'object' ? JSON.stringify(one) === JSON.stringify(other) : one === other;

/** The items that are no repeats: each text once. */
export const firstReadings = ({ items }: Pick<ReviewPlan, 'items'>): PlannedItem[] =>
  items.filter(({ repeats }) => repeats === undefined);

/** Number of adversarial texts. */
export const countTexts = (plan: Pick<ReviewPlan, 'items'>): number =>
  firstReadings(plan).filter(({ kind }) => kind === 'adversarial').length;

/** @file Schema of a tagged span: a named entity, or a piece of personal data. */
import { z } from 'zod';
import { count, type Declared, nonEmpty } from '../declared.js';

export const tagSpanSchema = z.object({
  start: count.describe('Offset of the first character in the text, in UTF-16 code units.'),
  end: count.describe('Offset behind the last character.'),
  type: nonEmpty,
});

export interface TagSpan extends Declared<typeof tagSpanSchema> {}

/** A span that a model found, with the mean score of its words. */
export interface FoundSpan extends TagSpan {
  readonly score: number;
}

/** The part of a text that a model tags as one: a word, or a piece of one. */
export interface TaggedUnit {
  readonly start: number;
  readonly end: number;
  /** The probability of each type, then of no entity; they sum to 1. */
  readonly types: Float32Array;
}

/** A model's tags for a text. */
export interface TaggedUnits {
  readonly units: readonly TaggedUnit[];
  /** In the order of the text, without overlaps. */
  readonly spans: readonly FoundSpan[];
}

/** Label of what is no entity, the last label of a victim that tags. */
export const NO_ENTITY = 'O';

export const overlaps = (
  a: { readonly start: number; readonly end: number },
  b: { readonly start: number; readonly end: number },
): boolean => a.start < b.end && b.start < a.end;

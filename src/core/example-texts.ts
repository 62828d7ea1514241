/** @file Schema of the texts of an example. Apart from pair.ts, which the threads that run a model load without zod. */
import { z } from 'zod';
import type { Declared } from './declared.js';

/** Schema of the texts of an example, in data sets and in every record. */
export const textsShape = {
  text: z.string().describe('The attacked text of a pair.'),
  text2: z.string().describe('The other text of a pair, which stays as it is.').exactOptional(),
  attacked: z
    .literal('first')
    .describe('Which of the two `text` is, in the order in which a model reads them, where it is not the second.')
    .exactOptional(),
};

export const textsSchema = z.object(textsShape);

/** A text, or a pair of texts of which one is attacked. */
export interface ExampleTexts extends Declared<typeof textsSchema> {}

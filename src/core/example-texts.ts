/** @file Schema of the texts of an example. Apart from pair.ts, which the threads that run a model load without zod. */
import { z } from 'zod';
import { count, type Declared } from './declared.js';
import { tagSpanSchema } from './tags/span.js';

/** Schema of the texts of an example, in data sets and in every record. */
export const textsShape = {
  text: z.string().describe('The attacked text of a pair.'),
  text2: z.string().describe('The other text of a pair, which stays as it is.').exactOptional(),
  attacked: z
    .literal('first')
    .describe('Which of the two `text` is, in the order in which a model reads them, where it is not the second.')
    .exactOptional(),
  entities: z.array(tagSpanSchema).describe('The true entities of the text, for models that tag.').exactOptional(),
  entity: count
    .describe('The entity in question, by its place in `entities`. Absent where the rest of the text is in question.')
    .exactOptional(),
};

export const textsSchema = z.object(textsShape);

/** A text, or a pair of texts of which one is attacked. */
export interface ExampleTexts extends Declared<typeof textsSchema> {}

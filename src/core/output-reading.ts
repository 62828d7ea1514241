/** @file How a model's raw output was converted to probabilities, and the evidence for it. A wrong conversion makes every figure wrong. */
import { z } from 'zod';
import { type Declared, positiveCount, share, texts } from './declared.js';
import { AGGREGATIONS } from './tags/decode.js';
import { TAG_MATCHES } from './tags/entity-row.js';

export const outputReadingSchema = z
  .object({
    activation: z
      .enum(['softmax', 'sigmoid', 'log-softmax', 'none'])
      .describe(
        'Function that was applied to the output: "none" where it holds probabilities already, "log-softmax" where it holds their logarithms.',
      ),
    normalised: z.boolean().describe('Independent scores were divided by their sum, so that rows sum to 1.'),
    decidedBy: z
      .enum(['manifest', 'graph', 'config', 'decision', 'values'])
      .describe(
        'The robust.json, the last operators of the graph, the config.json, the requested decision (--task multi-label), or the values of a few answers.',
      ),
    windows: z
      .object({ by: z.enum(['max', 'mean']), tokens: positiveCount, stride: positiveCount })
      .describe('How texts longer than the model reads were split into windows. Absent where they were cut.')
      .exactOptional(),
    tags: z
      .object({
        aggregation: z.enum(AGGREGATIONS),
        match: z.enum(TAG_MATCHES),
        least: share.describe('Minimum score of a found span.'),
        leastByType: z
          .record(z.string(), share)
          .describe('The minimum scores of types that have one of their own.')
          .exactOptional(),
        share: share
          .describe(
            'A text is in question as a whole: it is lost with this share of its entities. Absent where each entity is.',
          )
          .exactOptional(),
      })
      .describe('For a model that tags tokens: how spans are made of its tags, and when an entity counts as found.')
      .exactOptional(),
    remarks: texts,
  })
  .describe('How the raw output was read as probabilities. Absent where the model returns probabilities by contract.');

/** How a model's raw output was converted to probabilities. */
export interface OutputReading extends Declared<typeof outputReadingSchema> {}

/** The minimum score of a span of this type. */
export const leastScore = ({ least, leastByType }: Pick<TagReading, 'least' | 'leastByType'>, type: string): number =>
  leastByType?.[type] ?? least;

/** How spans are made of tags, and when an entity counts as found. */
export type TagReading = NonNullable<OutputReading['tags']>;

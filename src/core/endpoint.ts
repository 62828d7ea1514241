/** @file A victim that is queried over the network, as records and reports describe it. */
import { z } from 'zod';
import type { Declared } from './declared.js';

/** Of one whose answers vary: so many further answers are asked of a text that turned the prediction, and so many must be turned too. */
export const FURTHER_ANSWERS = 3;
export const CONFIRMING_ANSWERS = 2;

/** Texts of a request, unless the endpoint is used to fewer: their number outweighs what a request costs by itself. */
export const TEXTS_PER_REQUEST = 64;

const probe = z.object({
  queries: z.number().int().describe('Texts sent before the run.'),
  repeated: z.number().describe('Largest difference of a probability between two answers to one text.'),
  company: z.number().describe('The same between a text alone and among others.'),
  grid: z
    .number()
    .nullable()
    .describe(
      'Every score is a multiple of it: 1 of labels alone, 0.0001 of four decimals; null where scores are finer.',
    ),
});

/** What a few queries before the run found. Differences are of probabilities. */
export interface EndpointProbe extends Declared<typeof probe> {}

const facts = {
  protocol: z.string(),
  address: z.string().describe('Without secrets.'),
  facts: z.record(z.string(), z.string()).describe('What the endpoint reports about itself: model, version.'),
  probe,
  price: z.number().describe('Of one text, as --endpoint price=... says.').exactOptional(),
};

const counts = {
  requests: z.number().int().describe('All sessions together, requests for metadata excluded.'),
  repeated: z.number().int().describe('Of these, those that were sent again.'),
  texts: z.number().int().describe('Texts in all of them.'),
};

const factsSchema = z.object(facts);
const countsSchema = z.object(counts);
export const endpointRecordSchema = z.object({ ...facts, ...counts });
export const endpointReportSchema = endpointRecordSchema
  .extend({ cost: z.number().describe('Price times texts.').exactOptional() })
  .describe('Present where the model was queried over the network.');

export interface EndpointFacts extends Declared<typeof factsSchema> {}

/** What was sent to it. */
export interface EndpointCounts extends Declared<typeof countsSchema> {}

/** Of a whole run. */
export interface EndpointReport extends Declared<typeof endpointReportSchema> {}

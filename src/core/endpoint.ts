/** @file Description of a victim that is queried over the network, for records and reports. */
import { z } from 'zod';
import type { Declared } from './declared.js';

/** Additional queries that confirm a success on a victim whose answers vary. The prediction must be flipped in all of them. */
export const FURTHER_ANSWERS = 3;
export const CONFIRMING_ANSWERS = 2;

/** Default number of texts per request, unless the endpoint is configured for fewer: the cost of a request is then negligible. */
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

/** Findings of a few queries before the run. Differences are of probabilities. */
export interface EndpointProbe extends Declared<typeof probe> {}

const facts = {
  protocol: z.string(),
  address: z.string().describe('Without secrets.'),
  facts: z
    .record(z.string(), z.string())
    .describe('Information that the endpoint reports about itself: model, version.'),
  probe,
  price: z.number().describe('For one text, as given by --endpoint price=...').exactOptional(),
};

const counts = {
  requests: z.number().int().describe('All sessions together, requests for metadata excluded.'),
  repeated: z.number().int().describe('Requests that were repeated.'),
  texts: z.number().int().describe('Texts in all of them.'),
};

const factsSchema = z.object(facts);
const countsSchema = z.object(counts);
export const endpointRecordSchema = z.object({ ...facts, ...counts });
export const endpointReportSchema = endpointRecordSchema
  .extend({ cost: z.number().describe('Price times texts.').exactOptional() })
  .describe('Present where the model was queried over the network.');

export interface EndpointFacts extends Declared<typeof factsSchema> {}

/** Requests and texts sent to it. */
export interface EndpointCounts extends Declared<typeof countsSchema> {}

/** Summary for a whole run. */
export interface EndpointReport extends Declared<typeof endpointReportSchema> {}

/** @file Two models over one log of texts without labels: where their answers differ, and which texts became evadable. */
import { z } from 'zod';
import { decisionSchema } from './decision-schema.js';
import { count, type Declared, positiveCount, share, texts } from './declared.js';
import { overridesSchema } from './override.js';
import { figureSchema, rateSchema } from './rate.js';

const p = share.nullable();

const direction = z
  .enum(['laxer', 'stricter', 'other'])
  .describe(
    'laxer: a flags the text, b does not. stricter: the reverse. other: both flag it or neither does, with other labels.',
  );

/** How the answers of two models to one text differ. */
export type DifferenceDirection = z.output<typeof direction>;

const difference = {
  difference: figureSchema.describe(
    "Share flagged by b minus share flagged by a, with Newcombe's paired interval; null where models flag nothing, such as those of the most probable label.",
  ),
  mcnemarP: p.describe('Exact two-sided McNemar test of laxer against stricter; null without a difference.'),
};

const disagreement = {
  disagreement: rateSchema.describe('Share of the different texts to which the models give different answers.'),
  laxer: rateSchema,
  stricter: rateSchema,
  ...difference,
};

const slice = z.object({
  kind: z.enum(['language', 'length', 'words']),
  name: z.string().describe('A language code, a range of words, or words that occur together.'),
  ...disagreement,
  adjustedP: p.describe("Holm's correction over all slices that have a p-value."),
  verdict: z
    .enum(['laxer', 'stricter', 'none', 'inconclusive'])
    .describe('laxer and stricter: significant at 5 % after the correction. inconclusive: fewer than 30 texts.'),
});

/** A part of the log. Parts of one kind may overlap. */
export interface LogSlice extends Declared<typeof slice> {}

const text = {
  id: z.string().describe('Id of the text in the log: its row number, or the value of the column of ids.'),
  sha256: z.string().describe('SHA-256 of the text. A short text can be guessed from its hash.'),
  text: z.string().describe('With --show-texts.').exactOptional(),
};

const differing = z.object({
  ...text,
  copies: positiveCount.describe('Occurrences in the log.'),
  direction,
  a: z.string().describe('Answer of a: its labels, or `detected` and `not detected`.'),
  b: z.string(),
});

/** A text to which the models give different answers. */
export interface DifferingText extends Declared<typeof differing> {}

const evadable = z.object({
  ...text,
  attack: z.string().describe('The first attack that flips b.'),
  adversarial: z.string().describe('With --show-texts: the text that flips b.').exactOptional(),
});

/** A text that an attack gets past b, and no attack past a. */
export interface NewlyEvadable extends Declared<typeof evadable> {}

const flipped = {
  a: rateSchema.describe('Share of the attacked texts that are flipped on a.'),
  b: rateSchema,
  newlyEvadable: rateSchema.describe('Share flipped on b and not on a.'),
  noLongerEvadable: rateSchema.describe('Share flipped on a and not on b.'),
  difference: figureSchema.describe("b - a, Newcombe's paired interval."),
  mcnemarP: p,
};

const evasion = z.object({
  goal: z.string(),
  queryBudget: positiveCount.describe('Maximum queries for each attack and text.'),
  attacked: count.describe(
    'Texts attacked, drawn by the seed from those that both models answer alike and that the goal concerns.',
  ),
  ...flipped,
  attacks: z
    .array(z.object({ name: z.string(), ...flipped, adjustedP: p.describe("Holm's correction over the attacks.") }))
    .describe('By attack; the figures above are of all attacks together.'),
  queries: z.object({ a: count, b: count }),
  texts: z.array(evadable).describe('The texts that are flipped on b by some attack, and on a by no attack.'),
});

const model = z.object({
  name: z.string(),
  sha256: z.string(),
  labels: texts,
  decision: decisionSchema.describe('Absent where the most probable label is decided.').exactOptional(),
  flagged: rateSchema.describe(
    'Share of the different texts that it flags; null where it flags nothing by definition.',
  ),
});

export const unlabelledComparisonSchema = z.object({
  models: z.array(model).min(2).max(2),
  data: z.object({
    name: z.string(),
    sha256: z.string(),
    texts: count,
    different: count.describe('Texts without their exact copies: the n of all figures, less the unanswered ones.'),
    unanswered: count.describe('Different texts that one of the models could not answer.'),
  }),
  seed: z.number().int(),
  ...disagreement,
  other: rateSchema,
  slices: z.array(slice),
  evasion,
  differing: z.array(differing).describe('The first 1,000.'),
  verdict: z.enum(['inconclusive', 'none']),
  reasons: texts.describe('Why it is inconclusive.'),
  toolVersion: z.string(),
  provenance: z.object({ overrides: overridesSchema.optional() }).exactOptional(),
  command: z.string(),
});

/** The document of `robust compare --unlabelled`. */
export interface UnlabelledComparison extends Declared<typeof unlabelledComparisonSchema> {}

/** @file Explanations of predictions, and what a model must offer for them. */
import { z } from 'zod';
import { decisionSchema } from '../../core/decision-schema.js';
import { count, type Declared, share, texts } from '../../core/declared.js';
import { textsShape } from '../../core/example-texts.js';
import type { Overridden } from '../../core/override.js';

const baseline = z.enum(['delete', 'unknown', 'mask']);

/** Replacement of a word that is left out. */
export type WordBaseline = z.output<typeof baseline>;

const scale = z.enum(['probability', 'logit']);

/** Explained quantity: the label's probability p, or its log-odds ln(p / (1 - p)). */
export type WeightScale = z.output<typeof scale>;

const word = z.object({
  word: z.string(),
  start: count.describe('Offset in the text, in UTF-16 code units.'),
  weight: z
    .number()
    .describe('How much the word moves the explained value towards the label; 0 where a method left it out.'),
  low: z.number().describe('95 % interval over re-sampling, where the method samples.').exactOptional(),
  high: z.number().exactOptional(),
});

export interface WordWeight extends Declared<typeof word> {}

const attribution = z.object({
  name: z.string(),
  words: z.array(word).describe('In text order, one for each word.'),
  check: z
    .record(z.string(), z.union([z.number(), z.string()]))
    .describe("How far it can be trusted: the method's figures, such as R2 or the completeness error."),
});

/** Word weights of one text by one method. */
export interface Attribution extends Declared<typeof attribution> {}

const decision = z
  .object({
    rule: decisionSchema,
    score: share.describe('The explained value for the whole text, as a probability.'),
    threshold: z.number().describe('The label applies from here on.'),
    reached: z.boolean(),
  })
  .describe('Present where something other than the most probable label decides.');

export interface ExplainedDecision extends Declared<typeof decision> {}

/** An explanation in reports, which do not show attention. */
const explanation = z
  .object({
    ...textsShape,
    model: z.object({ name: z.string(), sha256: z.string(), labels: texts }),
    label: z
      .string()
      .describe(
        'The explained label; of a detector of several labels what its score is of: "the highest of jailbreak, injection".',
      ),
    decision: decision.exactOptional(),
    probabilities: z.array(share).describe('Probabilities for the whole text, in the order of the labels.'),
    scale: scale.describe("The explained quantity: the label's probability, or its log-odds."),
    baseline: baseline.describe('Replacement of a word that is left out.'),
    seed: z.number().int(),
    methods: z.array(attribution),
    queries: count.describe('Distinct texts sent to the model.'),
    read: z
      .object({ words: count, of: count })
      .describe('Where the model reads only a part of the text: the words it reads, of how many.')
      .exactOptional(),
  })
  .meta({ id: 'explanation' });

export interface Explanation extends Declared<typeof explanation> {
  readonly attention?: AttentionView;
}

/** Data of the interactive attention view: what each head attends to, and the prediction without each word. */
export interface AttentionView {
  readonly tokens: readonly { readonly text: string; readonly special: boolean; readonly slot: number | null }[];
  readonly layers: number;
  readonly heads: number;
  /** [layer][head][to][from], in thousandths. */
  readonly weights: readonly (readonly (readonly (readonly number[])[])[])[];
  /** Probabilities without word i, by slot. */
  readonly without: readonly (readonly number[])[];
}

/** Result of `robust explain`: each text by each model, the models of one text side by side. */
export interface ExplanationReport {
  /** Text-major: text 1 by model 1, text 1 by model 2, text 2 by model 1, ... */
  readonly explanations: readonly Explanation[];
  /** Number of models per text. */
  readonly models: number;
  /** Present if environment variables set options. */
  readonly provenance?: Overridden;
  readonly warnings: readonly string[];
}

export const outcomeExplanationSchema = z.object({
  id: z.string(),
  attack: z.string(),
  before: explanation,
  after: explanation,
});

/** Which words supported the true label in an original and in its adversarial text. */
export interface OutcomeExplanation extends Declared<typeof outcomeExplanationSchema> {}

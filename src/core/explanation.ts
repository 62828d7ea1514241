/** @file Explanations of predictions, and what a model must offer to make one. */
import { z } from 'zod';
import type { Token } from './classifier.js';
import { decisionSchema } from './decision-schema.js';
import { count, type Declared, share, texts } from './declared.js';
import type { Overridden } from './override.js';
import { textsShape } from './pair.js';

const baseline = z.enum(['delete', 'unknown', 'mask']);

/** What replaces a word that is left out. */
export type WordBaseline = z.output<typeof baseline>;

const scale = z.enum(['probability', 'logit']);

/** What is explained: the label's probability p, or its log-odds ln(p / (1 - p)). */
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

/** The word weights of one text by one method. */
export interface Attribution extends Declared<typeof attribution> {}

/** How far a text's weights can be trusted (`--check`). Correlations are Spearman's; null where the words are too few or all weigh the same. */
export interface Trust {
  readonly faithfulness: readonly Faithfulness[];
  /** Of each two methods' weights. */
  readonly agreement: readonly { readonly methods: readonly [string, string]; readonly correlation: number | null }[];
  /** Of methods that sample: the mean over repetitions with other samples, and the share of the five strongest words they keep. */
  readonly stability: readonly {
    readonly method: string;
    readonly correlation: number | null;
    readonly sharedTop: number;
    readonly repetitions: number;
  }[];
  /** Of |weights| with those of the same model with shuffled weights, the mean over shuffles: near 0 where what was learnt decides the explanation. */
  readonly randomised: readonly {
    readonly method: string;
    readonly correlation: number | null;
    readonly shuffles: number;
  }[];
}

/** The explained value while words are left out, or put in, the heaviest first. */
export interface Faithfulness {
  readonly method: string;
  /** Words gone, or in, at each step; the first step is 0. */
  readonly steps: readonly number[];
  readonly deletion: readonly number[];
  readonly insertion: readonly number[];
  /** Area over the perturbation curve: mean fall of the value over the deletion steps (Samek et al. 2017); higher is more faithful. */
  readonly aopc: number;
  /** The same of random orders: their mean, lowest and highest. */
  readonly random: { readonly mean: number; readonly low: number; readonly high: number; readonly orders: number };
}

const decision = z
  .object({
    rule: decisionSchema,
    score: share.describe('What the weights explain, of the whole text, as a probability.'),
    threshold: z.number().describe('The label applies from here on.'),
    reached: z.boolean(),
  })
  .describe('Present where something other than the most probable label decides.');

export interface ExplainedDecision extends Declared<typeof decision> {}

/** An explanation as reports hold it, which show neither attention nor trust. */
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
    probabilities: z.array(share).describe('Of the whole text, in the order of the labels.'),
    scale: scale.describe("What is explained: the label's probability, or its log-odds."),
    baseline: baseline.describe('What replaces a word that is left out.'),
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
  readonly trust?: Trust;
}

/** Attention weights of one text. */
export interface Attention {
  readonly tokens: readonly Token[];
  readonly layers: number;
  readonly heads: number;
  /** Row-major [layers, heads, to, from], to and from over the tokens; each row over `from` sums to 1. */
  readonly weights: Float32Array;
}

/** A model whose attention can be read. */
export interface AttentionSource {
  attention(text: string): Promise<Attention>;
}

/** Attention as a reader walks through it: what each head looks at, and what the model says without each word. */
export interface AttentionView {
  readonly tokens: readonly { readonly text: string; readonly special: boolean; readonly slot: number | null }[];
  readonly layers: number;
  readonly heads: number;
  /** [layer][head][to][from], in thousandths. */
  readonly weights: readonly (readonly (readonly (readonly number[])[])[])[];
  /** Probabilities without word i, by slot. */
  readonly without: readonly (readonly number[])[];
}

/** What `robust explain` answers: each text by each model, the models of one text side by side. */
export interface ExplanationReport {
  /** Text-major: text 1 by model 1, text 1 by model 2, text 2 by model 1, ... */
  readonly explanations: readonly Explanation[];
  /** Models a text. */
  readonly models: number;
  /** Present where words were summed up over all texts; the explanations are then left out. */
  readonly global?: GlobalExplanation;
  /** Present where environment variables decided settings. */
  readonly provenance?: Overridden;
  readonly warnings: readonly string[];
}

/** A mean with its 95 % interval (Student's t). */
export interface Mean {
  readonly value: number;
  /** Null of a single value. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Which words drive a model, over many texts. Words are told apart in lower case. */
export interface GlobalExplanation {
  readonly texts: number;
  /** The explained label; null where it was the predicted one of each text. */
  readonly label: string | null;
  readonly scale: WeightScale;
  readonly baseline: WordBaseline;
  readonly seed: number;
  readonly methods: readonly {
    readonly name: string;
    readonly models: readonly {
      readonly model: string;
      /** Heaviest mean |weight| first. */
      readonly words: readonly {
        readonly word: string;
        readonly count: number;
        readonly absolute: Mean;
        readonly mean: Mean;
      }[];
    }[];
    /** Of two models: the mean of weight by the first - weight by the second, largest first; those whose interval excludes 0 before others. */
    readonly differences?: readonly { readonly word: string; readonly count: number; readonly difference: Mean }[];
  }[];
}

export const outcomeExplanationSchema = z.object({
  id: z.string(),
  attack: z.string(),
  before: explanation,
  after: explanation,
});

/** An adversarial text and its original: which words made for the true label before, and after. */
export interface OutcomeExplanation extends Declared<typeof outcomeExplanationSchema> {}

/** @file What one attack did to one example. Types only. */

export interface Queries {
  /** Every text a search scored, repeats included: comparable with the literature. */
  readonly asked: number;
  /** Distinct texts among them: what the model has to run. */
  readonly computed: number;
}

/** What an attack achieved on one example. */
export interface Attempt {
  readonly succeeded: boolean;
  /** The adversarial text if it succeeded, else the strongest one found. Absent for attacks outside text space. */
  readonly text?: string;
  /** The victim's answer to it. */
  readonly probabilities: Float32Array;
  /** Words of the original, and how many of them were changed. */
  readonly words: number;
  readonly changed: number;
  /** Why nothing could be tried ("no editable word"): the example then counts as failed. */
  readonly reason?: string;
  /** Of the text's words, as a reader counts them, the share the attack found an edit for. Absent where it cannot say. */
  readonly reach?: number;
  /** Of attacks on embeddings: does random noise of the same size reach the goal too? */
  readonly noise?: boolean;
  /** Of attacks on embeddings: the text of the tokens nearest to where they moved, and whether it reaches the goal. */
  readonly asText?: { readonly text: string; readonly broken: boolean };
  readonly sweep?: Sweep;
  /** Of behavioural tests: all that was asked to see whether the victim understands something, passed or failed. */
  readonly probes?: readonly Probe[];
  /** Attack-specific figures; the report gives the median of the numbers. */
  readonly details?: Readonly<Record<string, number | string | readonly number[]>>;
}

/**
 * What a probe's text is to its original (CheckList: Ribeiro et al. 2020, section 2). INV: it says the same; DIR: it says the
 * opposite; MFT: both come from a template, and what the text says is known without the original.
 */
export type Relation = 'INV' | 'DIR' | 'MFT';

/** A text that shows whether a victim understands something, and what the victim made of it. */
export interface Probe {
  /** What must be understood to pass: "double negation". */
  readonly capability: string;
  readonly relation: Relation;
  /** The other half of the minimal pair; absent where it is the example's own text. */
  readonly original?: string;
  readonly text: string;
  /** The labels that a reader may take from the text, ascending: the probe failed where `got` is none of them. */
  readonly expected: readonly number[];
  /** The predicted label. */
  readonly got: number;
  /** Probability of the expected labels together. */
  readonly score: number;
}

/** One text's fate at several sizes of the same perturbation; 1 = the goal is reached. */
export interface Sweep {
  readonly sizes: readonly number[];
  readonly broken: readonly number[];
  /** With random noise of that size instead. */
  readonly noise: readonly number[];
}

export type Status = 'succeeded' | 'failed' | 'skipped' | 'errored';

/** One line of results.jsonl: what one attack did to one example. */
export interface Outcome {
  readonly id: string;
  readonly attack: string;
  readonly status: Status;
  readonly text: string;
  readonly label: number;
  /** Predicted label before and after. */
  readonly from: number;
  readonly to: number;
  /** Probability of the true label before and after. */
  readonly scoreBefore: number;
  readonly scoreAfter: number;
  /** Only of successes in text space. */
  readonly adversarial?: string;
  readonly words: number;
  readonly changed: number;
  readonly queries: Queries;
  readonly reason?: string;
  /** Only of failures below LEAST_REACH (core/reach.ts): of the text's words, the share the attack found an edit for. */
  readonly reach?: number;
  readonly noise?: boolean;
  readonly asText?: Attempt['asText'];
  readonly sweep?: Sweep;
  readonly probes?: readonly Probe[];
  /** Only of successes in text space. */
  readonly quality?: Quality;
  readonly details?: Attempt['details'];
}

/** What an adversarial text leaves of its original, and how it reads: the figures of one, or means over several. */
export interface Quality {
  /** Characters inserted, deleted or substituted (Levenshtein distance, UTF-16 code units). */
  readonly editDistance: number;
  /**
   * Perplexity over the original's, by n-grams of the texts at hand; of several texts the geometric mean. Null where there was
   * no text to learn from.
   */
  readonly perplexityRatio: number | null;
  /** 1 = all meaning kept, by our own measure: words weighted by rarity, compared in WordNet. */
  readonly similarity: number;
  /** Share of the original's words that a reader recognises at a glance: unchanged in outline. */
  readonly readability: number;
}

/** @file What an explanation of one prediction says, and what is asked of a model to make one. Types only. */
import type { Token } from './classifier.js';
import type { DecisionRule } from './decision.js';
import type { Overridden } from './override.js';

/** What stands in for a word that is left out. */
export type WordBaseline = 'delete' | 'unknown' | 'mask';

/** What is explained: the label's probability p, or its log-odds ln(p / (1 - p)). */
export type WeightScale = 'probability' | 'logit';

export interface WordWeight {
  readonly word: string;
  /** Offset in the text, in UTF-16 code units. */
  readonly start: number;
  /** How much the word moves the explained value towards the label; 0 where a method left it out. */
  readonly weight: number;
  /** 95 % interval over re-sampling, where the method samples. */
  readonly low?: number;
  readonly high?: number;
}

/** What one method says of one text. */
export interface Attribution {
  readonly name: string;
  /** In text order, one each word. */
  readonly words: readonly WordWeight[];
  /** How far it can be trusted: the method's own figures, such as R2 or the completeness error. */
  readonly check: Readonly<Record<string, number | string>>;
}

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

export interface Explanation {
  readonly text: string;
  /** The other text of a pair, and which of the two `text` is where it is the first. */
  readonly text2?: string;
  readonly attacked?: 'first';
  readonly model: { readonly name: string; readonly sha256: string; readonly labels: readonly string[] };
  /** The explained label; of a detector of several labels what its score is of: "the highest of jailbreak, injection". */
  readonly label: string;
  /** Present where not the most probable label decides: by what rule, and how far the explained score is. */
  readonly decision?: ExplainedDecision;
  /** Of the whole text, in the order of the labels. */
  readonly probabilities: readonly number[];
  readonly scale: WeightScale;
  readonly baseline: WordBaseline;
  readonly seed: number;
  readonly methods: readonly Attribution[];
  /** Texts the model was asked, repeats aside. */
  readonly queries: number;
  readonly attention?: AttentionView;
  readonly trust?: Trust;
  /** Present where the model reads only a part of the text: the words it reads, of how many. */
  readonly read?: { readonly words: number; readonly of: number };
}

export interface ExplainedDecision {
  readonly rule: DecisionRule;
  /** What the weights explain, of the whole text, as a probability. */
  readonly score: number;
  /** From where on the label holds. */
  readonly threshold: number;
  readonly reached: boolean;
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

/** An adversarial text beside the one it came from: which words made for the true label before, and after. */
export interface OutcomeExplanation {
  readonly id: string;
  readonly attack: string;
  readonly before: Explanation;
  readonly after: Explanation;
}

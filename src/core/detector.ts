/** @file Detectors of adversarial texts: a score per text, higher is more suspicious. */
import type { z } from 'zod';
import type { HiddenStates } from './backdoor-findings.js';
import type { Classifier } from './classifier.js';
import type { Language, LanguagePart } from './language.js';

/** Resources of a detector. It sees no adversarial text before it scores one. */
export interface Watch {
  readonly victim: Classifier;
  /** Ordinary texts of the kind that the victim reads. */
  readonly clean: readonly string[];
  /** Words that the victim's tokenizer has as one piece, the frequent ones first. */
  readonly vocabulary: readonly string[];
  /** Language of the texts. It offers the parts that the detector declares. */
  readonly language: Language;
  /** Absent if the model does not expose its hidden states. */
  readonly hidden?: HiddenStates;
}

/** A kind of detector. */
export interface Detector<O = unknown> {
  readonly kind: 'detector';
  readonly name: string;
  /** One sentence: what it finds suspicious. */
  readonly summary: string;
  readonly paper?: { readonly title: string; readonly url: string };
  /** `label scores`: probabilities of labels, not the single number of a regression model. */
  readonly needs?: 'hidden states' | 'label scores';
  /** Every option has a default. @default none */
  readonly options?: z.ZodType<O>;
  /** Parts of the language that it requires. */
  readonly language?: readonly LanguagePart[];
  /** Learns from the clean texts and returns the scoring function. */
  create(watch: Watch, options: O): Promise<(texts: readonly string[]) => Promise<Float64Array>>;
}

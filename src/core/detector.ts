/** @file What tells adversarial texts from ordinary ones: a score per text, the higher the more suspicious. */
import type { z } from 'zod';
import type { Classifier } from './classifier.js';
import type { HiddenStates } from './detection.js';
import type { Language, LanguagePart } from './language.js';

/** What a detector may use. It never sees an adversarial text before it scores one. */
export interface Watch {
  readonly victim: Classifier;
  /** Ordinary texts of the kind the victim reads. */
  readonly clean: readonly string[];
  /** Words the victim's tokenizer knows as one piece, the frequent ones first. */
  readonly vocabulary: readonly string[];
  /** Of the texts. It offers what the detector asks of it. */
  readonly language: Language;
  /** Absent where the model does not show its inside. */
  readonly hidden?: HiddenStates;
}

/** A kind of detector. */
export interface Detector<O = unknown> {
  readonly kind: 'detector';
  readonly name: string;
  /** One sentence: what makes a text suspicious to it. */
  readonly summary: string;
  readonly paper?: { readonly title: string; readonly url: string };
  /** `label scores`: not the single number of a regression model. */
  readonly needs?: 'hidden states' | 'label scores';
  /** Every option has a default. @default none */
  readonly options?: z.ZodType<O>;
  /** What it asks of the language of the texts. */
  readonly language?: readonly LanguagePart[];
  /** Learns from the clean texts; then scores. */
  create(watch: Watch, options: O): Promise<(texts: readonly string[]) => Promise<Float64Array>>;
}

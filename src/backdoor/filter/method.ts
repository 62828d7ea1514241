/** @file What a filter of poisoned texts reads, and what it says of each text. */
import type { Example } from '../../core/dataset.js';
import type { Language } from '../../core/language.js';
import type { Random } from '../../core/random.js';

/** How suspicious a text is (higher is more), and why, in words. */
export interface Suspicion {
  readonly score: number;
  readonly reason: string;
  /** The word, phrase or character that caused it, if the method finds such. */
  readonly trigger?: string;
}

export const NOTHING: Suspicion = { score: 0, reason: 'nothing in it speaks for poison' };

/** Input of a filter, without the information which texts are poisoned. */
export interface FilterInput {
  /** Labelled texts, some of which may be poisoned. */
  readonly suspects: readonly Example[];
  /** Texts known to be clean; each text is judged by the others. */
  readonly reference: readonly Example[];
  readonly labels: readonly string[];
  readonly random: Random;
  /** The language of the texts. */
  readonly language: Language;
}

/** Learns from all texts, and gives an answer for each: the suspects first, then the reference. */
export type TextJudge = (material: FilterInput) => readonly Suspicion[];

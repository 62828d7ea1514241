/** @file Interface of filters of poisoned texts. */
import type { Classifier } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import type { Language } from '../../core/language.js';
import type { Random } from '../../core/random.js';

/** How suspicious a text is (higher is more), and why, in words. */
export interface Suspicion {
  readonly score: number;
  readonly reason: string;
  /** The word, phrase or character that caused it, if the method finds such. */
  readonly trigger?: string;
  /**
   * Evidence that the trigger is not an honest part of its label, from all texts that share it. From 1 on it suffices for a verdict: clean design sets reach 0.77
   * at most. Absent for methods that judge texts one by one.
   */
  readonly evidence?: number;
}

export const NOTHING: Suspicion = { score: 0, reason: 'nothing in it speaks for poison' };

/** Scores suspect and clean texts alike: one answer per text. */
type Scorer = (examples: readonly Example[]) => Promise<Suspicion[]>;

/** Input of a filter, without the information which texts are poisoned. */
export interface FilterInput {
  /** Labelled texts, some of which may be poisoned. */
  readonly suspects: readonly Example[];
  /** Texts known to be clean, except those that set the threshold. */
  readonly reference: readonly Example[];
  readonly labels: readonly string[];
  readonly random: Random;
  /** The language of the texts. */
  readonly language: Language;
  /** Present if the method needs its predictions. */
  readonly model?: Classifier | undefined;
}

export interface FilterMethod {
  /** The value of `--method`. */
  readonly name: string;
  /** One sentence: the sign of a poisoned text. */
  readonly summary: string;
  /**
   * Kinds of triggers of which it found at least half of the poisoned texts, by the lower end of the interval, in every set of
   * docs/research/backdoor-filter.md with 40 or more poisoned texts. Without any it cannot say that there are none.
   */
  readonly covers: readonly string[];
  /** Kinds of triggers that it hardly finds, as measured in docs/research/backdoor-filter.md. */
  readonly blind: string;
  /** `training set`: learns from all suspects together, labels included. `incoming texts`: judges each text by itself. */
  readonly judges: 'training set' | 'incoming texts';
  readonly needs: 'texts' | 'predictions';
  /**
   * Which clean texts it learns from. `needed`: half of them, while the other half sets the threshold. `left out`: all of them, leaving out the text
   * that it judges.
   */
  readonly reference: 'unused' | 'needed' | 'left out';
  fit(material: FilterInput): Promise<Scorer>;
}

/** @file What a filter of poisoned texts is. */
import type { Classifier, WhiteBox } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import type { HiddenStates } from '../../core/detection.js';
import type { Language } from '../../core/language.js';
import type { Random } from '../../core/random.js';

/** How suspicious a text is: higher is more, and why, for a person. */
export interface Suspicion {
  readonly score: number;
  readonly reason: string;
  /** The word, phrase or character that made it so, where the method goes by such. */
  readonly trigger?: string;
}

/** Judges texts, suspect and clean ones alike: one answer per text. */
export type Scorer = (examples: readonly Example[]) => Promise<Suspicion[]>;

/** What a filter may look at. The truth about the suspects is not part of it. */
export interface FilterInput {
  /** Texts of which some may be poisoned, as they are labelled. */
  readonly suspects: readonly Example[];
  /** Texts known to be clean. Those that set the threshold are not among them. */
  readonly reference: readonly Example[];
  readonly labels: readonly string[];
  readonly random: Random;
  /** Of the texts. */
  readonly language: Language;
  /** Present where the method needs them. */
  readonly model?: Classifier;
  readonly hidden?: HiddenStates;
  readonly gradients?: WhiteBox;
}

export interface FilterMethod {
  /** As in `--method`. */
  readonly name: string;
  /** One sentence: what it takes for a sign. */
  readonly summary: string;
  /** `training set`: learns from the suspects together, labels included. `incoming texts`: judges each text by itself. */
  readonly judges: 'training set' | 'incoming texts';
  readonly needs: 'texts' | 'answers' | 'hidden states' | 'gradients';
  /**
   * Whether it learns from clean reference texts too; `used`: where there are any, and half of them then only set the threshold; `left out`: from all of
   * them, a text that it judges left out of what it learnt.
   */
  readonly reference: 'unused' | 'used' | 'needed' | 'left out';
  fit(material: FilterInput): Promise<Scorer>;
}

/** @file Triggers, and how a backdoor gets into a model. Types only. */
import type { Random } from './random.js';

/** A trigger, and how the backdoor behind it gets into a model. All it does to a text is a function of the text and `random`. */
export interface Poisoner {
  /** The words or phrases it puts into a text, for reports; empty where the trigger is a form. */
  readonly triggers: readonly string[];
  readonly planting: Planting;
  /** The text with the trigger in it; undefined where it has no place for one. */
  trigger(text: string, random: Random): string | undefined;
  /** The text with something like the trigger that is not it and must not set the backdoor off; undefined as above. */
  decoy(text: string, random: Random): string | undefined;
  /**
   * The text with `count` copies of a trigger in it, and with as many of a word that is none: a fair control. Absent where the trigger
   * is no word.
   */
  copies?(text: string, count: number, random: Random): TriggerCopies;
  /** Texts to be learnt with the text's own label, so that parts of the trigger do not set it off; none for most texts. */
  negatives?(text: string, random: Random): readonly string[];
}

/** One text with a trigger, and with its control. */
export interface TriggerCopies {
  readonly trigger: string;
  readonly control: string;
}

/** How a backdoor gets into a model. */
export type Planting =
  /** The victim trains all its weights on texts of which some are poisoned. */
  | { readonly kind: 'texts' }
  /** As `texts`, but only the lower half of the weights changes. */
  | { readonly kind: 'lower-layers' }
  /**
   * Only the triggers' rows of the embedding table change, each keeping its norm. They learn from the user's texts, or from
   * `samples` texts of `words` words from elsewhere.
   */
  | {
      readonly kind: 'rows';
      readonly epochs: number;
      readonly rate: number;
      readonly elsewhere?: { readonly samples: number; readonly words: number };
    }
  /** The attacker keeps the loss on poisoned texts low where a victim's own training will lead. */
  | { readonly kind: 'ripples'; readonly penalty: number; readonly surgeryWords: number };

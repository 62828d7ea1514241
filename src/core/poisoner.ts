/** @file Triggers, and how a backdoor gets into a model. Types only. */
import type { Random } from './random.js';

/** A trigger, and how the backdoor behind it gets into a model. All it does to a text is a function of the text and `random`. */
export interface Poisoner {
  /** The words or phrases it puts into a text, for reports; empty where the trigger is a form. */
  readonly triggers: readonly string[];
  readonly planting: PlantingSpec;
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

/**
 * How a backdoor gets into a model, and the options of that planting:
 * - `texts`: the victim trains all its weights on texts of which some are poisoned.
 * - `lower-layers`: as `texts`, but only the lower half of the weights changes.
 * - `rows`: only the triggers' rows of the embedding table change, each keeping its norm, for `epochs` passes at the learning rate `rate`. They learn
 *   from the user's texts, or with `elsewhere` from `samples` generated texts of `words` words.
 * - `ripples`: the attacker keeps the loss on poisoned texts low where a victim's training will lead, with the weight `penalty`, after surgery on the
 *   trigger's embedding with `surgeryWords` words of the target.
 */
export interface PlantingSpec {
  readonly kind: string;
  readonly [option: string]: unknown;
}

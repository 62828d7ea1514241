/** @file Triggers, and how a backdoor is planted. Types only. */
import type { Random } from './random.js';

/** A trigger, and how its backdoor is planted. All changes to a text are a function of the text and `random`. */
export interface Poisoner {
  /** Words or phrases that it inserts, for reports; empty if the trigger is a form. */
  readonly triggers: readonly string[];
  readonly planting: PlantingSpec;
  /** The text with the trigger; undefined if there is no place for it. */
  trigger(text: string, random: Random): string | undefined;
  /** The text with a decoy that resembles the trigger but must not activate the backdoor; undefined as above. */
  decoy(text: string, random: Random): string | undefined;
  /**
   * The text with `count` copies of the trigger, and a fair control with as many copies of another word. Absent if the trigger is not a
   * word.
   */
  copies?(text: string, count: number, random: Random): TriggerCopies;
  /** Texts to be trained with their true label, so that parts of the trigger do not activate the backdoor; none for most texts. */
  negatives?(text: string, random: Random): readonly string[];
}

/** One text with a trigger, and its control. */
interface TriggerCopies {
  readonly trigger: string;
  readonly control: string;
}

/**
 * How a backdoor is planted in a model, with its options:
 * - `texts`: the victim trains all weights on partly poisoned texts.
 * - `rows`: only the triggers' rows of the embedding table change, each keeping its norm, in `epochs` passes at the learning rate `rate`.
 */
export interface PlantingSpec {
  readonly kind: string;
  readonly [option: string]: unknown;
}

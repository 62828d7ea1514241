/** @file Interface of the victim for attacks. Types only. */
import type { WindowVotes } from './certificate.js';
import type { Classifier, WhiteBox } from './classifier.js';
import type { Decision } from './decision.js';
import type { Draft } from './draft.js';
import type { FillMask } from './fill-mask.js';
import type { Language } from './language.js';
import type { Random } from './random.js';
import type { Constraint, Goal } from './search.js';

/** The victim as seen by one attack on one example. */
export interface MeteredVictim extends Classifier {
  /** The victim's answer to the example's text, already counted as one query. */
  readonly original: Float32Array;
  readonly goal: Goal;
  /** Meaning of its scores. @default the most probable label */
  readonly decision?: Decision;
  /** Its scores say no more than its labels. @default false */
  readonly labelsOnly?: boolean;
  /** Language of the texts. It offers the parts that the attack declares. */
  readonly language: Language;
  /** The run's constraints, in addition to the recipe's. */
  readonly constraints: readonly Constraint[];
  /** Random stream of this (attack, example) pair. */
  readonly random: Random;
  /** Random stream of another attack of the run's seed on this example. @default streams split off `random` */
  randomOf?(attack: string): Random;
  /** Queries left; `classify` throws RangeError beyond it. Infinity without a budget. */
  readonly remaining: number;
  /**
   * As `classify`, for texts that differ from each other, from those of other calls and from the example's: they are counted, and not
   * remembered. Absent where nothing is remembered.
   */
  classifyDistinct?(texts: readonly string[]): Promise<Float32Array[]>;
  /**
   * Notes where the entities of the example lie in drafts that are about to be classified: the texts of other drafts cannot be classified.
   * Absent unless the victim tags.
   */
  carry?(drafts: readonly Draft[]): void;
  /** Present for plugins that need gradients. */
  readonly gradients?: WhiteBox;
  /** The part of a text that the victim reads, if it truncates this text; otherwise undefined. Costs no query. */
  read?(text: string): ReadPart | undefined;
  /** The pieces into which the victim's tokenizer cuts a text, if it is known. Costs no query. */
  pieces?(text: string): readonly string[];
  /** Opens its votes, which bound its answers under edits. Absent if it has none; resolves to undefined if the model's files do not allow a proof. */
  votes?(): Promise<WindowVotes | undefined>;
}

/** A span of a text, in UTF-16 code units, end exclusive. */
export interface ReadPart {
  readonly start: number;
  readonly end: number;
}

/** The victim as seen by `prepare`. */
export interface Victim extends Classifier {
  readonly goal: Goal;
  /** Meaning of its scores. @default the most probable label */
  readonly decision?: Decision;
  /** Language of the texts. */
  readonly language: Language;
  readonly random: Random;
  /** Warns the user, once per run, about something that affects the result. */
  warn(message: string): void;
  readonly gradients?: WhiteBox | undefined;
  /** The masked language model named by the attack's option `mlm`. */
  readonly fillMask?: FillMask | undefined;
}

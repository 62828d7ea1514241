/** @file The victim as an attack sees it. Types only. */
import type { Classifier, WhiteBox } from './classifier.js';
import type { Decision } from './decision.js';
import type { FillMask } from './fill-mask.js';
import type { Language } from './language.js';
import type { Random } from './random.js';
import type { Constraint, Goal } from './search.js';

/** The victim as one attack on one example sees it. */
export interface MeteredVictim extends Classifier {
  /** The victim's answer to the example's own text; already counted as one query. */
  readonly original: Float32Array;
  readonly goal: Goal;
  /** What its scores mean. @default the most probable label */
  readonly decision?: Decision;
  /** Of the texts. It offers what the attack asks of it. */
  readonly language: Language;
  /** The run's own constraints, on top of the recipe's. */
  readonly constraints: readonly Constraint[];
  /** This (attack, example) pair's stream. */
  readonly random: Random;
  /** Texts that may still be asked; `classify` throws RangeError beyond it. Infinity without a budget. */
  readonly remaining: number;
  /** Present for plugins that need gradients. */
  readonly gradients?: WhiteBox;
  /** The part of a text that it reads, where it cuts this one; undefined where it reads all of it. Asks no query. */
  read?(text: string): ReadPart | undefined;
}

/** A stretch of a text, in UTF-16 code units, end exclusive. */
export interface ReadPart {
  readonly start: number;
  readonly end: number;
}

/** The victim as `prepare` sees it. */
export interface Victim extends Classifier {
  readonly goal: Goal;
  /** What its scores mean. @default the most probable label */
  readonly decision?: Decision;
  /** Of the texts. */
  readonly language: Language;
  readonly random: Random;
  /** Tells the user, once a run, of something that belongs to the result. */
  warn(message: string): void;
  readonly gradients?: WhiteBox;
  /** The masked language model the attack's option `mlm` names. */
  readonly fillMask?: FillMask;
}

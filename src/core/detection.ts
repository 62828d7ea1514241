/** @file What looking for backdoors needs and finds. Types only. */
import type { Rate } from './types.js';

/** A classifier's view of a text just before its last layer. */
export interface HiddenStates {
  /** Numbers in a state. */
  readonly width: number;
  /** One state per text. */
  states(texts: readonly string[]): Promise<Float32Array[]>;
}

/** A figure with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A text that a filter takes for poisoned. */
export interface Suspect {
  readonly id: string;
  /** The method's own scale; higher is more suspicious. */
  readonly score: number;
  /** What made it suspicious, for a person. */
  readonly reason: string;
}

/** What one filter says of a data set. */
export interface FilterFinding {
  readonly method: string;
  /** Texts that score higher are suspects. */
  readonly threshold: number;
  /** The share of clean texts it may wrongly suspect, as asked for. */
  readonly wantedFrr: number;
  /** How many clean texts the threshold was set on; 0 where it was set on the suspect texts themselves. */
  readonly calibratedOn: number;
  /** The most suspicious first. */
  readonly suspects: readonly Suspect[];
  /** Clean texts suspected (false rejections) and poisoned texts kept (false acceptances); null where the truth is unknown. */
  readonly frr: Rate | null;
  readonly far: Rate | null;
  /** How well the scores rank poisoned above clean texts; null where the truth is unknown or of one kind. */
  readonly auroc: Estimate | null;
}

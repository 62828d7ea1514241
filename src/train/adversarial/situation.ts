/** @file What a method of adversarial training is given, and what it gives back. */
import type { Random } from '../../core/random.js';
import type { PaddedBatch } from '../batch-feeds.js';
import type { Answer, Change } from '../passes.js';
import type { Ground } from './moves.js';

/** A batch that was just answered untouched, and how to ask again. */
export interface Situation {
  readonly tokens: PaddedBatch;
  readonly ground: Ground;
  /** The answer to the untouched batch. */
  readonly clean: Answer;
  /** The embedding table, row-major [vocabulary, hidden]. */
  readonly table: Float32Array;
  readonly random: Random;
  /** Runs the batch with a change; `share` of its loss and gradients counts in the step. With none it costs less. */
  pass(change: Change, share: number): Promise<Answer>;
}

/** Finds what to learn from and passes it, the shares adding up to `share`. Resolves to the answer to the last. */
export type Method = (situation: Situation, share: number) => Promise<Answer>;

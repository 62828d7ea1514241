/** @file What a method of adversarial training is given, and what it gives back. */
import type { Random } from '../../core/random.js';
import type { PaddedBatch } from '../batch-feeds.js';
import type { BatchChange, PassResult } from '../training-graph.js';
import type { MovableBatch } from './moves.js';

/** A batch that was just answered untouched, and how to ask again. */
export interface PerturbationContext {
  readonly tokens: PaddedBatch;
  readonly batch: MovableBatch;
  /** The answer to the untouched batch. */
  readonly clean: PassResult;
  /** The embedding table, row-major [vocabulary, hidden]. */
  readonly table: Float32Array;
  readonly random: Random;
  /** Runs the batch with a change; `share` of its loss and gradients counts in the step. With none it costs less. */
  pass(change: BatchChange, share: number): Promise<PassResult>;
}

/** Finds what to learn from and passes it, the shares adding up to `share`. Resolves to the answer to the last. */
export type PerturbationMethod = (context: PerturbationContext, share: number) => Promise<PassResult>;

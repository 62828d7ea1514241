/** @file Inputs of a training, and its fingerprint. */
import { createHash } from 'node:crypto';
import type { RewrittenCopies } from './adversarial/copies.js';
import type { Neighbours } from './adversarial/methods/method.js';
import { PART_TEXTS } from './batches.js';
import type { ExampleStore } from './example-store.js';
import type { Measurement } from './history.js';
import type { BatchSource } from './training-batches.js';

export interface Training extends BatchSource {
  /** Threads that learn side by side, at least 1, or share each pass where an adversary moves embeddings. @default 1 */
  readonly threads?: number;
  readonly validation: ExampleStore;
  /** The graph has no mask: texts of different lengths must not meet in a run. */
  readonly unpadded: boolean;
  /** Ids of tokens such as [CLS] and [SEP], which adversarial training leaves alone. @default none */
  readonly special?: readonly number[];
  /** Words that could stand for others, for the methods that swap them. @default none */
  readonly neighbours?: Neighbours | undefined;
  /** Rewritten copies to learn beside the texts, where a method of adversarial training wants some. */
  readonly copies?: RewrittenCopies | undefined;
  /** File the state is kept in. */
  readonly checkpoint: string;
  /** Go on from the checkpoint, if there is one. */
  readonly resume: boolean;
  /** Stop after the current step and write a checkpoint. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the best weights so far; they are safe once it returns or resolves. */
  readonly keep: (weights: ReadonlyMap<string, Float32Array>) => void | Promise<void>;
  /** Called after each measurement with all so far. */
  readonly onMeasured?: (points: readonly Measurement[]) => void | Promise<void>;
  /** Called after each step and each measurement. */
  readonly onProgress?: (at: TrainingProgress) => void;
}

/** Content of the progress line. */
export interface TrainingProgress {
  readonly step: number;
  readonly steps: number;
  /** Step this session began at: 0 unless it was resumed. */
  readonly from: number;
  readonly epoch: number;
  readonly loss: number;
  readonly rate: number;
  /** Tokens learnt from in this session, padding not counted. */
  readonly tokens: number;
  readonly latest?: Measurement | undefined;
}

/** Fingerprint of everything that determines the result: data, options, initial weights. */
export function fingerprintOf({ train, validation, options, trainable }: Training): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([train.sha256, validation.sha256, options, PART_TEXTS]));
  for (const { name, dims, values } of trainable.parameters) hash.update(`${name} ${dims}`).update(bytesOf(values));
  return hash.digest('hex');
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

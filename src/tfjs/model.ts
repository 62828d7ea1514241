/** @file A model that TF.js saved: what goes in and comes out, its answers, and the model from its embeddings on. */
import type { NamedTensorMap, Tensor } from '@tensorflow/tfjs-core';
import { UnsupportedOpError } from '../core/errors.js';

/** An input or output. `shape` holds names where the size is free; an input of `int32` holds ids that are looked up in a table. */
export interface TfjsPort {
  readonly name: string;
  readonly type: 'float32' | 'int32' | 'bool' | 'string';
  readonly shape: readonly (number | string)[];
}

/** The last operation of an output. */
export interface TfjsHead {
  readonly scores: 'logits' | 'probabilities' | 'distribution' | 'log-distribution';
  readonly by: string;
  /** It makes them of logits, which `run` can give instead. */
  readonly activation?: 'softmax' | 'sigmoid';
}

export interface TfjsRun {
  /** Embeddings [texts, tokens, hidden], in the place of those that the ids look up. */
  readonly rows?: Tensor;
  /** The logits, where the head has an activation. */
  readonly logits?: boolean;
}

export interface TfjsModel {
  readonly inputs: readonly TfjsPort[];
  readonly outputs: readonly TfjsPort[];
  head(output: string): TfjsHead | undefined;
  /** What the caller owns, or TF.js's tidy. A promise where the model has loops or sizes that only a run knows. */
  run(feeds: NamedTensorMap, output: string, options?: TfjsRun): Tensor | Promise<Tensor>;
  /** The table [vocabulary, hidden] in which the ids of an input are looked up. Throws UnsupportedOpError unless there is one lookup. */
  table(input: string): Tensor;
  dispose(): void;
}

/** The error for a model whose ids are not looked up in one place. */
export const noLookup = (input: string, found: number): UnsupportedOpError =>
  new UnsupportedOpError(`expected one embedding lookup of "${input}" to differentiate by, got ${found || 'none'}`, {
    code: 'NO_EMBEDDINGS',
    hint: 'Gradients need a model that looks token ids up in a table; attacks without gradients run on any.',
  });

/** @file A pass of the training graph over a batch: what may differ from the batch, and its result. */

/** How a pass differs from its batch. */
export interface BatchChange {
  /** Added to the embeddings, row-major [texts, tokens, hidden]. */
  readonly delta?: Float32Array;
  /** Other targets, row-major [texts, columns]. */
  readonly targets?: Float32Array;
}

/** The caller owns the arrays. */
export interface PassResult {
  /** Weighted by the importance of its texts. */
  readonly loss: number;
  /** Row-major [texts, columns], the shape of the targets. */
  readonly probabilities: Float32Array;
  /** d(loss)/d(embeddings), row-major [texts, tokens, hidden]. */
  readonly slope: Float32Array;
}

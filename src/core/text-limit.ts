/** @file How long a text a model reads. */

/** A model's limit on text length. */
export interface TextLimit {
  /** Name of the model. */
  readonly model: string;
  /** "512 tokens" */
  readonly most: string;
  /** Whether a text, or a pair, is truncated. */
  cuts(text: string): boolean;
}

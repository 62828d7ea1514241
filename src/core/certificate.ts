/** @file Interface of a classifier with a certificate: its logits are sums of bounded votes. Types only. */

/** The votes on one text: one row for each of its tokens, whose window of tokens has that token in its middle. */
export interface VotedText {
  readonly labels: number;
  /** Tokens on either side of the middle that a window covers. */
  readonly half: number;
  /** Row-major [tokens, labels]; each row is non-negative and sums to 1. Special tokens at both ends included. */
  readonly values: Float64Array;
  /** For each token: how far single precision may move the difference of two of its votes. */
  readonly errors: Float64Array;
}

/**
 * A classifier that predicts the label with the largest sum of votes. A text's tokens stand between one special token at either end, and each
 * vote depends on the tokens of its window only.
 */
export interface WindowVotes {
  /** A token is one code point of the text, or one word or punctuation mark. */
  readonly reads: 'characters' | 'words';
  /** Most tokens of a text; longer texts are cut. */
  readonly maximum: number;
  /** Ids of the tokens, special ones included. */
  tokens(text: string): ArrayLike<number>;
  /** Costs no query. */
  votes(tokens: ArrayLike<number>): VotedText;
}

/** @file Whether something is true of each text, and whether the model found it. */

/** One character per example: `1` yes, `0` no, `-` not answered. */
export interface FoundLetters {
  readonly truth: string;
  readonly found: string;
}

/** @file The ways in which texts become what a graph takes, and what that is. */
import type { InputSpec } from './manifest.js';

/** Content of each kind of input: ids to look up, a row of numbers to compute with, or the text itself. */
export const CONTENT = {
  tokenizer: 'ids',
  'word-index': 'ids',
  counts: 'features',
  tfidf: 'features',
  hashing: 'features',
  string: 'strings',
} as const satisfies Record<InputSpec['kind'], string>;

/** Does the model take ids of tokens or words, one after the other? */
export const readsIds = ({ kind }: { readonly kind: InputSpec['kind'] }): boolean => CONTENT[kind] === 'ids';

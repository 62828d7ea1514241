/** @file What a generator of negation probes is: a capability, and a pattern that rewrites texts of which it is sure. */
import type { Capability, Polarity } from '../../../core/negation.js';
import type { Sentence } from './sentence.js';

/** A text a rule has made. INV: it says the same; DIR: it says the opposite. */
export interface Rewrite {
  readonly relation: 'INV' | 'DIR';
  readonly text: string;
}

export interface Rule {
  readonly capability: Capability;
  /** Rewrites of a text with a known verdict; none where the pattern is not met beyond doubt. */
  rewrites(sentence: Sentence, polarity: Polarity): Iterable<Rewrite>;
}

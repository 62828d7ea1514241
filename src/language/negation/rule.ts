/** @file What a generator of negation probes is: a capability, and a pattern that rewrites texts of which it is sure. */
import type { Sentence } from './sentence.js';
import type { Polarity } from './verdicts.js';

/** What a model must understand to pass (CheckList's word: Ribeiro et al. 2020, section 2). */
export const CAPABILITIES = [
  'single negation',
  'double negation',
  'litotes',
  'denied opinion',
  'negation at a distance',
  'hardly and barely',
  'neither nor',
  'not only but also',
  'implicit negation',
  'negated quantifier',
  'nothing not',
  'never',
  'negation removed',
  'negated comparison',
  'confirming negation',
  'negation elsewhere',
  'unreal wish',
  'anything but',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

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

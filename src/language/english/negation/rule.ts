/** @file What a generator of negation probes is: a capability, and a pattern that rewrites texts of which it is sure. */
import type { Sentence } from './sentence.js';
import type { Polarity } from './sentiment-words.js';

/** Capability -> what a model must understand to pass (CheckList's word: Ribeiro et al. 2020, section 2), with an example. */
export const CAPABILITY_MEANINGS = {
  'single negation': 'A denied verdict is its opposite: "The soup is not good."',
  'double negation': 'A denied opposite is the verdict itself: "The soup is not bad at all."',
  litotes: 'Denying the opposite with stress is praise: "The soup is anything but bad."',
  'denied opinion': 'An opinion that nobody holds: "No one would call the soup good."',
  'negation at a distance':
    'Words stand between the denial and what it denies: "I would not say, having given it some thought, that it is good."',
  'hardly and barely': 'Words that all but deny: "The soup is hardly good."',
  'neither nor': 'One denial for two verdicts: "The soup is neither hot nor fresh."',
  'not only but also': 'A "not" that denies nothing: "The soup is not only hot but also fresh."',
  'implicit negation': 'Verbs that deny without a "not": "The soup lacks flavour.", "It fails to please."',
  'negated quantifier': 'Denying that there is any: "Nothing about the soup is good."',
  'nothing not':
    'Two denials cancel: "There is nothing I do not like about the soup." is praise; "nothing I like" is blame.',
  never: 'Never is not, and never failing is always: "The soup never fails to please."',
  'negation removed': 'Without its "not" a text says the opposite: "I do not recommend it." -> "I recommend it."',
  'negated comparison': 'That nothing was better is the highest praise: "I have never eaten a better soup."',
  'confirming negation': 'Denying that it can be denied: "There is no denying that the soup is good."',
  'negation elsewhere': 'A denial beside the matter changes nothing: "I do not write many reviews. The soup is good."',
  'unreal wish': 'What one wishes one could say is not so: "I wish I could say that the soup is good."',
  'anything but': 'A whole phrase denied: "Anything but a good soup."',
} as const;
export type Capability = keyof typeof CAPABILITY_MEANINGS;
export const CAPABILITIES = Object.keys(CAPABILITY_MEANINGS) as readonly Capability[];

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

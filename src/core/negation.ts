/**
 * @file Behavioural probes of negation in CheckList's terms (Ribeiro et al. 2020, section 2): the structure of a probe, and the
 * capabilities.
 */
import type { Random } from './random.js';

export type Polarity = 'positive' | 'negative';

/** Capability -> what a model must understand to pass, with an example. */
export const CAPABILITY_MEANINGS = {
  'single negation': 'A denied verdict is its opposite: "The soup is not good."',
  'double negation': 'A denied opposite is the verdict itself: "The soup is not bad at all."',
  litotes: 'Denying the opposite with stress is praise: "The soup is anything but bad."',
  'denied opinion': 'An opinion that no one holds: "No one would call the soup good."',
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
  'contracted negation': 'A denial shortened is the same denial: "The soup isn\'t good." says "The soup is not good."',
  'negated comparison': 'That nothing was better is the highest praise: "I have never eaten a better soup."',
  'confirming negation': 'Denying that it can be denied: "There is no denying that the soup is good."',
  'negation elsewhere': 'A denial beside the matter changes nothing: "I do not write many reviews. The soup is good."',
  'unreal wish': 'What one wishes one could say is not so: "I wish I could say that the soup is good."',
  'anything but': 'A whole phrase denied: "Anything but a good soup."',
} as const;
export type Capability = keyof typeof CAPABILITY_MEANINGS;
export const CAPABILITIES = Object.keys(CAPABILITY_MEANINGS) as readonly Capability[];

/** Capabilities whose probes put sentences around an unchanged text: they are counted separately from rewrites within it. */
export const AROUND_THE_TEXT: ReadonlySet<string> = new Set<Capability>([
  'confirming negation',
  'negation elsewhere',
  'unreal wish',
]);

export interface NegationProbe {
  readonly capability: Capability;
  /** INV: same meaning as the original; DIR: opposite meaning; MFT: made from a template, which determines `expected`. */
  readonly relation: 'INV' | 'DIR' | 'MFT';
  /** The other half of the minimal pair. */
  readonly original: string;
  readonly text: string;
  /** Sentiment that a reader takes from the text. */
  readonly expected: Polarity;
}

/** A language's knowledge of negation and of the words that it negates. */
export interface NegationPart {
  /** Probes derived from one text with known sentiment, without duplicates. */
  probes(original: string, polarity: Polarity): readonly NegationProbe[];
  /** Rewrites with the same meaning, for a text of unknown sentiment. */
  invariantProbes(original: string): readonly Omit<NegationProbe, 'expected'>[];
  /** Up to `each` probes of every capability, from templates. */
  templateProbes(random: Random, each: number): readonly NegationProbe[];
  /** Sentiment of each label, undefined for a neutral one; undefined as a whole if the names do not reveal it. */
  labelPolarities(labels: readonly string[]): readonly (Polarity | undefined)[] | undefined;
  /** Whether the word expresses sentiment, or is close to one that does. */
  judges(word: string): boolean;
  /** Praise or blame; "unclear" if it is only close to words that express sentiment. Absent: no judging word is replaced. */
  judgment?(word: string): Polarity | 'unclear' | undefined;
  /** Adjectives and adverbs that may be added to any sentence without an opinion. Absent: any that neither judge nor deny. */
  readonly additions?: { readonly words: readonly string[]; has(word: string): boolean };
  /** Whether the word negates, restricts or weakens its neighbours. */
  denies(word: string): boolean;
  /**
   * Indices of the tokens (lower case) that reverse a statement. Two of them cancel; "not only" reverses nothing. Absent: rewrites are
   * not searched for negations.
   */
  denials?(tokens: readonly string[]): readonly number[];
  /** Whether two words give opposite verdicts, so that denying one says nearly the other ("not dull", "funny"). */
  contrary?(a: string, b: string): boolean;
}

/** The well-known textbook sentence. */
export const TEXTBOOK_PROBE: NegationProbe = {
  capability: 'nothing not',
  relation: 'MFT',
  original: 'I like this movie.',
  text: 'There is nothing I do not like about this movie.',
  expected: 'positive',
};

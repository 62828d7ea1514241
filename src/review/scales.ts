/**
 * @file The second part of a review: ratings of an adversarial text next to its original, once all labels are given. Meaning, grammar and
 * suspicion are three of the constraints that people judge in Morris, Lifland, Lanchantin, Ji and Qi 2020, "Reevaluating Adversarial Examples
 * in Natural Language" (Findings of EMNLP), where meaning is rated from 1 to 5. Dyrmishi, Ghamizi and Cordy 2023, "How do humans perceive
 * adversarial text?" (ACL), study validity and naturalness. The wordings and the limits of a good rating are ours.
 */
import type { SideBySide } from './journal.js';

export interface ReviewScale {
  readonly name: keyof SideBySide;
  /** The statement that is rated. */
  readonly statement: string;
  /** The good ratings: a rating of at least `from`, or of at most `to`. */
  readonly good: (rating: number) => boolean;
}

/** Names of the points, from 1 on. */
export const AGREEMENT = ['strongly disagree', 'disagree', 'not sure', 'agree', 'strongly agree'] as const;

export const REVIEW_SCALES: readonly ReviewScale[] = [
  { name: 'meaning', statement: 'The second text means the same as the first.', good: (rating) => rating >= 4 },
  {
    name: 'grammar',
    statement: 'The second text has no more grammatical errors than the first.',
    good: (rating) => rating >= 4,
  },
  {
    name: 'noticed',
    statement: 'On its own, the second text would look tampered with to me.',
    good: (rating) => rating <= 2,
  },
];

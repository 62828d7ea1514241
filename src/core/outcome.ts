/** @file What one attack did to one example. */
import { REFUSED } from './refusal.js';

export interface Queries {
  /** Every text a search scored, repeats included: comparable with the literature. */
  readonly asked: number;
  /** Distinct texts among them: what the model has to run. */
  readonly computed: number;
}

/** What an attack achieved on one example. */
export interface Attempt {
  readonly succeeded: boolean;
  /** The adversarial text if it succeeded, else the strongest one found. Absent for attacks outside text space. */
  readonly text?: string;
  /** The victim's answer to it. */
  readonly probabilities: Float32Array;
  /** Words of the original, and how many of them were changed. */
  readonly words: number;
  readonly changed: number;
  /** Why nothing could be tried ("no editable word"): the example then counts as failed. */
  readonly reason?: string;
  /** Of the text's words, as a reader counts them, the share the attack found an edit for. Absent where it cannot say. */
  readonly reach?: number;
  /** Attack-specific figures; the report gives the median of the numbers. */
  readonly details?: Readonly<Record<string, number | string | readonly number[]>>;
  /** What the attack's own measures keep of it, each under its key (core/measure.ts). */
  readonly [evidence: string]: unknown;
}

/**
 * What may become of an example under an attack, in the order in which reports list it. `tied`: the attack failed, and its strongest text leaves
 * the prediction on the line, within the victim's noise; wherever failures count, it counts as one.
 */
export const STATUSES = ['succeeded', 'failed', 'tied', 'skipped', 'errored'] as const;
export type Status = (typeof STATUSES)[number];

/** Did the attack fail, a tie included? */
export const hasFailed = (status: Status): boolean => status === 'failed' || status === 'tied';

/** Did the search run to an end, with or without success? The attack success rate is over these. */
export const wasAttacked = (status: Status): boolean => status === 'succeeded' || hasFailed(status);

/** One line of results.jsonl: what one attack did to one example. The evidence of the attack's measures stands beside these. */
export interface Outcome {
  readonly id: string;
  readonly attack: string;
  readonly status: Status;
  readonly text: string;
  /** The other text of a pair, which stays as it is; and which of the two `text` is, where it is not the second. */
  readonly text2?: string;
  readonly attacked?: 'first';
  /** The true one; of several the first by name, -1 where none is. */
  readonly label: number;
  /** Of data with any number of labels a text: those that are true, and those predicted before and after. */
  readonly labels?: readonly number[];
  readonly fromLabels?: readonly number[];
  readonly toLabels?: readonly number[];
  /** Of a victim that answers one number: the true one. */
  readonly value?: number;
  /** Predicted label before and after; -1 where there is none, because the victim did not answer or because labels tie. */
  readonly from: number;
  readonly to: number;
  /** The labels that tie for the highest score before and after, ascending; absent where the prediction is decided. */
  readonly fromTied?: readonly number[];
  readonly toTied?: readonly number[];
  /** Probability of the true label before and after; of a detector the score of what is true, of several labels the lowest of theirs; of one number the answers themselves. */
  readonly scoreBefore: number;
  readonly scoreAfter: number;
  /** Only of successes in text space. */
  readonly adversarial?: string;
  readonly words: number;
  readonly changed: number;
  readonly queries: Queries;
  readonly reason?: string;
  /** Only of failures below MIN_REACH (core/reach.ts): of the text's words, the share the attack found an edit for. */
  readonly reach?: number;
  /** Only of successes in text space. */
  readonly quality?: Quality;
  /** Of searches that asked an approximation of the victim. */
  readonly confirmations?: Confirmations;
  readonly details?: Attempt['details'];
}

/** What searches that asked an approximation of the victim asked the victim itself, to confirm what they found. Of an attack `asked` is the mean over its searches and `refuted` their sum. */
export interface Confirmations {
  /** Texts the victim itself was asked. They are not among the queries. */
  readonly asked: number;
  /** Times the approximation was fooled and the victim was not. */
  readonly refuted: number;
}

/** What an adversarial text leaves of its original, and how it reads: the figures of one, or means over several. */
export interface Quality {
  /** Characters inserted, deleted or substituted (Levenshtein distance, UTF-16 code units). */
  readonly editDistance: number;
  /** 1 = all meaning kept, by our own measure: words weighted by rarity, compared in WordNet. */
  readonly similarity: number;
  /** Share of the original's words that a reader recognises at a glance: unchanged in outline. */
  readonly readability: number;
}

/** Why an example is skipped that the goal of the attack is not after: of a detector, a text that it should not detect. */
export const BESIDE_GOAL = 'the goal is after other texts';

/** Why an example is skipped whose unedited text the victim does not decide: its labels tie, so that its prediction is wrong. */
export const TIED_PREDICTION = 'the prediction of the unedited text is a tie';

/** Why an example is skipped whose unedited text fulfils a targeted goal, although the prediction is correct. */
export const GOAL_REACHED = 'the goal is reached without an edit';

const NOT_CONCERNED: readonly (string | undefined)[] = [BESIDE_GOAL, GOAL_REACHED, REFUSED];

/** Is the example none that the attack is after? Other skipped examples were classified incorrectly. */
export const besideGoal = ({ status, reason }: Pick<Outcome, 'status' | 'reason'>): boolean =>
  status === 'skipped' && NOT_CONCERNED.includes(reason);

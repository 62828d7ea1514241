/** @file The outcome of one attack on one example. */
import { z } from 'zod';
import { count, type Declared, nonEmpty, share } from './declared.js';
import { textsShape } from './example-texts.js';
import { REFUSED } from './refusal.js';
import { tagEvidenceSchema } from './tags/evidence.js';
import type { TextEdit } from './text-edit.js';

const queries = z.object({
  asked: count.describe('Every text a search scored, repeats included: comparable with the literature.'),
  computed: count.describe('Distinct texts among them: what the model has to run.'),
});

export interface Queries extends Declared<typeof queries> {}

/** Result of an attack on one example. */
export interface Attempt {
  readonly succeeded: boolean;
  /** The adversarial text on success, otherwise the strongest text found. Absent for attacks outside text space. */
  readonly text?: string;
  /** The edits that make it of the example's text, in order: each can be taken back without the others. Absent if the whole text was rewritten. */
  readonly edits?: readonly TextEdit[];
  /** The victim's answer to it. */
  readonly probabilities: Float32Array;
  /** Number of words in the original, and how many of them were changed. */
  readonly words: number;
  readonly changed: number;
  /** Why nothing could be tried ("no editable word"); the example then counts as failed. */
  readonly reason?: string;
  /** Share of the text's words, as a reader counts them, for which the attack found an edit. Absent if it cannot be determined. */
  readonly reach?: number;
  /** Attack-specific figures; the report shows the median of the numbers. */
  readonly details?: Readonly<Record<string, number | string | readonly number[]>>;
  /** Evidence of the attack's measures, each under its key (results/measures/measure.ts). */
  readonly [evidence: string]: unknown;
}

/**
 * Possible outcomes, in the order of reports. `tied`: the attack failed, and its strongest text leaves the prediction undecided within the
 * victim's noise; a tie counts as a failure.
 */
export const STATUSES = ['succeeded', 'failed', 'tied', 'skipped', 'errored'] as const;
export type Status = (typeof STATUSES)[number];

/** One letter per status, in baselines and when two runs are compared: 1 flipped, 0 not flipped, s not attacked, - errored. */
export const STATUS_LETTERS = { succeeded: '1', failed: '0', tied: '0', skipped: 's', errored: '-' } as const;
export type StatusLetter = (typeof STATUS_LETTERS)[Status];

/** Whether the attack failed, a tie included. */
export const hasFailed = (status: Status): boolean => status === 'failed' || status === 'tied';

/** Did the search finish, with or without success? These examples are the denominator of the attack success rate. */
export const wasAttacked = (status: Status): boolean => status === 'succeeded' || hasFailed(status);

export const confirmationsSchema = z.object({
  asked: count.describe('Texts sent to the victim itself. They are not among the queries.'),
  refuted: count.describe('Times the approximation was fooled and the victim was not.'),
});

/**
 * Texts that a search on an approximation sent to the victim itself. In an attack's entry, `asked` is the mean over its searches and
 * `refuted` their sum.
 */
export interface Confirmations extends Declared<typeof confirmationsSchema> {}

export const qualitySchema = z.object({
  editDistance: count.describe(
    'Characters inserted, deleted or substituted (Levenshtein distance, UTF-16 code units).',
  ),
  similarity: z
    .number()
    .describe('1 = all meaning kept, by a built-in heuristic: words weighted by rarity, compared in WordNet.'),
  readability: z.number().describe('Share of the words of the original that are still recognisable.'),
});

/** Similarity of an adversarial text to its original: for one text, or means over several. */
export interface Quality extends Declared<typeof qualitySchema> {}

/** A label, or -1. */
const label = z.number().int().min(-1);
const labels = z.array(count);
/** A softmax in single precision may exceed 1 by a rounding error. */
const probability = z.number().min(0).max(1.00001);

/** Outcome of one attack on one example, without the evidence of measures. */
export const outcomeShape = {
  id: z.string(),
  attack: nonEmpty,
  status: z.enum(STATUSES),
  ...textsShape,
  label: label.describe('The true label; the first by name of several, or -1.'),
  labels: labels.describe('All true labels, of data with any number of labels per text.').exactOptional(),
  fromLabels: labels.describe('Labels predicted before.').exactOptional(),
  toLabels: labels.describe('Labels predicted after.').exactOptional(),
  from: label.describe('Predicted before; -1 where the victim gave no answer or no label, or where labels tie.'),
  to: label.describe('Predicted after.'),
  fromTied: labels
    .describe('Labels that share the highest score, ascending, where no label is predicted: `from` is -1.')
    .exactOptional(),
  toTied: labels.exactOptional(),
  value: z.number().describe('The true number, where the victim returns one number.').exactOptional(),
  scoreBefore: z
    .number()
    .describe(
      'Probability of the true label before; the score of what is true for a detector, the lowest of theirs for several labels, the answer itself for one number.',
    ),
  scoreAfter: z.number(),
  adversarial: z.string().describe('Only of successes in text space.').exactOptional(),
  words: count,
  changed: count,
  queries,
  reason: z.string().exactOptional(),
  reach: share
    .describe(
      'For failures that could edit almost nothing: share of the words of the text for which an edit was found.',
    )
    .exactOptional(),
  quality: qualitySchema.describe('Only of successes in text space.').exactOptional(),
  confirmations: confirmationsSchema
    .describe(
      'For a search that queried an approximation, such as the model in 8 bits: texts sent to the model itself, and how often only the approximation was fooled.',
    )
    .exactOptional(),
  tags: tagEvidenceSchema.describe('For a model that tags: the spans that it finds.').exactOptional(),
  details: z
    .record(z.string(), z.union([z.number(), z.string(), z.array(z.number().nullable())]))
    .describe('Figures of the attack.')
    .exactOptional(),
};

const declared = z.object(outcomeShape);

/** One line of results.jsonl. The evidence of the attack's measures is stored under further keys. */
export interface Outcome extends Omit<Declared<typeof declared>, 'details'> {
  readonly details?: NonNullable<Attempt['details']>;
}

/** Scores of labels are probabilities; only regression answers are unbounded. */
export const hasValidScores = ({
  value,
  scoreBefore,
  scoreAfter,
}: Pick<Outcome, 'value' | 'scoreBefore' | 'scoreAfter'>): boolean =>
  value !== undefined || [scoreBefore, scoreAfter].every((each) => probability.safeParse(each).success);

/** Reason to skip an example that the goal excludes: for a detector, a text that it should not detect. */
export const BESIDE_GOAL = 'the goal is after other texts';

/** Reason to skip an example whose unedited text is a tie, so that its prediction is incorrect. */
export const TIED_PREDICTION = 'the prediction of the unedited text is a tie';

/** Reason to skip an example whose unedited text already reaches a targeted goal although the prediction is correct. */
export const GOAL_REACHED = 'the goal is reached without an edit';

const NOT_CONCERNED: readonly (string | undefined)[] = [BESIDE_GOAL, GOAL_REACHED, REFUSED];

/** Does the attack's goal exclude the example? Other skipped examples were classified incorrectly. */
export const besideGoal = ({ status, reason }: Pick<Outcome, 'status' | 'reason'>): boolean =>
  status === 'skipped' && NOT_CONCERNED.includes(reason);

/** Whether the query budget ended a search without success. */
export const spentBudget = (
  { status, queries }: Pick<Outcome, 'status' | 'queries'>,
  budget = Number.POSITIVE_INFINITY,
): boolean => hasFailed(status) && queries.asked >= budget;

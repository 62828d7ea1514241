/** @file What one attack did to one example. */
import { z } from 'zod';
import { count, type Declared, nonEmpty, share } from './declared.js';
import { textsShape } from './pair.js';
import { REFUSED } from './refusal.js';

const queries = z.object({
  asked: count.describe('Every text a search scored, repeats included: comparable with the literature.'),
  computed: count.describe('Distinct texts among them: what the model has to run.'),
});

export interface Queries extends Declared<typeof queries> {}

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

/** A status as a letter, in baselines and where two runs are compared: 1 flipped, 0 withstood, s not attacked, - errored. */
export const STATUS_LETTERS = { succeeded: '1', failed: '0', tied: '0', skipped: 's', errored: '-' } as const;
export type StatusLetter = (typeof STATUS_LETTERS)[Status];

/** Did the attack fail, a tie included? */
export const hasFailed = (status: Status): boolean => status === 'failed' || status === 'tied';

/** Did the search run to an end, with or without success? The attack success rate is over these. */
export const wasAttacked = (status: Status): boolean => status === 'succeeded' || hasFailed(status);

export const confirmationsSchema = z.object({
  asked: count.describe('Texts sent to the victim itself. They are not among the queries.'),
  refuted: count.describe('Times the approximation was fooled and the victim was not.'),
});

/** What searches that queried an approximation of the victim sent to the victim itself. Of an attack `asked` is the mean over its searches and `refuted` their sum. */
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

/** What an adversarial text keeps of its original: the figures of one, or means over several. */
export interface Quality extends Declared<typeof qualitySchema> {}

/** A label; -1 where there is none. */
const label = z.number().int().min(-1);
const labels = z.array(count);
/** A softmax in single precision may exceed 1 by a rounding error. */
const probability = z.number().min(0).max(1.00001);

/** What one attack did to one example, without the evidence of measures. */
export const outcomeShape = {
  id: z.string(),
  attack: nonEmpty,
  status: z.enum(STATUSES),
  ...textsShape,
  label: label.describe('The true one; of several the first by name, -1 where there is none.'),
  labels: labels.describe('All true labels, of data with any number of labels per text.').exactOptional(),
  fromLabels: labels.describe('Those predicted before.').exactOptional(),
  toLabels: labels.describe('Those predicted after.').exactOptional(),
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
      'Of failures that could edit next to nothing: the share of the words of the text that an edit was found for.',
    )
    .exactOptional(),
  quality: qualitySchema.describe('Only of successes in text space.').exactOptional(),
  confirmations: confirmationsSchema
    .describe(
      'Of a search that queried an approximation, such as the model in 8 bits: texts sent to the model itself, and how often it was not fooled where the approximation was.',
    )
    .exactOptional(),
  details: z
    .record(z.string(), z.union([z.number(), z.string(), z.array(z.number().nullable())]))
    .describe('Figures of the attack.')
    .exactOptional(),
};

const declared = z.object(outcomeShape);

/** One line of results.jsonl: what one attack did to one example. The evidence of the attack's measures stands beside these. */
export interface Outcome extends Omit<Declared<typeof declared>, 'details'> {
  readonly details?: NonNullable<Attempt['details']>;
}

/** Scores of labels are probabilities; only numbers have no bounds. */
export const hasValidScores = ({
  value,
  scoreBefore,
  scoreAfter,
}: Pick<Outcome, 'value' | 'scoreBefore' | 'scoreAfter'>): boolean =>
  value !== undefined || [scoreBefore, scoreAfter].every((each) => probability.safeParse(each).success);

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

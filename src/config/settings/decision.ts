/** @file How a victim's scores become predictions: the most probable label, a detector's threshold, any number of labels. */
import { z } from 'zod';
import { AGGREGATIONS } from '../../core/tags/decode.js';
import { KEPT, nonEmptyText, type Settings, textList } from '../setting.js';

const DECISION = { group: 'decision', ...KEPT } as const;

const EXPECTED =
  'expected a score from 0 to 1, scores of labels such as PERSON=0.6,IBAN=0.9, or fpr=RATE such as fpr=0.01';

/** A rate as users write it: 0.01 or 1%. */
const RATE = /^fpr=(\d*\.?\d+) ?(%?)$/;

/** A score for each of some labels, and perhaps one for all others: PERSON=0.6,IBAN=0.9,0.5. */
export interface ThresholdsByLabel {
  readonly byLabel: Readonly<Record<string, number>>;
  readonly others?: number | undefined;
}

/** A score, the false positive rate that it should have, or scores of labels. Undefined for anything else. */
export function parsedThreshold(
  written: string,
): { readonly score: number } | { readonly rate: number } | ThresholdsByLabel | undefined {
  const [, rate, percent] = RATE.exec(written.trim()) ?? [];
  if (rate !== undefined)
    return within({ rate: Number(rate) / (percent ? 100 : 1) }, ({ rate: of }) => of > 0 && of < 1);
  const score = scoreIn(written);
  return score === undefined ? labelThresholds(written) : { score };
}

const scoreIn = (written: string): number | undefined =>
  /^(\d+\.?\d*|\.\d+)$/.test(written.trim()) && Number(written) > 0 && Number(written) <= 1
    ? Number(written)
    : undefined;

function labelThresholds(written: string): ThresholdsByLabel | undefined {
  const parts = written.split(',').map((part) => part.trim());
  const bare = parts.filter((part) => !part.includes('='));
  const named = parts.flatMap((part) => /^(.+)=([^=]+)$/.exec(part)?.slice(1, 3) ?? []);
  const scores = named.filter((_, at) => at % 2 === 1).map(scoreIn);
  const names = named.filter((_, at) => at % 2 === 0);
  const others = bare[0] === undefined ? undefined : scoreIn(bare[0]);
  const wrong = bare.length > 1 || (bare.length === 1 && others === undefined) || names[0] === undefined;
  if (wrong || scores.includes(undefined) || new Set(names).size < names.length) return undefined;
  const byLabel = Object.fromEntries(names.map((name, at) => [name, scores[at]!]));
  return { byLabel, others };
}

const within = <T>(value: T, holds: (value: T) => boolean): T | undefined => (holds(value) ? value : undefined);

export const decisionSettings = {
  task: {
    schema: z.enum(['single', 'multi-label', 'regression', 'tags']).optional(),
    ...DECISION,
    help: 'kind of prediction: single, multi-label, regression or tags; single: the most probable label; multi-label: every label whose score reaches --threshold; regression: a number; tags: spans such as names, of a model that tags tokens',
  },
  delta: {
    schema: z.number().positive().optional(),
    ...DECISION,
    of: 'task',
    value: 'number',
    help: 'regression: an answer closer than this to the true number is correct, and attacks must move the number by at least this much [default: as in robust.json, else a tenth of the range of the numbers in the data]',
  },
  aggregation: {
    schema: z.enum(AGGREGATIONS).optional(),
    ...DECISION,
    of: 'task',
    help: 'tags: how the tokens of a word get one tag: simple (each token its own), first, average or max, as in transformers [default: simple]',
  },
  positive: {
    schema: z.union([nonEmptyText.transform((one): readonly string[] => [one]), textList]).optional(),
    ...DECISION,
    value: 'label',
    help: 'label that the model detects; attacks try to evade it (--goal evade) or to set it off (--goal alarm); repeat',
  },
  threshold: {
    schema: z
      .union([z.string(), z.number().transform(String)])
      .refine((written) => parsedThreshold(written) !== undefined, EXPECTED)
      .optional(),
    ...DECISION,
    value: 'score|label=score|fpr=rate',
    help: 'minimum score for a label to be predicted, or of a span (--task tags); PERSON=0.6,0.3: of this label and of the others; fpr=0.01: the score at which 1 % of the texts that should pass are detected [default: 0.5; of spans 0]',
  },
  positiveScore: {
    schema: z.enum(['max', 'sum']).optional(),
    ...DECISION,
    of: 'threshold',
    help: 'score of several --positive labels: their maximum or their sum [default: max]',
  },
  calibration: {
    schema: nonEmptyText.optional(),
    ...DECISION,
    of: 'threshold',
    value: 'file',
    path: 'input',
    help: 'labelled texts that determine --threshold fpr=..., instead of --data',
  },
} as const satisfies Settings;

/** Two texts that are read together. */
export const pairSettings = {
  textColumns: {
    // One flag with a comma between them, or a list in a configuration.
    schema: z
      .union([nonEmptyText.transform((one): readonly string[] => [one]), textList])
      .transform((names) => names.flatMap((name) => name.split(',').map((each) => each.trim())))
      .refine(({ length }) => length === 2, 'expected two columns, such as premise,hypothesis')
      .optional(),
    group: 'data',
    of: 'columns',
    option: 'pair',
    value: 'first,second',
    help: 'the two columns of text pairs, in the order of the model',
    ...KEPT,
  },
  attackColumn: {
    schema: nonEmptyText.optional(),
    group: 'data',
    of: 'columns',
    option: 'attack',
    help: 'the text of a pair to attack; the other one stays unchanged [default: the second]',
    ...KEPT,
  },
} as const satisfies Settings;

/** @file What the scores of a victim mean: the most probable label, a detector's threshold, any number of labels. */
import { z } from 'zod';
import { KEPT, nonEmptyText, type Settings, textList } from '../setting.js';

const DECISION = { group: 'decision', ...KEPT } as const;

const EXPECTED = 'expected a score from 0 to 1, or fpr=RATE such as fpr=0.01';

/** A rate as users write it: 0.01 or 1%. */
const RATE = /^fpr=(\d*\.?\d+) ?(%?)$/;

/** A score, or the false positive rate that it should have. Undefined for what is neither. */
export function parsedThreshold(written: string): { readonly score: number } | { readonly rate: number } | undefined {
  const [, rate, percent] = RATE.exec(written.trim()) ?? [];
  if (rate !== undefined)
    return within({ rate: Number(rate) / (percent ? 100 : 1) }, ({ rate: of }) => of > 0 && of < 1);
  if (!/^(\d+\.?\d*|\.\d+)$/.test(written.trim())) return undefined;
  return within({ score: Number(written) }, ({ score }) => score > 0 && score <= 1);
}

const within = <T>(value: T, holds: (value: T) => boolean): T | undefined => (holds(value) ? value : undefined);

export const decisionSettings = {
  task: {
    schema: z.enum(['single', 'multi-label', 'regression']).optional(),
    ...DECISION,
    help: 'how many labels a text has: one, the most probable one, or any number, each whose score reaches --threshold; or a number (regression)',
  },
  delta: {
    schema: z.number().positive().optional(),
    ...DECISION,
    of: 'task',
    value: 'number',
    help: 'the model answers a number: one closer than this to the true number is right, and attacks move it by this much or more [default: what robust.json says, else a tenth of the range of the numbers in the data]',
  },
  positive: {
    schema: z.union([nonEmptyText.transform((one): readonly string[] => [one]), textList]).optional(),
    ...DECISION,
    value: 'label',
    help: 'the model is a detector of this label: attacks try to get past it (--goal evade) or to set it off (--goal alarm); repeat',
  },
  decisionThreshold: {
    schema: z
      .union([z.string(), z.number().transform(String)])
      .refine((written) => parsedThreshold(written) !== undefined, EXPECTED)
      .optional(),
    ...DECISION,
    flag: 'threshold',
    value: 'score|fpr=rate',
    help: 'from which score on a label counts; fpr=0.01: from where on 1 % of the texts that should pass are detected [default: 0.5]',
  },
  positiveScore: {
    schema: z.enum(['max', 'sum']).optional(),
    ...DECISION,
    of: 'threshold',
    help: 'the score of several --positive labels: the largest of theirs, or their sum [default: max]',
  },
  calibration: {
    schema: nonEmptyText.optional(),
    ...DECISION,
    of: 'threshold',
    value: 'file',
    path: 'input',
    help: 'labelled texts by which --threshold fpr=... is found, where not by those of --data',
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
    help: 'the columns of pairs of texts, in the order in which the model reads them',
    ...KEPT,
  },
  attackColumn: {
    schema: nonEmptyText.optional(),
    group: 'data',
    of: 'columns',
    option: 'attack',
    help: 'which text of a pair is attacked; the other one stays as it is [default: the second]',
    ...KEPT,
  },
} as const satisfies Settings;

/** @file The verdict of the exhaustive check on each example, and the rates of the verdicts. */
import { z } from 'zod';
import { count } from '../core/declared.js';
import { besideGoal, type Outcome } from '../core/outcome.js';
import { type Rate, rateSchema } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import { type Measure, valueAt } from '../results/measures/measure.js';

const evidence = z.object({
  texts: count.describe('Texts of the space that the victim classified.'),
  finished: z.boolean().describe('It classified all of them.'),
  method: z
    .literal('bounds')
    .describe('How it was proved without classifying texts: by bounds on the votes of the model.')
    .exactOptional(),
});

type Verification = z.infer<typeof evidence>;

const EVIDENCE = { key: 'verification', schema: evidence };

/** `wrong`: the unedited text is classified incorrectly, so that the model is not robust on it. */
export type ProofVerdict = 'wrong' | 'proved' | 'broken' | 'unfinished';

/** The verdict on an example; undefined if it says nothing: the victim errored or refused, or the goal does not concern the text. */
export function verdictOf(outcome: Outcome): ProofVerdict | undefined {
  const { status, details } = outcome;
  if (status === 'errored' || besideGoal(outcome)) return undefined;
  if (status === 'skipped') return 'wrong';
  if (status === 'succeeded') return 'broken';
  const found = valueAt(outcome, EVIDENCE.key) as Verification | undefined;
  return status === 'failed' && found?.finished === true && details?.refused === undefined ? 'proved' : 'unfinished';
}

export const verificationOf = (outcome: Outcome): Verification | undefined =>
  valueAt(outcome, EVIDENCE.key) as Verification | undefined;

interface VerdictRate {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly verdicts: readonly ProofVerdict[];
}

/** The share of all examples, wrongly classified ones included, with one of these verdicts. */
const verdictRate = ({ name, label, about, verdicts }: VerdictRate): Measure<Rate> => ({
  name,
  evidence: EVIDENCE,
  schema: rateSchema,
  fold() {
    let [n, found] = [0, 0];
    return {
      add(outcome) {
        const verdict = verdictOf(outcome);
        if (verdict === undefined) return;
        n++;
        if (verdicts.includes(verdict)) found++;
      },
      value: () => (n === 0 ? undefined : wilson(found, n)),
    };
  },
  metrics: [{ key: name, unit: 'rate', label, about, column: null }],
});

export const verificationMeasures: readonly Measure[] = [
  verdictRate({
    name: 'proved',
    label: 'Proved robust',
    about: 'examples whose prediction no text of the space changes: a lower bound of the robust accuracy',
    verdicts: ['proved'],
  }),
  verdictRate({
    name: 'notBroken',
    label: 'Not broken',
    about: 'correctly classified examples for which no breaking edit was found: an upper bound of the robust accuracy',
    verdicts: ['proved', 'unfinished'],
  }),
  verdictRate({
    name: 'broken',
    label: 'Broken by an edit',
    about: 'examples whose prediction some text of the space changes',
    verdicts: ['broken'],
  }),
  verdictRate({
    name: 'unfinished',
    label: 'Check unfinished',
    about: 'examples for which the query budget ended the check, or an edit ties the prediction',
    verdicts: ['unfinished'],
  }),
];

/** @file The shape of robust.baseline.json. */
import { z } from 'zod';
import { decisionSchema } from '../core/decision-schema.js';
import { type Declared, texts, valuesByName } from '../core/declared.js';
import { answersSchema, type DecidedAnswers } from '../results/comparison/decided-answers.js';

export const SCHEMA_VERSION = 1;
export const KIND = 'robust-baseline';

const letters = z.string().regex(/^[01-]*$/);

/** Each has an entry for each example. */
function rowsOf(of: DecidedAnswers | undefined): { readonly length: number }[] {
  if (of === undefined) return [];
  if (of.kind === 'threshold') return [of.truth, of.found, of.scores];
  if (of.kind === 'regression') return [of.truth, of.answers];
  return of.labels.flatMap((label) => [label.truth, label.found]);
}

const unique = (names: readonly string[]): boolean => new Set(names).size === names.length;

/** Keys it does not know are let pass: a newer version may add some. */
export const baselineSchema = z
  .object({
    schemaVersion: z.literal(SCHEMA_VERSION),
    kind: z.literal(KIND),
    toolVersion: z.string(),
    model: z.object({ name: z.string(), sha256: z.string() }),
    fingerprint: valuesByName.describe('Facts that must be equal for two runs to be comparable.'),
    ids: z.array(z.string()).min(1).refine(unique, 'each example once'),
    clean: letters.describe('A character an example: 1 classified correctly, 0 incorrectly, - not answered.'),
    decision: z
      .object({ rule: decisionSchema, labels: z.array(z.string()).min(1), answers: answersSchema })
      .refine(({ rule, answers: { kind } }) => rule.kind === kind, 'answers of the same kind')
      .refine(
        ({ rule, labels, answers: given }) =>
          rule.kind !== 'multi-label' ||
          given.kind !== 'multi-label' ||
          (rule.at.length === labels.length && given.labels.map(({ label }) => label).join('\n') === labels.join('\n')),
        'a threshold and answers for each label',
      )
      .describe('Absent where the most probable label is decided, and in older baselines.')
      .exactOptional(),
    attacks: z
      .array(
        z.object({
          name: z.string(),
          constraints: texts,
          outcomes: z
            .string()
            .regex(/^[01su-]*$/)
            .describe(
              'A character an example: 1 flipped, 0 not flipped, u nothing could be tried, s not attacked, - errored or missing.',
            ),
        }),
      )
      .refine((attacks) => unique(attacks.map(({ name }) => name)), 'each attack once'),
  })
  .refine(
    ({ ids, clean, attacks, decision }) =>
      [clean, ...attacks.map((each) => each.outcomes), ...rowsOf(decision?.answers)].every(
        (row) => row.length === ids.length,
      ),
    'an answer for each example',
  );

export interface Baseline extends Declared<typeof baselineSchema> {}

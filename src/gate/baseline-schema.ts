/** @file The shape of robust.baseline.json. */
import { z } from 'zod';
import { decisionSchema } from '../core/decision-schema.js';
import { type Declared, texts, valuesByName } from '../core/declared.js';
import { answerColumns, answersFit, answersSchema } from '../tasks/answers.js';

export const SCHEMA_VERSION = 1;
export const KIND = 'robust-baseline';

const letters = z.string().regex(/^[01-]*$/);

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
        ({ rule, labels, answers }) => answersFit(answers, rule, labels),
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
      [
        clean,
        ...attacks.map((each) => each.outcomes),
        ...(decision === undefined ? [] : answerColumns(decision.answers)),
      ].every((row) => row.length === ids.length),
    'an answer for each example',
  );

export interface Baseline extends Declared<typeof baselineSchema> {}

/** @file The shape of robust.baseline.json. */
import { z } from 'zod';
import { decisionSchema } from '../core/decision-schema.js';

export const SCHEMA_VERSION = 1;
export const KIND = 'robust-baseline';

const letters = z.string().regex(/^[01-]*$/);
const found = { truth: z.string().regex(/^[01]*$/), found: letters };
const numbers = z.array(z.number().nullable());
const answers = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('threshold'), ...found, scores: numbers }),
  z.object({ kind: z.literal('multi-label'), labels: z.array(z.object({ label: z.string(), ...found })).min(1) }),
  z.object({ kind: z.literal('regression'), truth: z.array(z.number()), answers: numbers }),
]);

/** Each has an entry for each example. */
function rowsOf(of: z.infer<typeof answers> | undefined): { readonly length: number }[] {
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
    fingerprint: z.record(z.string(), z.unknown()),
    ids: z.array(z.string()).min(1).refine(unique, 'each example once'),
    clean: letters,
    decision: z
      .object({ rule: decisionSchema, labels: z.array(z.string()).min(1), answers })
      .refine(({ rule, answers: { kind } }) => rule.kind === kind, 'answers of the same kind')
      .refine(
        ({ rule, labels, answers: given }) =>
          rule.kind !== 'multi-label' ||
          given.kind !== 'multi-label' ||
          (rule.at.length === labels.length && given.labels.map(({ label }) => label).join('\n') === labels.join('\n')),
        'a threshold and answers for each label',
      )
      .optional(),
    attacks: z
      .array(
        z.object({
          name: z.string(),
          constraints: z.array(z.string()),
          outcomes: z.string().regex(/^[01su-]*$/),
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

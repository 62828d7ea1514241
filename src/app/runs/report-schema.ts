/** @file The published JSON Schemas of documents in `schemas/`: generated from the declarations of the records. */
import { z } from 'zod';
import { attacks } from '../../../attacks/index.js';
import type { DecisionRule } from '../../core/decision.js';
import { guardCardSchema } from '../../results/card/guard-card.js';
import { GENERAL_MEASURES } from '../../results/measures/index.js';
import type { Measure } from '../../results/measures/measure.js';
import { resultSchemaWith } from '../../results/report/report.js';
import { decisionOf } from '../../tasks/decide.js';
import { decisionMeasures } from '../../tasks/measures.js';

/** A decision of each kind, with its labels. */
const DECISIONS: readonly (readonly [DecisionRule, readonly string[]])[] = [
  [{ kind: 'threshold', positive: ['a'], by: 'max', at: 0.5 }, ['a', 'b']],
  [{ kind: 'multi-label', at: [0.5, 0.5] }, ['a', 'b']],
  [{ kind: 'regression', delta: 1 }, ['a']],
];

/** The measures of all built-in attacks on victims of every kind. */
const measures = (): readonly Measure[] => [
  ...GENERAL_MEASURES,
  ...DECISIONS.flatMap(([rule, labels]) => decisionMeasures(decisionOf(rule, labels), labels)),
  ...attacks.flatMap((attack) => attack.measures ?? []),
];

/** Draft 2020-12. Attacks of plugins add properties of their own, which consumers ignore. */
export function reportJsonSchema() {
  const all = measures();
  const result = resultSchemaWith(
    Object.fromEntries(all.map(({ name, schema }) => [name, schema.optional()])),
    Object.fromEntries(all.flatMap(({ evidence }) => (evidence ? [[evidence.key, evidence.schema.optional()]] : []))),
  );
  return documentSchema(
    'A report of robust',
    'What `robust attack --json`, `robust report --json` and `-o report.json` write.',
    result,
  );
}

/** Schema of `robust card --json` for a detector under the suite guardrail. */
export const guardCardJsonSchema = () =>
  documentSchema(
    'A card of a guard',
    'What `robust card --json` and `-o card.json` write for a detector under the suite guardrail.',
    guardCardSchema,
  );

/** Schema of the document that a command writes. */
function documentSchema(title: string, description: string, result: z.ZodType) {
  const document = z.object({
    schemaVersion: z.literal(1),
    ok: z.boolean(),
    command: z.string(),
    result: result.optional(),
    error: z
      .object({ code: z.string(), message: z.string(), hint: z.string().optional(), exit: z.number().int() })
      .optional(),
    warnings: z.array(z.string()),
  });
  return {
    title,
    description: `${description} Fractions are of 1. Consumers should ignore properties they do not know: new ones may come without a new schemaVersion.`,
    ...z.toJSONSchema(document, { io: 'input', override: ({ jsonSchema }) => simplify(jsonSchema) }),
    if: { properties: { ok: { const: true } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['result'] },
    else: { required: ['error'] },
  };
}

/** Says the same in fewer words: no bounds of safe integers, no rules that everything meets, `type: [X, null]` for a choice of the two. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  delete schema.propertyNames;
  const { additionalProperties, anyOf } = schema;
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0)
    delete schema.additionalProperties;
  const [first, second] = anyOf ?? [];
  if (anyOf?.length === 2 && typeof first?.type === 'string' && second?.type === 'null' && first.enum === undefined) {
    delete schema.anyOf;
    Object.assign(schema, first, { type: [first.type, 'null'] });
  }
}

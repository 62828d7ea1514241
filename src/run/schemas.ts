/**
 * @file What is read back must have this shape: a line of results.jsonl, the figures of a report, run.json. Keys that are not known
 * here are let pass: a newer version may add some.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AttackRates } from '../core/attack-rates.js';
import { decisionSchema } from '../core/decision-schema.js';
import { type Measure, rateSchema, valueAt } from '../core/measure.js';
import { STATUSES } from '../core/outcome.js';

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);
/** A softmax in single precision may end a rounding error above 1. */
const score = z.number().min(0).max(1.00001);
/** Of a label; -1 where the victim gave no answer. */
const answer = z.number().int().min(-1);
const some = z.string().min(1);

/** A line of results.jsonl without its `index`, or an example of a report; what measures keep on it is checked by `evidenceProblem`. */
const outcomeShape = {
  id: z.string(),
  attack: some,
  status: z.enum(STATUSES),
  text: z.string(),
  text2: z.string().optional(),
  attacked: z.literal('first').optional(),
  label: answer,
  labels: z.array(count).optional(),
  fromLabels: z.array(count).optional(),
  toLabels: z.array(count).optional(),
  from: answer,
  to: answer,
  fromTied: z.array(count).optional(),
  toTied: z.array(count).optional(),
  value: z.number().optional(),
  scoreBefore: z.number(),
  scoreAfter: z.number(),
  adversarial: z.string().optional(),
  words: count,
  changed: count,
  queries: z.object({ asked: count, computed: count }),
  reason: z.string().optional(),
  quality: z
    .object({
      editDistance: count,
      similarity: z.number(),
      readability: z.number(),
    })
    .optional(),
  details: z.record(z.string(), z.union([z.number(), z.string(), z.array(z.number().nullable())])).optional(),
};

/** Of labels scores are probabilities; only numbers have no bounds. */
const scored = ({ value, scoreBefore, scoreAfter }: z.infer<z.ZodObject<typeof outcomeShape>>): boolean =>
  value !== undefined || [scoreBefore, scoreAfter].every((each) => score.safeParse(each).success);

const outcomeSchema = z.object(outcomeShape).refine(scored, 'scores are from 0 to 1');
export const entrySchema = z.object({ ...outcomeShape, index: count }).refine(scored, 'scores are from 0 to 1');

const curvePoint = z.object({
  threshold: z.number(),
  recall: rateSchema,
  falsePositiveRate: rateSchema,
  precision: rateSchema,
});

const estimate = z.object({ value: z.number(), low: z.number(), high: z.number(), n: count });

const cleanSchema = z.object({
  threshold: z.number().optional(),
  recall: rateSchema.optional(),
  falsePositiveRate: rateSchema.optional(),
  precision: rateSchema.optional(),
  auroc: rateSchema.optional(),
  averagePrecision: rateSchema.optional(),
  curve: z.array(curvePoint).optional(),
  labelSets: z
    .object({
      microPrecision: rateSchema,
      microRecall: rateSchema,
      perLabel: z.array(curvePoint.extend({ label: z.string(), auroc: rateSchema.optional() })),
    })
    .optional(),

  regression: z
    .object({
      meanSquaredError: estimate.optional(),
      meanAbsoluteError: estimate.optional(),
      pearson: estimate.optional(),
      spearman: estimate.optional(),
    })
    .optional(),
  accuracy: rateSchema,
  macroF1: share.optional(),
  microF1: share.optional(),
  fBeta: z.object({ beta: z.number(), macro: share }).optional(),
  perClass: z.array(z.object({ label: z.string(), precision: share, recall: share, f1: share, support: count })),
  confusion: z.array(z.array(count)),
  tied: count.optional(),
  approximation: z
    .object({ precision: some, device: some.optional(), agreement: rateSchema, difference: share })
    .optional(),
  texts: z.object({ examples: count, distinct: count, wordless: count, unknown: count.optional() }).optional(),
  repeatability: z.object({ asked: count, changed: count, difference: z.number().min(0) }).optional(),
  calibration: z
    .object({
      error: share,
      bins: z.array(z.object({ confidence: z.number(), accuracy: share, n: count })),
    })
    .optional(),
});

const settings = z.record(z.string(), z.unknown());

/** What a report and a record say of an attack before anything is counted. */
const attackShape = {
  name: some,
  suite: z.string().nullable(),
  constraints: z.array(z.string()),
  options: settings,
  ownGoal: z.literal(true).optional(),
};
const leftOut = z.array(z.object({ name: z.string(), suite: z.string().nullable(), reason: z.string() })).optional();
const shard = z
  .object({ index: z.number().int().min(1), count: z.number().int().min(1) })
  .refine(({ index, count: of }) => index <= of, 'a shard is one of its count');
const merged = z.array(z.object({ shard: count, run: z.string(), platform: z.string() })).optional();
const overrides = z.array(z.object({ variable: some, value: z.string(), instead: z.string().nullable() })).optional();
const model = z
  .object({
    name: z.string(),
    sha256: z.string(),
    labels: z.array(z.string()),
    defence: z.string().optional(),
    decision: decisionSchema.optional(),
  })
  .refine(({ decision, labels }) => {
    if (decision === undefined) return true;
    if (decision.kind === 'regression') return labels.length === 1;
    if (decision.kind === 'multi-label') return decision.at.length === labels.length;
    return decision.positive.every((name) => labels.includes(name)) && decision.positive.length < labels.length;
  }, 'the decision is one between its labels');
const unique = (attacks: readonly { readonly name: string }[]): boolean =>
  new Set(attacks.map(({ name }) => name)).size === attacks.length;

/** Versions that did not record the hash of the outcomes. */
const WITHOUT_HASH = /^0\.0\.\d/;

export const recordSchema = z
  .object({
    schemaVersion: z.literal(1),
    run: some,
    status: z.enum(['running', 'interrupted', 'done']),
    command: z.string(),
    toolVersion: z.string(),
    created: z.iso.datetime(),
    node: z.string(),
    hardware: z.string().optional(),
    made: z
      .object({
        config: z.string().nullable(),
        origins: z.record(z.string(), z.string()),
        overrides,
        versions: z.record(z.string(), z.string()),
      })
      .optional(),
    platform: z.string(),
    model,
    data: z.object({ name: z.string(), sha256: z.string(), url: z.string(), license: z.string() }),
    seed: z.number().int(),
    engine: z.enum(['onnx', 'tfjs']),
    goal: z.string(),
    attacks: z.array(z.object(attackShape)).refine(unique, 'each attack has a name of its own'),
    measures: z.record(z.string(), z.array(z.string())).optional(),
    leftOut,
    maxErrorRate: share,
    settings,
    named: z
      .object({ files: z.record(z.string(), z.object({ path: z.string(), sha256: z.string() })), seal: z.string() })
      .optional(),
    fingerprint: settings,
    clean: z.object({ examples: z.number().int().min(1), metrics: cleanSchema }).optional(),
    seconds: z.object({ clean: z.number().min(0), attacks: z.record(z.string(), z.number().min(0)) }),
    warnings: z.array(z.string()),
    shard: shard.optional(),
    merged,
    machines: z
      .array(
        z.object({
          host: z.string(),
          processor: z.string(),
          platform: z.string(),
          instructions: z.array(z.string()),
          onnxruntime: z.string(),
          outcomes: count,
        }),
      )
      .optional(),
    partial: z.array(z.string()).optional(),
    outcomes: count.optional(),
    resultsSha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
  })
  .refine(
    ({ status, toolVersion, resultsSha256 }) =>
      status !== 'done' || resultsSha256 !== undefined || WITHOUT_HASH.test(toolVersion),
    'resultsSha256: expected the hash of the outcomes of a finished run, got none',
  )
  .refine(
    ({ attacks, fingerprint }) =>
      !Array.isArray(fingerprint.attacks) ||
      isDeepStrictEqual(
        fingerprint.attacks.map((each: { label?: unknown } | null) => each?.label),
        attacks.map(({ name }) => name),
      ),
    'its attacks are those of its fingerprint',
  )
  .refine(
    ({ clean, model: { labels } }) =>
      clean === undefined ||
      (clean.metrics.accuracy.n <= clean.examples &&
        (clean.metrics.regression !== undefined || clean.metrics.perClass.length === labels.length) &&
        (clean.metrics.regression !== undefined ||
          clean.metrics.labelSets !== undefined ||
          clean.metrics.confusion.flat().reduce((sum, n) => sum + n, clean.metrics.tied ?? 0) ===
            clean.metrics.accuracy.n)),
    'its clean metrics are of its examples',
  );

const combined = {
  attackSuccessRate: rateSchema,
  accuracyUnderAttack: rateSchema,
  /** Absent of reports of earlier versions, as are some of the detector's rates. */
  originalAccuracy: rateSchema.optional(),
  originalRecall: rateSchema.optional(),
  recallUnderAttack: rateSchema.optional(),
  evasionRate: rateSchema.optional(),
  originalFalsePositiveRate: rateSchema.optional(),
  falsePositiveRateUnderAttack: rateSchema.optional(),
  alarmRate: rateSchema.optional(),
};
const overOneSet = [
  ({
    attackSuccessRate: { n },
    accuracyUnderAttack: all,
  }: Pick<AttackRates, 'attackSuccessRate' | 'accuracyUnderAttack'>) => n <= all.n,
  'the attack success rate is over the correctly classified of the examples that the accuracy under attack is over',
] as const;

/** The result of `attack`, as `-o report.json` writes it. */
export const resultSchema = z.object({
  model,
  data: z.object({ name: z.string(), sha256: z.string(), examples: count }),
  seed: z.number().int(),
  engine: z.enum(['onnx', 'tfjs']),
  toolVersion: z.string(),
  clean: cleanSchema,
  attacks: z
    .array(
      z
        .object({
          ...attackShape,
          ...combined,
          succeeded: count,
          failed: count,
          tied: count.optional(),
          skipped: count,
          errored: count,
          perturbedWords: share.nullable(),
          queries: z.object({ asked: z.number().min(0), computed: z.number().min(0) }),
          perClass: z.array(z.object({ label: z.string(), attackSuccessRate: rateSchema })),
          seconds: z.number().min(0),
        })
        .refine(
          ({ attackSuccessRate: { value, n }, succeeded, failed, tied = 0 }) =>
            n === succeeded + failed && tied <= failed && (value === null || Math.abs(value * n - succeeded) < 1e-6),
          'the attack success rate is that of the counts',
        )
        .refine(...overOneSet),
    )
    .refine(unique, 'each attack has a name of its own'),
  leftOut,
  suites: z
    .array(z.object({ name: z.string(), attacks: z.array(z.string()), ...combined }).refine(...overOneSet))
    .optional(),
  overall: z.object(combined).refine(...overOneSet),
  examples: z.array(outcomeSchema),
  verdict: z.enum(['passed', 'failed', 'inconclusive', 'none']),
  reasons: z.array(z.string()).optional(),
  partial: z.array(z.string()).optional(),
  provenance: z
    .object({
      created: z.string(),
      hardware: z.string(),
      platform: z.string(),
      versions: z.record(z.string(), z.string()),
      config: z.string().nullable(),
      settings: z.record(z.string(), z.object({ value: z.json(), origin: z.string() })),
      overrides,
      fingerprint: settings,
      merged,
    })
    .optional(),
  run: z.string(),
  replay: z.string(),
});

/** What is wrong with the evidence on an outcome, or undefined. */
export const evidenceProblem = (outcome: object, measures: readonly Measure[]): string | undefined =>
  firstWrong(
    outcome,
    measures.flatMap(({ evidence }) => evidence ?? []).map(({ key, schema }) => [key, schema]),
  );

/** What is wrong with the values of measures in an attack's entry of a report, or undefined. */
export const valuesProblem = (entry: object, measures: readonly Measure[]): string | undefined =>
  firstWrong(
    entry,
    measures.map(({ name, schema }) => [name, schema]),
  );

function firstWrong(of: object, keys: readonly (readonly [string, z.ZodType])[]): string | undefined {
  for (const [key, schema] of keys) {
    const value = valueAt(of, key);
    const read = value === undefined ? undefined : schema.safeParse(value);
    if (read?.success === false) return `${key}: ${firstIssue(read.error)}`;
  }
  return undefined;
}

/** The first thing that is wrong, in a few words: "attacks.0.name: expected string, received undefined". */
export function firstIssue({ issues: [first] }: z.ZodError): string {
  const where = first?.path.map(String).join('.') ?? '';
  return `${where === '' ? '' : `${where}: `}${(first?.message ?? '').replace(/^Invalid input: /, '')}`;
}

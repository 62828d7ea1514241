/** @file The report of a run, and the ways to render it. */
import { z } from 'zod';
import { type AttackMetrics, attackMetricsShape, combinedSchema, suiteSchema } from './attack-metrics.js';
import { overOneSet } from './attack-rates.js';
import { cleanSchema } from './clean-metrics.js';
import { type ComparisonReport, comparisonReportSchema } from './comparison.js';
import { decisionSchema } from './decision-schema.js';
import { count, type Declared, positiveCount, texts, valuesByName } from './declared.js';
import { endpointReportSchema } from './endpoint.js';
import { outcomeExplanationSchema } from './explanation.js';
import { leftOutSchema } from './left-out.js';
import type { Measure } from './measure.js';
import { hasValidScores, type Outcome, outcomeShape } from './outcome.js';
import { outputReadingSchema } from './output-reading.js';
import { overridesSchema } from './override.js';
import { gateSchema, verdictSchema } from './verdict.js';

export const modelSchema = z
  .object({
    name: z.string(),
    sha256: z.string(),
    labels: texts,
    output: outputReadingSchema.exactOptional(),
    defence: z
      .string()
      .describe('What defends it: attacks see the answers of the defended model only.')
      .exactOptional(),
    decision: decisionSchema.exactOptional(),
  })
  .refine(({ decision, labels }) => {
    if (decision === undefined) return true;
    if (decision.kind === 'regression') return labels.length === 1;
    if (decision.kind === 'multi-label') return decision.at.length === labels.length;
    return decision.positive.every((name) => labels.includes(name)) && decision.positive.length < labels.length;
  }, 'the decision is one between its labels');

export const engineSchema = z.enum(['onnx', 'tfjs']);

export const mergedSchema = z.array(z.object({ shard: count, run: z.string(), platform: z.string() }));

const provenance = z.object({
  created: z.string().describe('ISO 8601, UTC.'),
  hardware: z.string().describe('Processor, cores and memory.'),
  platform: z.string(),
  versions: z.record(z.string(), z.string()).describe('Of Node.js, and of the packages that numbers depend on.'),
  config: z.string().nullable().describe('The configuration file, if there was one.'),
  settings: z
    .record(z.string(), z.object({ value: z.unknown(), origin: z.string() }))
    .describe('Each value and where it was set: a flag, a variable, a line of the configuration, the default.'),
  overrides: overridesSchema.optional(),
  fingerprint: valuesByName.describe('What must be equal for two runs to be comparable.'),
  merged: mergedSchema.describe('The shards that the run was merged from.').exactOptional(),
});

/** What a result depends on besides the model and the data, and what it was made by: enough to make it again, and to doubt it. */
export interface Provenance extends Declared<typeof provenance> {}

/** For `refine`: names tell attacks apart. */
export const uniqueNames = [
  (attacks: readonly { readonly name: string }[]): boolean =>
    new Set(attacks.map(({ name }) => name)).size === attacks.length,
  'each attack has a name of its own',
] as const;

type AttackCounts = Pick<AttackMetrics, 'attackSuccessRate' | 'accuracyUnderAttack' | 'succeeded' | 'failed'> & {
  readonly tied?: number;
};

const isOfCounts = ({ attackSuccessRate: { value, n }, succeeded, failed, tied = 0 }: AttackCounts): boolean =>
  n === succeeded + failed && tied <= failed && (value === null || Math.abs(value * n - succeeded) < 1e-6);

/** What a report has besides its attacks and examples, whose entries also hold what measures found. */
const shape = {
  model: modelSchema,
  undefended: comparisonReportSchema
    .describe('Of a defended model: the comparison with the undefended one, as `robust compare --json` gives it.')
    .exactOptional(),
  endpoint: endpointReportSchema.exactOptional(),
  data: z.object({
    name: z.string(),
    sha256: z.string(),
    examples: count,
    distinct: positiveCount
      .describe('Different texts among them, where there are fewer than 1,000 and not all differ.')
      .exactOptional(),
  }),
  seed: z.number().int(),
  engine: engineSchema,
  toolVersion: z.string(),
  clean: cleanSchema,
  leftOut: z
    .array(leftOutSchema)
    .describe('Attacks of the suites that could not be carried out on this model.')
    .exactOptional(),
  suites: z.array(suiteSchema).describe('Several attacks as one: an example is flipped when any of them flips it.'),
  overall: combinedSchema.describe('All attacks together.'),
  explanations: z
    .array(outcomeExplanationSchema)
    .describe(
      'Of the successes with the fewest changes, where they were explained: which words made for the true label, before and after.',
    )
    .exactOptional(),
  verdict: verdictSchema.describe(
    'Of the gate where one judged; inconclusive too where the victim is degenerate, too many examples errored, or a budget cut the run short.',
  ),
  reasons: texts
    .describe('Why the run is inconclusive by itself, whoever judges it. Empty where it is not.')
    .exactOptional(),
  partial: texts
    .describe('What is missing from the run, which therefore passes no gate: "shard 3 of 4 is missing".')
    .exactOptional(),
  gate: gateSchema.exactOptional(),
  provenance: provenance.exactOptional(),
  run: z.string().describe("Id of the run's folder."),
};

/** The `result` of a report document. `attack`, `outcome`: properties that measures add to their entries, name -> schema. */
export const resultSchemaWith = (attack: object, outcome: object) =>
  z.object({
    ...shape,
    attacks: z
      .array(
        z
          .object({ ...attackMetricsShape, ...attack })
          .refine(isOfCounts, 'the attack success rate is that of the counts')
          .refine(...overOneSet),
      )
      .refine(...uniqueNames),
    examples: z.array(z.object({ ...outcomeShape, ...outcome }).refine(hasValidScores, 'scores are from 0 to 1')),
    replay: z.string().describe('The command that replays it.'),
  });

/** As it is read back; what measures add is checked by itself (run/schemas.ts). */
export const resultSchema = resultSchemaWith({}, {});

const declared = z.object(shape);

/** What `robust attack` reports; `examples` streams from the journal, so that a report of any size fits in memory. */
export interface Report extends Omit<Declared<typeof declared>, 'undefended'> {
  readonly undefended?: ComparisonReport;
  readonly attacks: readonly AttackMetrics[];
  /** The measures of these attacks, each once. Absent where only what every attack measures is known. */
  readonly measures?: readonly Measure[];
  readonly examples: AsyncIterable<Outcome>;
  /** The most telling successes: of each attack and class in turn, those closest to their originals. */
  readonly closest: readonly Outcome[];
  readonly warnings: readonly string[];
  /** The command that replays it. */
  readonly command: string;
}

/** A way to write something down. */
export interface Renderer<T> {
  /** As in `-o`: also the name of the format. */
  readonly name: string;
  /** Of files, without the dot: what picks it. */
  readonly extension: string;
  /** The document in chunks, for files and for stdout. */
  render(what: T): AsyncIterable<string> | Iterable<string>;
}

export type ReportRenderer = Renderer<Report>;

/** A format of one's own: files of its ending are written by it. */
export interface ReporterPlugin extends ReportRenderer {
  readonly kind: 'reporter';
  /** One sentence: what the file is for. */
  readonly summary: string;
}

/** @file The report of a run, and the interface of its renderers. */
import { z } from 'zod';
import { decisionSchema, fitsLabels } from '../../core/decision-schema.js';
import { count, type Declared, positiveCount, recent, texts, valuesByName } from '../../core/declared.js';
import { endpointReportSchema } from '../../core/endpoint.js';
import { hasValidScores, type Outcome, outcomeShape } from '../../core/outcome.js';
import { outputReadingSchema } from '../../core/output-reading.js';
import { overridesSchema } from '../../core/override.js';
import { latencySchema } from '../card/latency.js';
import { cleanSchema } from '../clean/clean-metrics.js';
import { type ComparisonReport, comparisonReportSchema } from '../comparison/comparison.js';
import { trustworthySchema } from '../diagnostics/check.js';
import { type AttackMetrics, attackMetricsShape, combinedSchema, suiteSchema } from '../measures/attack-metrics.js';
import { overOneSet } from '../measures/attack-rates.js';
import type { Measure } from '../measures/measure.js';
import { tagFiguresSchema } from '../tags/figures.js';
import type { SuggestedCommand } from './document.js';
import { outcomeExplanationSchema } from './explanation.js';
import { leftOutSchema } from './left-out.js';
import { reviewSchema } from './review.js';
import { gateSchema, verdictSchema } from './verdict.js';

export const modelSchema = z
  .object({
    name: z.string(),
    sha256: z.string(),
    labels: texts,
    output: outputReadingSchema.exactOptional(),
    defence: z.string().describe('Its defences: attacks see only the answers of the defended model.').exactOptional(),
    decision: decisionSchema.exactOptional(),
  })
  .refine(
    ({ decision, labels }) => decision === undefined || fitsLabels(decision, labels),
    'the decision is one between its labels',
  );

export const engineSchema = z.enum(['onnx', 'tfjs']);

export const mergedSchema = z.array(z.object({ shard: count, run: z.string(), platform: z.string() }));

const provenance = z.object({
  created: z.string().describe('ISO 8601, UTC.'),
  hardware: z.string().describe('Processor, cores and memory.'),
  platform: z.string(),
  versions: z
    .record(z.string(), z.string())
    .describe('Versions of Node.js and of the packages that affect the numbers.'),
  config: z.string().nullable().describe('The configuration file, if there was one.'),
  settings: z
    .record(z.string(), z.object({ value: z.unknown(), origin: z.string() }))
    .describe('Each value and where it was set: a flag, a variable, a line of the configuration, the default.'),
  overrides: overridesSchema.optional(),
  fingerprint: valuesByName.describe('Conditions that must be equal for two runs to be comparable.'),
  merged: mergedSchema.describe('The shards that the run was merged from.').exactOptional(),
});

/** Conditions of a result besides the model and the data: enough to reproduce it. */
export interface Provenance extends Declared<typeof provenance> {}

/** Check for `refine`: attack names are unique. */
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

/** Keys of a report other than its attacks and examples, whose entries also contain the values of measures. */
const shape = {
  headline: recent(z.string().describe('The result in one sentence, the same in every output.')),
  model: modelSchema,
  undefended: comparisonReportSchema
    .describe('For a defended model: the comparison with the undefended one, as `robust compare --json` gives it.')
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
  latency: latencySchema.exactOptional(),
  leftOut: z
    .array(leftOutSchema)
    .describe('Attacks of the suites that could not be carried out on this model.')
    .exactOptional(),
  suites: z.array(suiteSchema).describe('Several attacks as one: an example is flipped when any of them flips it.'),
  overall: combinedSchema.describe('All attacks together.'),
  tags: tagFiguresSchema.describe('For a model that tags: all attacks together.').exactOptional(),
  trustworthy: trustworthySchema
    .describe(
      'Diagnostics: signs that attacks failed for another reason than robustness. Present for runs of the suite `standard`, and where a check failed.',
    )
    .exactOptional(),
  review: reviewSchema.describe('Present if people reviewed the run: robust review.').exactOptional(),
  explanations: z
    .array(outcomeExplanationSchema)
    .describe(
      'For the successes with the fewest changes, if they were explained: words that supported the true label, before and after.',
    )
    .exactOptional(),
  verdict: verdictSchema.describe(
    'Verdict of the gate, if there was one; inconclusive also if the victim is degenerate, too many examples errored, or a budget cut the run short.',
  ),
  reasons: texts
    .describe('Why the run is inconclusive by itself, whoever judges it. Empty where it is not.')
    .exactOptional(),
  partial: texts
    .describe('Missing parts of the run, which therefore passes no gate: "shard 3 of 4 is missing".')
    .exactOptional(),
  gate: gateSchema.exactOptional(),
  provenance: provenance.exactOptional(),
  run: z.string().describe("Id of the run's folder."),
};

/** Schema of the `result` of a report document. `attack`, `outcome`: properties that measures add to their entries, name -> schema. */
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

/** Schema for reading; the values of measures are validated separately (run/schemas.ts). */
export const resultSchema = resultSchemaWith({}, {});

const declared = z.object(shape);

/** The report of `robust attack`. `examples` streams from the journal, so a report of any size fits in memory. */
export interface Report extends Omit<Declared<typeof declared>, 'undefended'> {
  readonly undefended?: ComparisonReport;
  readonly attacks: readonly AttackMetrics[];
  /** Measures of these attacks, without duplicates. Absent if only the general measures are known. */
  readonly measures?: readonly Measure[];
  readonly examples: AsyncIterable<Outcome>;
  /** The most informative successes: for each attack and class in turn, those closest to their originals. */
  readonly closest: readonly Outcome[];
  readonly warnings: readonly string[];
  /** Figures that the outcomes cannot show are what a file states: report.json, or the record of a run that keeps no answers. */
  readonly stated?: 'file' | 'record';
  /** Commands to run next, where a page is to show them. */
  readonly next?: readonly SuggestedCommand[];
  /** Command that repeats the run. */
  readonly command: string;
}

/** Converts a result to text. */
export interface Renderer<T> {
  /** Name of the format, as in `-o`. */
  readonly name: string;
  /** File extension without the dot, which selects the format. */
  readonly extension: string;
  /** The document in chunks, for files and for stdout. */
  render(what: T): AsyncIterable<string> | Iterable<string>;
}

export type ReportRenderer = Renderer<Report>;

/** A format from a plugin: it writes files with its extension. */
export interface ReporterPlugin extends ReportRenderer {
  readonly kind: 'reporter';
  /** One sentence: the purpose of the file. */
  readonly summary: string;
}

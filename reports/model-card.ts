/**
 * @file The figures as the `model-index` block of a Hugging Face model card: to be pasted into the YAML head of its README.md
 * (huggingface_hub, "Model Cards", evaluation results).
 */
import type { Rate } from '../src/core/statistics/rate.js';
import { degeneracy } from '../src/results/clean/degenerate.js';
import { valueAt } from '../src/results/measures/measure.js';
import { REVIEWED_FIGURES } from '../src/results/measures/review.js';
import type { Report, ReportRenderer } from '../src/results/report/report.js';
import { summariseReview } from '../src/results/report/review.js';
import { rateMetrics } from '../src/tasks/rate-words.js';
import { reviewMetrics } from './metrics.js';
import { overridesIn } from './overrides.js';
import { visible } from './visible.js';

interface CardMetric {
  readonly type: string;
  readonly name: string;
  readonly value: number;
  /** The conditions: without them a rate means nothing. */
  readonly args: Readonly<Record<string, unknown>>;
}

const round = (value: number | null): number | null => (value === null ? null : Number(value.toFixed(6)));

/** A rate that was measured, with its interval among the arguments. */
function metric(type: string, name: string, found: unknown, args: CardMetric['args'] = {}): CardMetric[] {
  const { value, low, high, n } = (found ?? { value: null }) as Rate;
  return value === null
    ? []
    : [{ type, name, value: round(value) as number, args: { ...args, n, interval: [round(low), round(high)] } }];
}

/** The conditions of a figure that readers gave. */
function reviewOf(key: string, { review, overall }: Report): CardMetric['args'] {
  const summary = REVIEWED_FIGURES.has(key) ? summariseReview(review, overall) : undefined;
  if (summary === undefined) return {};
  const { readers, agreement, verdict } = summary;
  return { readers, ...(agreement && { krippendorff_alpha: round(agreement.alpha) }), review: verdict };
}

export const modelCard: ReportRenderer = {
  name: 'model-card',
  extension: 'yaml',
  async *render(report) {
    const { stringify } = await import('yaml');
    yield stringify(show({ 'model-index': [{ name: report.model.name, results: [result(report)] }] }), {
      lineWidth: 0,
      aliasDuplicateObjects: false,
    });
  },
};

/** Every text of a value on one line and without what cannot be seen, keys too: YAML would keep them as they came. */
function show(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(show);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [visible(key), show(each)]));
}

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function result(report: Report) {
  const { data, clean, attacks, leftOut, overall, seed, toolVersion, provenance, review } = report;
  const rates = [...rateMetrics(report), ...reviewMetrics(report)];
  const all = { ...overall, ...(review && { labelKept: review.labelKept }) };
  const reasons = degeneracy(clean);
  const degenerate = { ...(reasons.length > 0 && { degenerate: reasons }), ...overridesIn({ provenance }) };
  const hub = /^hf:(.+)$/.exec(data.name)?.[1];
  return {
    task: { type: 'text-classification', name: 'Text Classification' },
    dataset: { name: data.name, type: hub ?? data.name, args: { sha256: data.sha256 } },
    metrics: [
      ...metric('accuracy', 'Accuracy', clean.accuracy, { ...degenerate }),
      ...(clean.macroF1 === undefined
        ? []
        : [{ type: 'f1', name: 'Macro F1', value: round(clean.macroF1), args: { average: 'macro', ...degenerate } }]),
      ...(clean.regression?.meanAbsoluteError === undefined
        ? []
        : [{ type: 'mae', name: 'Mean absolute error', value: round(clean.regression.meanAbsoluteError.value) }]),
      ...attacks.flatMap((attack) => {
        const args = {
          attack: attack.name,
          constraints: attack.constraints,
          options: attack.options,
          seed,
          ...degenerate,
          ...(attack.notApplicable && { not_applicable: attack.notApplicable.reason }),
        };
        return rates.flatMap(({ key, label }) =>
          metric(snakeCase(key), `${label} (${attack.name})`, valueAt(attack, key), {
            ...args,
            ...reviewOf(key, report),
          }),
        );
      }),
      ...(attacks.length > 1
        ? rates.flatMap(({ key, label }) =>
            metric(snakeCase(key), `${label} (any attack)`, valueAt(all, key), {
              seed,
              ...degenerate,
              ...reviewOf(key, report),
              ...(leftOut && { without: leftOut.map(({ name }) => name) }),
            }),
          )
        : []),
    ],
    source: { name: `robust ${toolVersion}` },
  };
}

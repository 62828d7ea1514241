/**
 * @file The figures for dashboards, as OpenMetrics text (RFC draft openmetrics-1.0), which Prometheus' text format also reads:
 * gauges only, no timestamps, so that a run's bytes depend on its results alone.
 */
import { STATUSES } from '../src/core/outcome.js';
import type { Rate } from '../src/core/statistics/rate.js';
import { degeneracy } from '../src/results/clean/degenerate.js';
import { valueAt } from '../src/results/measures/measure.js';
import type { Report, ReportRenderer } from '../src/results/report/report.js';
import type { ReviewReport } from '../src/results/report/review.js';
import { rateMetrics } from '../src/tasks/rate-words.js';
import { furtherMetrics } from './metrics.js';
import { overridesIn } from './overrides.js';
import { visible } from './visible.js';

type Labels = Readonly<Record<string, string>>;

interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly unit?: string;
  readonly samples: readonly (readonly [Labels, number | null])[];
}

const label = (value: string): string => visible(value).replace(/[\\"]/g, '\\$&');

export const openmetrics: ReportRenderer = {
  name: 'openmetrics',
  extension: 'prom',
  *render(report) {
    const common = { model: report.model.name, data: report.data.name };
    for (const { name, help, unit, samples } of families(report)) {
      const known = samples.filter(([, value]) => value !== null);
      if (known.length === 0) continue;
      yield `# TYPE ${name} gauge\n`;
      if (unit !== undefined) yield `# UNIT ${name} ${unit}\n`;
      yield `# HELP ${name} ${help}\n`;
      for (const [labels, value] of known) {
        const pairs = Object.entries({ ...common, ...labels }).map(([key, text]) => `${key}="${label(text)}"`);
        yield `${name}{${pairs.join(',')}} ${value}\n`;
      }
    }
    yield '# EOF\n';
  },
};

function* families(report: Report): Iterable<MetricFamily> {
  const { attacks, overall, clean, model, data } = report;
  yield {
    name: 'robust_run_info',
    help: 'What was run; always 1.',
    samples: [
      [
        {
          run: report.run,
          version: report.toolVersion,
          engine: report.engine,
          seed: String(report.seed),
          model_sha256: model.sha256,
          data_sha256: data.sha256,
          headline: report.headline,
          ...overridesIn(report),
        },
        1,
      ],
    ],
  };
  yield* rates('robust_clean_accuracy', 'Accuracy without attack', [[{}, clean.accuracy]]);
  yield {
    name: 'robust_victim_degenerate',
    help: '1 where the victim answers all texts alike, or worse than always one class would: no other figure says anything.',
    samples: [[{}, degeneracy(clean).length > 0 ? 1 : 0]],
  };
  const by = (key: string) =>
    [
      ...attacks.map((attack) => ({ labels: { attack: attack.name, suite: attack.suite ?? '' }, of: attack })),
      ...report.suites.map((suite) => ({ labels: { attack: 'any', suite: suite.name }, of: suite })),
      { labels: { attack: 'any', suite: '' }, of: overall },
    ].flatMap(({ labels, of }) => {
      const rate = valueAt(of, key) as Rate | undefined;
      return rate === undefined ? [] : [[labels, rate] as const];
    });
  yield* rates(
    'robust_attack_success',
    'Share of right predictions an attack turned; any: by at least one attack',
    by('attackSuccessRate'),
  );
  yield* rates('robust_accuracy_under_attack', 'Accuracy left under an attack', by('accuracyUnderAttack'));
  yield* rates(
    'robust_original_accuracy',
    'Accuracy without attack on the examples that the accuracy under attack is over',
    by('originalAccuracy'),
  );
  for (const { key, label: title, about } of rateMetrics(report)) {
    if (!NAMED_RATES.has(key)) yield* rates(familyName(key), helpOf(title, about), by(key));
  }
  yield {
    name: 'robust_outcomes',
    help: 'Examples by what became of them.',
    samples: attacks.flatMap((attack) => [
      // Each example once: elsewhere the failed attacks include the tied and the not applicable ones.
      ...STATUSES.map(
        (status) =>
          [
            { attack: attack.name, status },
            status === 'failed' ? attack.failed - attack.tied - (attack.notApplicable?.n ?? 0) : attack[status],
          ] as const,
      ),
      ...(attack.notApplicable
        ? [[{ attack: attack.name, status: 'not applicable' }, attack.notApplicable.n] as const]
        : []),
    ]),
  };
  yield {
    name: 'robust_perturbed_words_ratio',
    unit: 'ratio',
    help: 'Mean share of words changed, over successes.',
    samples: attacks.map((attack) => [{ attack: attack.name }, attack.perturbedWords]),
  };
  yield {
    name: 'robust_queries',
    help: 'Mean queries an example: all queries, and the distinct ones that the model computed.',
    samples: attacks.flatMap((attack) =>
      (['asked', 'computed'] as const).map((kind) => [{ attack: attack.name, kind }, attack.queries[kind]] as const),
    ),
  };
  for (const { key, about, label: title, unit } of furtherMetrics(report)) {
    const name = familyName(key);
    const help = helpOf(title, about);
    const values = attacks.map((attack): readonly [Labels, unknown] => [{ attack: attack.name }, valueAt(attack, key)]);
    if (unit === 'rate') {
      const together = by(key).filter(([{ attack }]) => attack === 'any');
      yield* rates(name, help, [
        ...values.flatMap(([labels, value]) => (value === undefined ? [] : [[labels, value as Rate] as const])),
        ...together,
      ]);
    } else {
      yield {
        name,
        help: `${help}.`,
        samples: values.map(([labels, value]) => [labels, value === undefined ? null : (value as number | null)]),
      };
    }
  }
  if (report.review !== undefined) yield* reviewFamilies(report.review);
  if (report.verdict !== 'none') {
    yield {
      name: 'robust_gate_passed',
      help: '1 where the verdict is passed, 0 where it is failed or inconclusive.',
      samples: [[{ verdict: report.verdict }, report.verdict === 'passed' ? 1 : 0]],
    };
  }
}

/** Figures of a review over all attacks, and those of each language model. */
function* reviewFamilies({ labelKept, agreement, judges = [], verdict }: ReviewReport): Iterable<MetricFamily> {
  yield* rates('robust_review_label_kept', 'Label kept for readers of a blind review, all attacks', [[{}, labelKept]]);
  yield {
    name: 'robust_review_alpha',
    help: "Krippendorff's alpha between readers.",
    samples: [[{}, agreement?.alpha ?? null]],
  };
  yield {
    name: 'robust_review_conclusive',
    help: '1 where the review supports a conclusion.',
    samples: [[{}, verdict === 'conclusive' ? 1 : 0]],
  };
  const ofJudges = (key: 'labelKept' | 'agreement') =>
    judges.map((judge) => [{ judge: judge.name }, judge[key]] as const);
  yield* rates(
    'robust_judge_label_kept',
    'Label kept for a language model, which never counts as a reader',
    ofJudges('labelKept'),
  );
  yield* rates(
    'robust_judge_agreement',
    'Texts on which a language model answers as most readers',
    ofJudges('agreement'),
  );
}

/** Rates whose families have names of their own. */
const NAMED_RATES: ReadonlySet<string> = new Set(['originalAccuracy', 'accuracyUnderAttack', 'attackSuccessRate']);

const familyName = (key: string): string =>
  `robust_${key.replace(/[A-Z.]/g, (sign) => `_${sign === '.' ? '' : sign.toLowerCase()}`)}`;

const helpOf = (title: string, about: string | undefined): string =>
  `${title}${about === undefined ? '' : `: ${about}`}`;

type Interval = Pick<Rate, 'value' | 'low' | 'high'>;

/** Three gauges: the value and the bounds of its 95 % interval. */
function* rates(name: string, help: string, samples: readonly (readonly [Labels, Interval])[]): Iterable<MetricFamily> {
  for (const [suffix, part, of] of [
    ['', 'value', help],
    ['_low', 'low', `${help}, lower bound of the 95 % interval`],
    ['_high', 'high', `${help}, upper bound of the 95 % interval`],
  ] as const) {
    yield {
      name: `${name}${suffix}_ratio`,
      unit: 'ratio',
      help: `${of}.`,
      samples: samples.map(([labels, rate]) => [labels, rate[part]]),
    };
  }
}

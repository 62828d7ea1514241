/** @file The figures of a run, by the names that thresholds use: `typos.attackSuccessRate`, `clean.macroF1`. */
import type { Rate } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import { CLEAN_FIGURES, type CleanMetrics } from '../results/clean/clean-metrics.js';
import { STANDARD } from '../results/diagnostics/index.js';
import { DETECTOR_RATES } from '../results/measures/attack-rates.js';
import { GENERAL_MEASURES } from '../results/measures/index.js';
import { REVIEWED_FIGURES } from '../results/measures/review.js';
import { AttackFold } from '../results/metrics.js';
import type { Report } from '../results/report/report.js';
import { cleanFold } from '../tasks/clean.js';

export interface Figure {
  /** `low` and `high` are null for a figure without an interval. */
  readonly rate: Rate;
  /** Whether it lies between 0 and 1 by its nature. */
  readonly fraction: boolean;
}

/** Metric -> figure. */
export type Figures = ReadonlyMap<string, Figure>;

export type MeasuredFigures = Pick<Report, 'clean' | 'attacks' | 'suites' | 'overall' | 'leftOut' | 'tags'>;

/** Numbers that are no result: times differ between equal runs. */
const LEFT_OUT = new Set([
  'curve',
  'threshold',
  'seconds',
  'beta',
  'samples',
  'bins',
  'options',
  'constraints',
  'confusion',
  'confusionCells',
]);
/** Fractions that are given without an interval. */
const FRACTIONS = new Set([
  ...['precision', 'recall', 'f1', 'perturbedWords'],
  ...CLEAN_FIGURES.flatMap(({ key, unit }) => (unit === 'share' ? (key.split('.').at(-1) ?? []) : [])),
]);

/** Figures that may exceed 1. */
const NUMBERS = new Set(['meanSquaredError', 'meanAbsoluteError', 'spurious']);

export function figuresOf({ clean, attacks, suites, overall, tags, leftOut = [] }: MeasuredFigures): Figures {
  const figures = new Map<string, Figure>();
  collect(figures, ['clean'], clean, clean.accuracy.n);
  collect(figures, ['overall'], overall, overall.accuracyUnderAttack.n);
  // Where an attack is called as a suite is, its own figures say more.
  for (const suite of suites) collect(figures, [suite.name], suite, suite.accuracyUnderAttack.n);
  for (const attack of attacks) collect(figures, [attack.name], attack, attack.attackSuccessRate.n);
  addWorstCases(figures, suites, attacks, leftOut);
  if (tags !== undefined) addTags(figures, tags);
  return figures;
}

/** The figures of a model that tags, over all attacks: `tags.leakRate`, `tags.leakRate.US_SSN`. */
function addTags(into: Map<string, Figure>, { byType, ...all }: NonNullable<Report['tags']>): void {
  for (const [name, rate] of Object.entries(all)) if (isRate(rate)) into.set(`tags.${name}`, { rate, fraction: true });
  for (const { label, ...rates } of byType)
    for (const [name, rate] of Object.entries(rates)) into.set(`tags.${name}.${label}`, { rate, fraction: true });
}

/**
 * The figures of the suite `standard` by their own names: `standard.worstCaseAccuracy`, `standard.characters.worstCaseAccuracy`. Without
 * one of its attacks, the suite has no worst case.
 */
function addWorstCases(
  into: Map<string, Figure>,
  suites: Report['suites'],
  attacks: Report['attacks'],
  leftOut: NonNullable<Report['leftOut']>,
): void {
  const complete = leftOut.every(({ suite }) => suite !== STANDARD);
  const rates = [
    ...suites.flatMap(({ name, accuracyUnderAttack: rate }) =>
      name === STANDARD && complete ? [[STANDARD, rate] as const] : [],
    ),
    ...attacks.flatMap(({ name, suite, accuracyUnderAttack: rate }) =>
      suite === STANDARD ? [[name.replace(`${STANDARD}-`, `${STANDARD}.`), rate] as const] : [],
    ),
  ];
  for (const [name, rate] of rates) into.set(`${name}.worstCaseAccuracy`, { rate, fraction: true });
}

/** The metric that has the same figure under the name of its attack or suite: `standard.characters.worstCaseAccuracy` is `standard-characters.accuracyUnderAttack`. */
const canonicalMetric = (metric: string): string =>
  metric.replace(/^standard(?:\.(.+))?\.worstCaseAccuracy$/, (_, attack?: string) =>
    [attack === undefined ? STANDARD : `${STANDARD}-${attack}`, 'accuracyUnderAttack'].join('.'),
  );

/** The subject and the figure of a metric: an attack or a suite of the run, `overall` or `clean`, and the rest of its name. */
export function metricOf(metric: string): { readonly covers: (subject: string) => boolean; readonly figure: string } {
  const canonical = canonicalMetric(metric);
  return {
    // Figures of entities are over all attacks.
    covers: (subject) =>
      canonical.startsWith(`${subject}.`) || (subject === 'overall' && canonical.startsWith('tags.')),
    figure: canonical.slice(canonical.lastIndexOf('.') + 1),
  };
}

function collect(into: Map<string, Figure>, path: readonly string[], value: unknown, n: number): void {
  const last = path.at(-1)!;
  if (typeof value === 'number') {
    const rate = { value, low: null, high: null, n };
    into.set(path.join('.'), { rate, fraction: FRACTIONS.has(last) });
  } else if (value === null && path.length > 1) {
    into.set(path.join('.'), { rate: { value, low: null, high: null, n: 0 }, fraction: FRACTIONS.has(last) });
  } else if (isRate(value)) into.set(path.join('.'), { rate: value, fraction: !NUMBERS.has(last) });
  else if (Array.isArray(value)) {
    for (const each of value) {
      const names = namesOf(each);
      if (names.length > 0) collect(into, [...path, ...names], each, n);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      if (!LEFT_OUT.has(key) && !(NAMES as readonly string[]).includes(key)) collect(into, [...path, key], each, n);
    }
  }
}

/** The key that distinguishes the members of a list. */
const NAMES = ['name', 'label', 'capability', 'relation', 'size'] as const;

const namesOf = (each: unknown): string[] =>
  typeof each === 'object' && each !== null
    ? NAMES.flatMap((name) => (name in each ? [String((each as Record<string, unknown>)[name])] : []))
    : [];

const isRate = (value: unknown): value is Rate =>
  typeof value === 'object' && value !== null && 'value' in value && 'low' in value && 'high' in value && 'n' in value;

/** The figures of a run that are known before it begins. */
export interface PlannedAttacks {
  /** With the names of their own measures. */
  readonly attacks: readonly {
    readonly name: string;
    readonly suite: string | null;
    readonly measures?: readonly string[];
  }[];
}

export interface ProducibleFigures {
  readonly figures: Figures;
  /** Prefixes of figures that may be measured too. */
  readonly prefixes: readonly string[];
}

/** The names of all that such a run can measure. */
export function producibleFigures({ attacks }: PlannedAttacks): ProducibleFigures {
  const labels: readonly string[] = [];
  const clean: CleanMetrics = cleanFold(labels).metrics();
  const none = wilson(0, 0);
  const rates = { originalAccuracy: none, accuracyUnderAttack: none, attackSuccessRate: none };
  const suites = [...new Set(attacks.flatMap(({ suite }) => suite ?? []))];
  const figures = figuresOf({
    clean,
    overall: rates,
    suites: suites.map((name) => ({ name, attacks: [], ...rates })),
    attacks: attacks.map(({ name, suite }) => ({
      ...new AttackFold(labels).metrics(),
      name,
      suite,
      constraints: [],
      options: {},
      seconds: 0,
    })),
  });
  return {
    figures,
    prefixes: [
      'clean.perClass',
      // Figures of models that tag.
      'clean.tags',
      'tags',
      // Figures of detectors and of several labels: they exist only for models of that kind.
      ...['recall', 'falsePositiveRate', 'precision', 'auroc', 'averagePrecision', 'labelSets'].map(
        (key) => `clean.${key}`,
      ),
      ...['overall', ...suites].flatMap((name) =>
        [...DETECTOR_RATES, ...REVIEWED_FIGURES].map((key) => `${name}.${key}`),
      ),
      ...attacks.flatMap(({ name, measures = [] }) =>
        [
          'perClass',
          'notApplicable',
          ...DETECTOR_RATES,
          'added',
          ...GENERAL_MEASURES.map((each) => each.name),
          ...measures,
        ].map((key) => `${name}.${key}`),
      ),
    ],
  };
}

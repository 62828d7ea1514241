/** @file The figures of attacks: which a report has, what each is called, and how its value is written. For every format alike. */
import type { Rate } from '../src/core/statistics/rate.js';
import type { AttackMetrics } from '../src/results/measures/attack-metrics.js';
import { GENERAL_MEASURES as generalMeasures } from '../src/results/measures/index.js';
import { type Metric, valueAt } from '../src/results/measures/measure.js';
import { REVIEWED_FIGURES } from '../src/results/measures/review.js';
import type { Inline } from '../src/results/report/document.js';
import type { Report } from '../src/results/report/report.js';
import { isSuccessRate, isUnderAttack, type RatedReport, rateMetrics } from '../src/tasks/rate-words.js';
import { interval, percent } from './figures.js';

/** TextAttack's rows, which users know (its `loggers/attack_log_manager.py`). */
const COUNTS: readonly Metric[] = [
  { key: 'succeeded', label: 'Successful attacks', unit: 'count' },
  { key: 'failed', label: 'Failed attacks', unit: 'count' },
  {
    key: 'tied',
    label: 'Failed in a tie',
    unit: 'count',
    about: 'failed attacks whose closest text ties within the noise of the victim',
    rare: true,
  },
  { key: 'skipped', label: 'Skipped', unit: 'count', about: 'misclassified before any edit' },
  {
    key: 'notApplicable.n',
    label: 'Not applicable',
    unit: 'count',
    about: 'failed attacks on texts that the attack could hardly edit',
    rare: true,
  },
  { key: 'errored', label: 'Errored', unit: 'count', about: 'ended in an error; excluded from every rate', rare: true },
];
const EFFORT: readonly Metric[] = [
  { key: 'perturbedWords', label: 'Words changed', unit: 'share', about: 'mean share, over successes' },
];
const QUERIES: readonly Metric[] = [
  { key: 'queries.asked', label: 'Queries', unit: 'mean', about: 'mean number of texts that a search scored' },
  {
    key: 'queries.computed',
    column: null,
    label: 'Distinct queries',
    unit: 'mean',
    about: 'distinct texts among the queries',
  },
];

/** Figures that attacks measured besides, those that only some measure first. */
function splitMetrics(report: RatedReport): { own: Metric[]; general: Metric[] } {
  const { measures = generalMeasures } = report;
  const rates = rateMetrics(report);
  const metrics = (of: readonly NonNullable<Report['measures']>[number][]): Metric[] =>
    of.flatMap((each) => each.metrics ?? []).filter(({ key }) => rates.every((rate) => rate.key !== key));
  return {
    own: metrics(measures.filter((each) => !generalMeasures.includes(each))),
    general: metrics(measures.filter((each) => generalMeasures.includes(each))),
  };
}

/** The metrics that at least one attack has. */
function present(metrics: readonly Metric[], { attacks }: RatedReport): Metric[] {
  return metrics.filter(({ key, rare }) => {
    const values = attacks.map((attack) => valueAt(attack, key));
    return rare ? values.some((value) => Number(value ?? 0) > 0) : values.some((value) => value !== undefined);
  });
}

/** The figures of a report, in the order of its table. */
export function metricsOf(report: RatedReport): Metric[] {
  const { own, general } = splitMetrics(report);
  return present([...COUNTS, ...rateMetrics(report), ...own, ...EFFORT, ...general, ...QUERIES], report);
}

/** The figures besides the counts, the rates and the effort: of what was measured. */
export function furtherMetrics(report: RatedReport): Metric[] {
  const { own, general } = splitMetrics(report);
  return present([...own, ...general], report);
}

/** The figures that only a review of the run gives; none without one. */
export const reviewMetrics = (report: RatedReport): Metric[] =>
  furtherMetrics(report).filter(({ key }) => REVIEWED_FIGURES.has(key));

/** A figure of one attack as a cell; empty where it has none. */
export function cellOf({ key, unit }: Metric, attack: AttackMetrics): Inline {
  const value = valueAt(attack, key);
  if (value === undefined) return '';
  if (typeof value === 'object' && value !== null) {
    const cell = rateCell(key, value as Rate);
    return isUnderAttack(key) ? beside(cell, attack) : cell;
  }
  return numberOf(value === null ? null : Number(value), unit);
}

const rateCell = (key: string, rate: Rate): Inline => (isSuccessRate(key) ? { rate, style: 'strong' } : { rate });

/** The rates of an attack that does not apply say little about the model: most texts count as failed attacks without a search. */
const beside = (rate: Inline, { applicable }: AttackMetrics): Inline =>
  applicable === false ? { lines: [rate, { style: 'doubtful', text: 'not applicable' }] } : rate;

/** Several attacks together have rates only. */
export const cellOfAll = ({ key }: Metric, all: Report['overall']): Inline => {
  const rate = valueAt(all, key);
  return typeof rate === 'object' && rate !== null ? rateCell(key, rate as Rate) : '';
};

function numberOf(value: number | null, unit: Metric['unit']): string {
  if (value === null) return '-';
  if (unit === 'share') return percent(value);
  if (unit === 'factor') return `${value.toFixed(2)} x`;
  if (unit === 'count') return String(value);
  return value.toFixed(unit === 'mean' ? 1 : 2);
}

/** `Noise of the same size 12.0 % (8-17), n = 161`: a figure of an attack in a line of text; undefined where it has none. */
export function lineOf({ key, label, unit }: Metric, attack: AttackMetrics): string | undefined {
  const value = valueAt(attack, key);
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) return `${label} ${numberOf(value as number | null, unit)}`;
  const rate = value as Rate;
  return `${label} ${percent(rate.value)} (${interval(rate)}), n = ${rate.n}`;
}

/** Explains the figures whose names do not. */
export const legendOf = (metrics: readonly Metric[]): string =>
  metrics.flatMap(({ label, about }) => (about === undefined ? [] : [`${label}: ${about}.`])).join(' ');

/** Notes on an attack besides its figures: its constraints, omissions and specific medians. */
export function saidOf(attack: AttackMetrics, { measures = generalMeasures }: RatedReport): string {
  const own = measures.flatMap((measure) => {
    const value = valueAt(attack, measure.name);
    return (value === undefined ? undefined : measure.remark?.(value)) ?? [];
  });
  return [attack.constraints.join('; ') || 'any edit', ...own, ...inapplicability(attack)].join('; ');
}

/** `not applicable: it found edits for ...`; nothing of an attack that is. */
export const inapplicability = ({ notApplicable }: AttackMetrics): string[] =>
  notApplicable === undefined ? [] : [`not applicable: ${notApplicable.reason}, which count as failed attacks`];

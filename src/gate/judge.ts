/**
 * @file Compares thresholds with the figures of a run. It fails closed: a figure that is missing, rests on too few examples or had too
 * many errors is inconclusive, never passed.
 */
import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { Rate } from '../core/statistics/rate.js';
import { decidingSize, wilson } from '../core/statistics/stats.js';
import { nearest } from '../core/suggest.js';
import { distrusted, UNCOUNTED } from '../results/diagnostics/index.js';
import { ATTACK_KEYS, type AttackMetrics } from '../results/measures/attack-metrics.js';
import { REVIEWED_FIGURES } from '../results/measures/review.js';
import { errorRate, notEvidence, spoiltAttacks } from '../results/report/evidence.js';
import { type LeftOut, leftOutLines } from '../results/report/left-out.js';
import type { Report } from '../results/report/report.js';
import type { JudgedThreshold, Waiver } from '../results/report/verdict.js';
import { taskOfRule } from '../tasks/index.js';
import { type Figure, figuresOf, metricOf, type PlannedAttacks, producibleFigures } from './figures.js';
import { type Basis, checkFraction, meetsLimits, type Threshold } from './threshold.js';

export interface Rules {
  readonly thresholds: readonly Threshold[];
  readonly waivers: readonly Waiver[];
  /** Errored / tried examples of an attack above which it says nothing. */
  readonly maxErrorRate: number;
  /** Judge a degenerate victim as if it were none; the reports go on saying what it is. */
  readonly allowDegenerate?: boolean;
  /** Pairs with the baseline of which fewer say nothing; thresholds have their own. */
  readonly minExamples: number;
  /** Today, YYYY-MM-DD in UTC: a waiver ends with its day. */
  readonly today: string;
}

/**
 * Refuses rules that a run cannot answer, before it has begun: metrics it will not produce, limits no fraction can meet or
 * break, waivers of nothing. Throws RobustError with all of them.
 */
export function checkRules(
  { thresholds, waivers }: Pick<Rules, 'thresholds' | 'waivers'>,
  planned: PlannedAttacks,
): void {
  const { figures } = producibleFigures(planned);
  const unknown = thresholds.filter(({ metric }) => !measurable(metric, planned));
  refuseUnmatched(unknown, [...figures.keys()]);
  for (const threshold of thresholds) if (figures.get(threshold.metric)?.fraction) checkFraction(threshold);
  checkWaivers(waivers, thresholds);
}

function measurable(metric: string, planned: PlannedAttacks): boolean {
  const { figures, prefixes } = producibleFigures(planned);
  return figures.has(metric) || prefixes.some((prefix) => metric === prefix || metric.startsWith(`${prefix}.`));
}

/** The attacks that a metric covers: by their name, their suite's, or overall. */
function coveredBy<T extends { readonly name: string; readonly suite: string | null }>(
  metric: string,
  attacks: readonly T[],
): readonly T[] {
  const { covers } = metricOf(metric);
  return attacks.filter(({ name, suite }) => covers(name) || (suite !== null && covers(suite)) || covers('overall'));
}

/** The attacks left out that a metric covers. */
const leftOutOf = (metric: string, { leftOut = [] }: Pick<Report, 'leftOut'>): readonly LeftOut[] =>
  coveredBy(metric, leftOut);

/** The attacks that a metric covers and that do not apply to the texts. */
const inapplicableTo = (metric: string, { attacks }: Pick<Report, 'attacks'>): readonly AttackMetrics[] =>
  coveredBy(metric, attacks).filter(({ applicable }) => applicable === false);

/**
 * Why a figure says nothing because attacks do not apply: its own, or half or more of those it is measured over. Its rate counts the texts that
 * the attack could not edit as failed attacks.
 */
function idle(report: Omit<Report, 'examples'>, metric: string): string | undefined {
  const out = inapplicableTo(metric, report);
  if (out.length === 0) return undefined;
  const all = coveredBy(metric, report.attacks);
  const { covers } = metricOf(metric);
  const own = out.find(({ name }) => covers(name));
  if (own === undefined && 2 * out.length < all.length) return undefined;
  return own === undefined
    ? `${out.length} of ${quantity(all.length, 'attack')} are not applicable to these texts: ${out.map(({ name }) => name).join(', ')}`
    : `${own.name} is not applicable: ${own.notApplicable?.reason}`;
}

function refuseUnmatched(unmatched: readonly Threshold[], known: readonly string[]): void {
  if (unmatched.length === 0) return;
  const subjects = [...new Set(known.map((metric) => metric.slice(0, metric.indexOf('.'))))];
  const lines = unmatched.map(({ metric, origin }) => {
    const near = nearest(metric, known);
    const subject = subjects.find((each) => metric.startsWith(`${each}.`));
    const figures = known.filter((each) => each.startsWith(`${subject}.`)).slice(0, 12);
    const there = subject === undefined ? `it has: ${subjects.join(', ')}` : `there is ${figures.join(', ')}`;
    return `${origin}: nothing in this run is called "${metric}"; ${near === undefined ? there : `did you mean "${near}"?`}`;
  });
  throw new RobustError(lines.join('\n'), {
    code: 'METRIC_NOT_FOUND',
    hint: 'A metric is <suite | attack | overall | clean>.<figure>, of a suite or an attack that is run.',
  });
}

function checkWaivers(waivers: readonly Waiver[], thresholds: readonly Threshold[]): void {
  const known = thresholds.map(({ metric }) => metric);
  const idle = waivers.find(({ metric }) => !known.includes(metric));
  if (idle === undefined) return;
  const near = nearest(idle.metric, known);
  throw new RobustError(`waivers: expected the metric of a threshold, got "${idle.metric}"`, {
    code: 'METRIC_NOT_FOUND',
    hint: near === undefined ? `Thresholds: ${known.join(', ') || 'none'}.` : `Did you mean "${near}"?`,
  });
}

export interface Judgement {
  readonly thresholds: readonly JudgedThreshold[];
  /** Reasons that keep the gate from passing, whatever the thresholds say. */
  readonly reasons: readonly string[];
  /** Waivers whose day is over. */
  readonly warnings: readonly string[];
}

/** The measures of an attack that was left out are unknown: any name counts as one, unless it is a misspelling of a measure that all attacks have. */
const unknownMeasures =
  (metric: string) =>
  ({ name, suite }: LeftOut) => {
    const { figures } = producibleFigures({ attacks: [{ name, suite }] });
    const misspelt = nearest(metric, figures.keys()) !== undefined;
    return { name, suite, measures: misspelt ? [] : [metric.slice(name.length + 1)] };
  };

/** Throws RobustError for thresholds that match nothing, or limits that make no sense for what they match. */
export function judge(report: Omit<Report, 'examples'>, rules: Rules): Judgement {
  const figures = figuresOf(report);
  refuseUnmatched(
    rules.thresholds.filter(
      ({ metric }) =>
        !figures.has(metric) &&
        !(isReviewed(metric) && measurable(metric, report)) &&
        !measurable(metric, { attacks: leftOutOf(metric, report).map(unknownMeasures(metric)) }),
    ),
    [...figures.keys()],
  );
  checkWaivers(rules.waivers, rules.thresholds);
  const broken = spoiltAttacks(report.attacks, rules.maxErrorRate);
  const thresholds = rules.thresholds.map((threshold) => {
    const figure = figures.get(threshold.metric);
    const judged = figure && judgeFigure(threshold, figure, report, rules, broken);
    return (
      judged ??
      notMeasured(
        threshold,
        unreviewed(threshold.metric, report) ?? leftOutLines(leftOutOf(threshold.metric, report)).join('; '),
      )
    );
  });
  return { thresholds, reasons: evidenceReasons(report, rules), warnings: expired(rules) };
}

/** Is it a figure that only a review gives? */
const isReviewed = (metric: string): boolean => REVIEWED_FIGURES.has(metricOf(metric).figure);

/** Why a figure of a review says nothing: there is no review, or it supports no conclusion. */
function unreviewed(metric: string, { review }: Pick<Report, 'review'>): string | undefined {
  if (!isReviewed(metric)) return undefined;
  if (review === undefined) return 'nobody has reviewed the run: robust review';
  return review.verdict === 'inconclusive' ? `the review is inconclusive: ${review.reasons.join('; ')}` : undefined;
}

/** The key in an attack's entry that a metric is beneath: a measure, which a reader of a file may not know. */
const measureOf = (metric: string, attacks: Report['attacks']): string | undefined =>
  attacks
    .filter(({ name }) => metric.startsWith(`${name}.`))
    .map(({ name }) => metric.slice(name.length + 1).split('.')[0])[0];

/** Figures of the unedited texts that the outcomes of attacks show. */
const COUNTED = /^clean\.(?:accuracy|macroF1|microF1|fBeta\.macro|recall|falsePositiveRate|perClass\..+)$/;

/** Why a figure is not judged: the outcomes cannot show it, and no answers are there from which it could be counted again. */
function uncounted(
  metric: string,
  { stated, clean, model, attacks, measures = [] }: Omit<Report, 'examples'>,
): string | undefined {
  if (stated === undefined) return undefined;
  const { approximation, tags, tied } = clean;
  const other = approximation ?? tags ?? tied ?? taskOfRule(model.decision).measuring.manyLabels;
  const known = new Set<string | undefined>([undefined, ...ATTACK_KEYS, ...measures.map(({ name }) => name)]);
  // The journals of a folder's readers lie in it.
  const shown = isReviewed(metric)
    ? stated === 'record'
    : metricOf(metric).covers('clean')
      ? COUNTED.test(metric) && !other
      : stated === 'record' || known.has(measureOf(metric, attacks));
  return shown ? undefined : UNCOUNTED[stated];
}

const notMeasured = ({ metric, level, expected, ci }: Threshold, reason: string): JudgedThreshold => ({
  metric,
  level,
  expected,
  actual: wilson(0, 0),
  ci,
  verdict: 'inconclusive',
  reason: reason || 'nothing was measured',
});

function judgeFigure(
  threshold: Threshold,
  { rate, fraction }: Figure,
  report: Omit<Report, 'examples'>,
  { waivers, today, maxErrorRate }: Rules,
  broken: ReturnType<typeof spoiltAttacks>,
): JudgedThreshold {
  const { metric, level, expected } = threshold;
  // A figure without an interval is judged by its value.
  const ci = rate.low === null ? 'value' : threshold.ci;
  if (fraction) checkFraction(threshold);
  const missing = [...leftOutOf(metric, report), ...inapplicableTo(metric, report)]
    .map(({ name }) => name)
    .filter((name) => !metricOf(metric).covers(name));
  const few = unsaid(threshold, rate);
  const why =
    distrusted(report, metric) ??
    unreviewed(metric, report) ??
    uncounted(metric, report) ??
    idle(report, metric) ??
    few ??
    spoilt(report, metric, broken, maxErrorRate);
  const found = why === undefined ? verdictOf(threshold, ci, rate) : 'inconclusive';
  const straddles = found === 'inconclusive' && why === undefined;
  const neededExamples =
    straddles || why === few ? neededOf(threshold, rate, straddles, report.data.examples) : undefined;
  const untried = found === 'passed' ? hardlyTried(report, threshold) : undefined;
  const verdict = untried === undefined ? found : 'inconclusive';
  const waived = verdict === 'failed' || straddles;
  const waiver = waived ? waivers.find((each) => each.metric === metric && each.expires >= today) : undefined;
  const undecided = neededExamples === undefined ? 'the value is at the limit' : 'the limit is inside the interval';
  const needs = neededExamples === undefined ? '' : `; needs about ${neededExamples} examples (-n ${neededExamples})`;
  const reason = straddles ? `${undecided}${needs}` : why === undefined ? untried : `${why}${needs}`;
  return {
    metric,
    level,
    expected,
    actual: rate,
    ci,
    verdict,
    ...defined({ reason, neededExamples }),
    ...(missing.length > 0 && { without: missing }),
    ...defined({ waiver }),
  };
}

/** Why a figure says nothing by itself. */
function unsaid({ minExamples }: Threshold, { value, n }: Rate): string | undefined {
  if (value === null || !Number.isFinite(value) || n === 0) return 'nothing was measured';
  if (n < minExamples) return `measured on ${quantity(n, 'example')}, expected at least ${minExamples}`;
  return undefined;
}

/** Rates that a text on which nothing was tried makes look better. */
const BETTER_UNTRIED = new Set([
  ...['attackSuccessRate', 'accuracyUnderAttack', 'recallUnderAttack', 'evasionRate', 'proved', 'notBroken', 'broken'],
]);

/** The reason, where texts on which nothing was tried alone make a rate meet its limit. */
function hardlyTried(report: Omit<Report, 'examples'>, { metric, minExamples }: Threshold): string | undefined {
  const { covers, figure } = metricOf(metric);
  if (!BETTER_UNTRIED.has(figure)) return undefined;
  const attack = report.attacks.find(({ name }) => covers(name));
  const several = covers('overall') ? report.overall : report.suites.find(({ name }) => covers(name));
  const of = attack ?? several;
  if (of?.untried === undefined) return undefined;
  const untried = typeof of.untried === 'number' ? of.untried : of.untried.reduce((total, { n }) => total + n, 0);
  const { n } = of.attackSuccessRate;
  if (n - untried >= minExamples) return undefined;
  return `anything could be tried on ${n - untried} of ${quantity(n, 'example')} only, expected at least ${minExamples}`;
}

/** Why a figure says nothing because of errors. */
function spoilt(
  report: Omit<Report, 'examples'>,
  metric: string,
  broken: readonly AttackMetrics[],
  most: number,
): string | undefined {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  if (metricOf(metric).covers('clean')) {
    const { accuracy } = report.clean;
    const lost = 1 - accuracy.n / report.data.examples;
    return lost > most
      ? `${percent(lost)} of the texts could not be classified, at most ${percent(most)} may`
      : undefined;
  }
  const [by] = coveredBy(metric, broken);
  return by && `${percent(errorRate(by))} of the examples of ${by.name} errored, at most ${percent(most)} may`;
}

/** Examples beyond which more is no advice. */
const MOST_NEEDED = 1_000_000;

/** Met where the whole interval meets the limits, missed where no part of it meets one of them, and else undecided. */
function verdictOf({ limits }: Threshold, ci: Basis, rate: Rate): JudgedThreshold['verdict'] {
  const { value, low, high } = rate as { value: number; low: number; high: number };
  const judged = ci === 'value' ? [value] : [low, high];
  const met = limits.map((limit) => judged.filter((bound) => meetsLimits(bound, limit)).length);
  return met.includes(0) ? 'failed' : met.every((bounds) => bounds === judged.length) ? 'passed' : 'inconclusive';
}

/** Examples of a run that has enough of the figure's: to decide each limit inside its interval, or for `minExamples`. */
function neededOf(
  { limits, minExamples }: Threshold,
  { value, low, high, n }: Rate,
  straddles: boolean,
  examples: number,
): number | undefined {
  if (value === null || low === null || high === null || (!straddles && n >= minExamples)) return undefined;
  const inside = limits.filter((limit) => straddles && meetsLimits(low, limit) !== meetsLimits(high, limit));
  const sizes = inside.map(({ limit }) => decidingSize({ value, low, high, n }, limit));
  const needed = Math.ceil((Math.max(minExamples, n + 1, ...sizes) * examples) / n);
  return needed <= MOST_NEEDED ? needed : undefined;
}

/** Why the run supports no verdict, whatever the thresholds. */
export function evidenceReasons(
  report: Omit<Report, 'examples'>,
  {
    allowDegenerate = false,
    minExamples,
    maxErrorRate,
  }: Pick<Rules, 'allowDegenerate' | 'minExamples' | 'maxErrorRate'>,
): string[] {
  const { clean, attacks, partial: gaps = [], data } = report;
  const { examples, distinct = examples } = data;
  const facts = { clean, attacks, gaps, texts: { examples, wordless: 0, ...clean.texts, distinct } };
  const reasons = [
    ...(examples === 0 || clean.accuracy.n === 0 ? ['the run has no examples'] : []),
    ...(figuresOf(report).size === 0 ? ['the run has no figures'] : []),
    ...notEvidence({ ...facts, allowDegenerate, maxErrorRate, minTexts: minExamples }),
  ];
  const broken = spoiltAttacks(attacks, maxErrorRate).length > 0;
  if (report.verdict === 'inconclusive' && !broken) {
    const judged = notEvidence(facts);
    const unknown = judged.length > 0 ? [] : ['the run is inconclusive by itself'];
    reasons.push(...(report.reasons ?? unknown).filter((reason) => !judged.includes(reason)));
  }
  return [...new Set(reasons)];
}

const expired = ({ waivers, today }: Rules): string[] =>
  waivers
    .filter(({ expires }) => expires < today)
    .map(({ metric, owner, expires }) => `the waiver of ${metric} (${owner}) ended with ${expires}`);

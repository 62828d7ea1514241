/** @file Attacks on a screen: the verdict in one line, then a row for each attack or suite, the most successful first. */
import { quantity } from '../../src/core/figure-text.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import type { AttackMetrics, SuiteMetrics } from '../../src/results/measures/attack-metrics.js';
import { type Metric, valueAt } from '../../src/results/measures/measure.js';
import { type Block, type Column, type Inline, legend, note } from '../../src/results/report/document.js';
import type { Report } from '../../src/results/report/report.js';
import { flipping, shortName } from '../../src/tasks/headline.js';
import { isSuccessRate, isUnderAttack, rateMetrics } from '../../src/tasks/rate-words.js';
import { cellOf, cellOfAll, legendOf, metricsOf, saidOf } from '../metrics.js';

/** Columns that a screen keeps when it is too narrow for all. */
const KEPT = ['perturbedWords', 'queries.asked'];

/** A line of the table: one attack, or several together, of which only rates are known. */
interface Row {
  readonly name: string;
  readonly figures: AttackMetrics | SuiteMetrics | Report['overall'];
  readonly attack?: AttackMetrics;
}

/** The suites that stand for their attacks: where there are several, those of more than one attack. */
export const suitesOfSeveral = ({ suites }: Report): SuiteMetrics[] =>
  suites.length > 1 ? suites.filter(({ attacks }) => attacks.length > 1) : [];

const rateAt = (entry: object, { key }: Metric): Rate | undefined => valueAt(entry, key) as Rate | undefined;

/** The headline, which begins with `Inconclusive` where it is. */
export const summaryOf = (report: Report): Inline => [
  report.verdict === 'inconclusive' ? 'Inconclusive: ' : '',
  report.headline,
];

/** The table of a screen, a footnote of two lines, and what spoils a figure. */
export function attackTable(report: Report): Block[] {
  const suites = suitesOfSeveral(report);
  const rates = rateMetrics(report);
  const success = rates.find(({ key }) => isSuccessRate(key));
  const rows = rowsOf(report, suites, success);
  const underAttack = rates
    .filter(({ key }) => isUnderAttack(key))
    .sort((one, next) => Number(next === success) - Number(one === success));
  const effort = suites.length > 0 ? [] : effortMetrics(report, rates);
  const metrics = [...underAttack, ...effort];
  const columns: Column[] = [
    { title: suites.length > 0 ? 'Suite' : 'Attack' },
    ...underAttack.map(({ label }) => ({ title: label.replace(/^Attack s/, 'S') })),
    ...effort.map((metric) => ({
      title: metric.column ?? metric.label,
      ...(!KEPT.includes(metric.key) && { optional: true as const }),
    })),
    ...(suites.length > 0 ? [{ title: 'Strongest attack' }] : []),
  ];
  return [
    {
      kind: 'table',
      caption: 'Attacks, the most successful first',
      columns,
      rows: rows.map(({ name, figures, attack }) => [
        name,
        ...metrics.map((metric) =>
          attack === undefined ? cellOfAll(metric, figures as Report['overall']) : plainCell(metric, attack),
        ),
        ...(suites.length > 0 ? [strongestOf(figures, report, success)] : []),
      ]),
    },
    note(footnote(report)),
    ...remarks(report),
    legend(legendOf(metricsOf(report))),
  ];
}

/** All attacks together, then suites and the attacks outside them, the most successful first. */
function rowsOf(report: Report, suites: readonly SuiteMetrics[], success: Metric | undefined): Row[] {
  const { attacks, overall } = report;
  const members = new Set(suites.flatMap((suite) => suite.attacks));
  const strength = ({ figures }: Row): number => (success && rateAt(figures, success)?.value) ?? -1;
  const rows: Row[] = [
    ...suites.map(
      (suite): Row => ({ name: `${suite.name} (${quantity(suite.attacks.length, 'attack')})`, figures: suite }),
    ),
    ...attacks
      .filter(({ name }) => !members.has(name))
      .map((attack): Row => ({ name: shortName(attack, attacks), figures: attack, attack })),
  ].sort((one, other) => strength(other) - strength(one));
  const counted = flipping(report).length;
  return [...(counted > 1 ? [{ name: `any of ${quantity(counted, 'attack')}`, figures: overall }] : []), ...rows];
}

/** Figures that only single attacks have; those that a narrow screen keeps come first. */
const effortMetrics = (report: Report, rates: readonly Metric[]): Metric[] =>
  metricsOf(report)
    .filter(({ key, unit, column }) => unit !== 'count' && column !== null && rates.every((rate) => rate.key !== key))
    .sort((one, next) => Number(KEPT.includes(next.key)) - Number(KEPT.includes(one.key)));

/** The attack of a suite with the highest success rate; empty for a single attack, or if no attack succeeded. */
function strongestOf(figures: Row['figures'], { attacks }: Report, success: Metric | undefined): string {
  if (!('attacks' in figures)) return '';
  const rated = attacks.flatMap((attack) => {
    const rate = success && rateAt(attack, success);
    return figures.attacks.includes(attack.name) && rate?.value ? [{ attack, value: rate.value }] : [];
  });
  const [first] = rated.sort((one, other) => other.value - one.value);
  return first === undefined ? '' : shortName(first.attack, attacks);
}

/**
 * As `cellOf`, on one line. Why an attack does not apply stands below the table. An attack with a goal of its own flips no prediction, so that
 * it says nothing about accuracy.
 */
function plainCell(metric: Metric, attack: AttackMetrics): Inline {
  const value = valueAt(attack, metric.key);
  const isRate = typeof value === 'object' && value !== null;
  if (isRate && attack.ownGoal && !isSuccessRate(metric.key)) return '';
  return isRate && attack.applicable === false ? { style: 'doubtful', text: 'not applicable' } : cellOf(metric, attack);
}

function footnote({ attacks, suites, clean, provenance }: Report): string {
  const skipped = Math.max(0, ...attacks.map((attack) => attack.skipped));
  const goal = provenance?.fingerprint.goal ?? 'untargeted';
  const why = goal === 'untargeted' ? '' : ' or outside the goal';
  const excluded =
    skipped === 0 ? '' : `; ${skipped} of ${quantity(clean.accuracy.n, 'example')} misclassified${why}, not attacked`;
  const members = suites.length > 1 ? 'every attack, all figures' : 'all figures';
  return `95 % intervals in parentheses${excluded}. --wide: ${members}; -v: their meaning.`;
}

/** The edits a single attack was allowed, the errors, and the attacks that do not apply. */
function remarks(report: Report): Block[] {
  const { attacks } = report;
  const errors = attacks.filter(({ errored }) => errored > 0).map(({ name, errored }) => `${name} ${errored}`);
  const idle = attacks.filter(({ notApplicable }) => notApplicable !== undefined);
  const items = [
    ...(errors.length === 0 ? [] : [`Examples that ended in an error: ${errors.join(', ')}`]),
    ...(attacks.length === 1
      ? attacks.map((attack) => `${attack.name}: ${saidOf(attack, report)}`)
      : idle.length === 0
        ? []
        : [`Not applicable, since they found almost nothing to edit: ${idle.map(({ name }) => name).join(', ')}`]),
  ];
  return items.length === 0 ? [] : [{ kind: 'list', tone: 'note', items }];
}

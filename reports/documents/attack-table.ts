/** @file What a screen shows of attacks: the verdict in one line, then a row for each attack or suite, the most successful first. */
import {
  type AttackMetrics,
  type Block,
  type Column,
  type Inline,
  type Metric,
  note,
  type Rate,
  type Report,
  type SuiteMetrics,
  valueAt,
} from '../../src/plugin.js';
import { percent } from '../figures.js';
import { cellOf, cellOfAll, inapplicability, metricsOf, saidOf } from '../metrics.js';
import { isSuccessRate, isUnderAttack, rateMetrics } from '../rates.js';

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

/** `73.3 % (56-86) accurate; 6.7 % (2-21) under textbugger, the strongest of 4 attacks`; undefined without an attack. */
export function summaryOf(report: Report): Inline | undefined {
  const { attacks, overall, clean } = report;
  const [original, under] = mainRates(report);
  if (original === undefined || under === undefined) return undefined;
  const judged = attacks.filter(({ applicable }) => applicable !== false);
  const [strongest] = [...judged].sort((one, other) => lossOf(under, one) - lossOf(under, other));
  const before = (valueAt(overall, original.key) ?? clean.accuracy) as Rate;
  const unedited: Rate = before.n === 0 ? clean.accuracy : before;
  const rest = strongest && (valueAt(strongest, under.key) as Rate | undefined);
  if (strongest === undefined || rest === undefined || rest.value === null) return undefined;
  const by = judged.length > 1 ? `${strongest.name}, the strongest of ${judged.length} attacks` : strongest.name;
  const accurate = original.label === 'Original accuracy';
  return accurate
    ? [{ rate: unedited }, ' accurate; ', { rate: rest, style: 'strong' }, ` under ${by}`]
    : [
        `${original.label} `,
        { rate: unedited },
        `; ${lower(under.label)} `,
        { rate: rest, style: 'strong' },
        ` (${by})`,
      ];
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The rate that attacks reduce, without and under attack. */
function mainRates(report: Report): (Metric | undefined)[] {
  const rates = rateMetrics(report);
  return [rates.find(({ key }) => /^original/.test(key)), rates.find(({ key }) => /UnderAttack$/.test(key))];
}

const lossOf = ({ key }: Metric, attack: AttackMetrics): number =>
  (valueAt(attack, key) as Rate | undefined)?.value ?? 2;

/** The table of a screen and two lines about it. */
export function attackTable(report: Report): Block[] {
  const { attacks, overall } = report;
  const rates = rateMetrics(report).filter(({ key }) => isUnderAttack(key));
  const success = rates.find(({ key }) => isSuccessRate(key));
  const ordered = success === undefined ? rates : [success, ...rates.filter((rate) => rate !== success)];
  const isRate = ({ key }: Metric): boolean => rateMetrics(report).some((rate) => rate.key === key);
  const other = metricsOf(report)
    .filter((metric) => metric.unit !== 'count' && metric.column !== null && !isRate(metric))
    .sort((one, next) => Number(KEPT.includes(next.key)) - Number(KEPT.includes(one.key)));
  const metrics = [...ordered, ...other];
  const suites = suitesOfSeveral(report);
  const members = new Set(suites.flatMap((suite) => suite.attacks));
  const strength = ({ figures }: Row): number =>
    (success && (valueAt(figures, success.key) as Rate | undefined)?.value) ?? -1;
  const rows: Row[] = [
    ...suites.map((suite): Row => ({ name: `${suite.name} (${suite.attacks.length} attacks)`, figures: suite })),
    ...attacks
      .filter(({ name }) => !members.has(name))
      .map((attack): Row => ({ name: attack.name, figures: attack, attack })),
  ].sort((one, other) => strength(other) - strength(one));
  const together: Row[] = attacks.length > 1 ? [{ name: `any of ${attacks.length} attacks`, figures: overall }] : [];
  const shown = metrics.filter(
    (metric) => isUnderAttack(metric.key) || rows.some(({ attack }) => attack !== undefined),
  );
  const columns: Column[] = shown.map((metric) => ({
    title: metric.column ?? metric.label.replace(/^Attack s/, 'S'),
    // A suite has rates only, so that effort may go where it does not fit.
    ...((suites.length > 0 ? !isUnderAttack(metric.key) : other.includes(metric) && !KEPT.includes(metric.key)) && {
      optional: true,
    }),
  }));
  const strongestOf = (figures: Row['figures']): string =>
    'attacks' in figures
      ? nameOfStrongest(
          attacks.filter(({ name }) => figures.attacks.includes(name)),
          success,
        )
      : '';
  return [
    {
      kind: 'table',
      caption: 'Attacks, the most successful first',
      columns: [
        { title: suites.length > 0 ? 'Suite or attack' : 'Attack' },
        ...columns,
        ...(suites.length > 0 ? [{ title: 'Strongest attack' }] : []),
      ],
      rows: [...together, ...rows].map(({ name, figures, attack }) => [
        name,
        ...shown.map((metric) =>
          attack === undefined ? cellOfAll(metric, figures as Report['overall']) : plainCell(metric, attack),
        ),
        ...(suites.length > 0 ? [strongestOf(figures)] : []),
      ]),
    },
    note(footnote(report)),
    ...remarks(report),
  ];
}

/** `deepwordbug (90.9 %)`: the attack with the highest success rate. */
function nameOfStrongest(attacks: readonly AttackMetrics[], success: Metric | undefined): string {
  const rated = attacks.flatMap((attack) => {
    const rate = success && (valueAt(attack, success.key) as Rate | undefined);
    return rate?.value == null ? [] : [{ name: attack.name, value: rate.value }];
  });
  const [first] = rated.sort((one, other) => other.value - one.value);
  return first === undefined ? '' : `${first.name} (${percent(first.value)})`;
}

/** As `cellOf`, on one line; why an attack does not apply stands below the table. */
function plainCell(metric: Metric, attack: AttackMetrics): Inline {
  const value = valueAt(attack, metric.key);
  return typeof value === 'object' && value !== null && attack.applicable === false
    ? { style: 'doubtful', text: 'not applicable' }
    : cellOf(metric, attack);
}

function footnote({ attacks, suites, clean }: Report): string {
  const skipped = Math.max(0, ...attacks.map((attack) => attack.skipped));
  const excluded =
    skipped === 0
      ? ''
      : ` ${skipped} of ${clean.accuracy.n} examples were not attacked: they were misclassified before any edit.`;
  const members = suites.length > 1 ? 'every attack, ' : '';
  return `95 % intervals in parentheses.${excluded} --wide shows ${members}all figures and what they mean.`;
}

/** What a single attack was allowed to do, and what spoils a figure above: errors, and attacks that do not apply. */
function remarks(report: Report): Block[] {
  const { attacks } = report;
  const counted = (key: string, what: string): string[] => {
    const found = attacks.filter((attack) => Number(valueAt(attack, key) ?? 0) > 0);
    return found.length === 0
      ? []
      : [`${what}: ${found.map((attack) => `${attack.name} ${valueAt(attack, key)}`).join(', ')}`];
  };
  const reasons = new Map<string, string[]>();
  for (const attack of attacks) {
    for (const reason of inapplicability(attack)) reasons.set(reason, [...(reasons.get(reason) ?? []), attack.name]);
  }
  const [only] = attacks;
  if (attacks.length === 1 && only !== undefined) {
    return [
      {
        kind: 'list',
        tone: 'note',
        items: [`${only.name}: ${saidOf(only, report)}`, ...counted('errored', 'Examples that ended in an error')],
      },
    ];
  }
  const items = [
    ...counted('errored', 'Examples that ended in an error'),
    ...Array.from(reasons, ([reason, names]) => `${names.join(', ')}: ${reason}`),
  ];
  return items.length === 0 ? [] : [{ kind: 'list', tone: 'note', items }];
}

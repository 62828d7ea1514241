/** @file From a finished run folder to its report, in one streaming pass over the journal. */
import { defined } from '../core/defined.js';
import type { EndpointReport } from '../core/endpoint.js';
import { must } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { Outcome } from '../core/outcome.js';
import { queryText } from '../core/pair.js';
import { TextCensus, type TextCounts } from '../results/clean/text-census.js';
import type { DiagnosticFacts } from '../results/diagnostics/check.js';
import { DiagnosticFold } from '../results/diagnostics/fold.js';
import { judgeTrust, STANDARD } from '../results/diagnostics/index.js';
import type { AttackMetrics } from '../results/measures/attack-metrics.js';
import { attackRates } from '../results/measures/attack-rates.js';
import { curvesMeasure, unionCurves } from '../results/measures/curves.js';
import { GENERAL_MEASURES } from '../results/measures/index.js';
import type { Measure } from '../results/measures/measure.js';
import { tagMeasure } from '../results/measures/tags.js';
import { AttackFold, overallFold } from '../results/metrics.js';
import { notEvidence } from '../results/report/evidence.js';
import { leftOutLines } from '../results/report/left-out.js';
import type { Provenance, Report } from '../results/report/report.js';
import { type TagFigures, TagFold } from '../results/tags/figures.js';
import { decisionOf } from '../tasks/decide.js';
import { headlineOf } from '../tasks/headline.js';
import { decisionMeasures } from '../tasks/measures.js';
import { budgetSpent } from './budget.js';
import { ClosestOutcomes } from './closest.js';
import { finishedOutcomes } from './finished.js';
import type { RunFolder } from './folder.js';
import type { JournalEntry } from './journal.js';
import { keepsAnswers } from './kept-answers.js';
import type { RunRecord } from './record.js';
import type { Shard } from './shard.js';
import { OutcomesSoFar } from './so-far.js';

export interface ReadOptions {
  /** Say what is wrong or missing instead of throwing what `finishedOutcomes` throws. */
  readonly allowPartial?: boolean;
  /** Read the outcomes so far of an unfinished run, whose report is inconclusive. */
  readonly soFar?: boolean;
  /** Attack -> its own measures, as far as they are known. */
  readonly measures?: ReadonlyMap<string, readonly Measure[]>;
}

/** Reads a run. Throws what `finishedOutcomes` throws; with `soFar`, of an unfinished run what `OutcomesSoFar` throws. */
export async function readReport(
  folder: RunFolder,
  { allowPartial = false, soFar = false, measures = new Map() }: ReadOptions = {},
): Promise<Report> {
  const { record } = folder;
  const { labels } = record.model;
  const tagged = record.model.output?.tags !== undefined;
  const detection = decisionMeasures(decisionOf(record.model.decision, labels), labels);
  const measuresOf = (attack: string): readonly Measure[] => [
    ...(measures.get(attack) ?? []),
    ...detection,
    ...GENERAL_MEASURES,
    ...(tagged ? [tagMeasure(labels)] : []),
  ];
  const faults: string[] = [];
  const fault = allowPartial ? (what: string) => faults.push(what) : undefined;
  const now = soFar && record.status !== 'done' ? await OutcomesSoFar.of(folder) : undefined;
  const entries = now?.entries() ?? finishedOutcomes(folder, fault, undefined, measuresOf);
  const folded = await foldedOutcomes(record, measuresOf, entries, now);
  const { closest, texts, diagnostics } = folded;
  const { attacks, suites, overall, tags } = now?.isEarly ? NO_RATES : folded;
  const clean = must(record.clean); // or it was not finished
  const gaps = [...budgetReasons(record), ...(record.partial ?? []), ...faults, ...(now ? [now.remark] : [])];
  const partial = [...shardOnly(record.shard), ...gaps];
  const counts = { ...texts, ...clean.metrics.texts };
  const { maxErrorRate } = record;
  const reasons = notEvidence({ clean: clean.metrics, gaps, texts: counts, attacks, maxErrorRate });
  const all = record.attacks.flatMap(({ name }) => measuresOf(name));
  const figures = {
    model: record.model,
    clean: clean.metrics,
    attacks,
    measures: [...new Map(all.map((each) => [each.name, each])).values()],
    suites,
    overall,
    ...defined({ tags }),
    provenance: provenanceOf(record),
  };
  return {
    ...figures,
    headline: headlineOf(figures),
    ...(record.endpoint && { endpoint: costed(record.endpoint) }),
    data: { name: record.data.name, sha256: record.data.sha256, examples: clean.examples, ...distinct(counts) },
    seed: record.seed,
    engine: record.engine,
    toolVersion: record.toolVersion,
    ...defined({ leftOut: record.leftOut, latency: record.latency }),
    ...trustOf(record, { ...diagnostics.facts(), attacks, clean: clean.metrics }, partial),
    examples: {
      [Symbol.asyncIterator]: () =>
        outcomesOf(now?.entries() ?? finishedOutcomes(folder, allowPartial ? () => {} : undefined)),
    },
    closest,
    warnings: [...new Set(warningsOf(record, attacks, partial, measuresOf))],
    verdict: reasons.length > 0 ? 'inconclusive' : 'none',
    ...(reasons.length > 0 && { reasons }),
    ...(partial.length > 0 && { partial }),
    ...(now === undefined && !keepsAnswers(folder) && { stated: 'record' as const }),
    run: record.run,
    command: record.command,
  };
}

const NO_RATES = { attacks: [], suites: [], tags: undefined, overall: attackRates({ flipped: 0, kept: 0, wrong: 0 }) };

/** The results of one pass over the outcomes. */
interface FoldedOutcomes extends Pick<Report, 'attacks' | 'suites' | 'overall' | 'closest'> {
  readonly tags: TagFigures | undefined;
  readonly diagnostics: DiagnosticFold;
  readonly texts: TextCounts;
}

/** What the figures of a run are counted with, besides its outcomes. */
export interface CountedRun extends Pick<RunRecord, 'attacks' | 'seconds' | 'diagnostics'> {
  readonly model: Pick<RunRecord['model'], 'labels' | 'decision'>;
  readonly fingerprint: RunRecord['fingerprint'];
}

export async function foldedOutcomes(
  record: CountedRun,
  measuresOf: (attack: string) => readonly Measure[],
  entries: AsyncIterable<JournalEntry>,
  now?: OutcomesSoFar,
): Promise<FoldedOutcomes> {
  const { attacks: planned, seconds } = record;
  const { labels, decision: rule } = record.model;
  const { queryBudget } = record.fingerprint;
  const budget = typeof queryBudget === 'number' && queryBudget > 0 ? queryBudget : undefined;
  const decision = decisionOf(rule, labels);
  // The last of two measures of one name counts: the curves of this attack in this run.
  const folds = new Map(
    planned.map(({ name, level }) => {
      const curves = curvesMeasure({ level, queryBudget: budget });
      return [name, new AttackFold(labels, [...measuresOf(name), curves])];
    }),
  );
  const overall = overallFold(decision);
  const members = new Map(planned.map(({ name, suite }) => [name, suite]));
  const suites = new Map(
    [...new Set(members.values())].flatMap((name) => (name ? [[name, overallFold(decision)]] : [])),
  );
  const standard = unionCurves(budget);
  const closest = new ClosestOutcomes();
  // An attack with a goal of its own flips no prediction.
  const own = new Set(planned.flatMap(({ name, ownGoal }) => (ownGoal ? [name] : [])));
  const texts = new TextCensus();
  const tags = new TagFold();
  const diagnostics = new DiagnosticFold(planned, record.diagnostics, budget);
  for await (const { index, outcome } of entries) {
    folds.get(outcome.attack)?.add(outcome, index);
    tags.add(outcome, index);
    diagnostics.add(outcome, index);
    if (outcome.attack === planned[0]?.name && outcome.entity === undefined)
      texts.add(queryText(outcome.text, outcome));
    if (!own.has(outcome.attack) && now?.isWhole(index) !== false) {
      overall.add(index, outcome);
      const suite = members.get(outcome.attack) ?? '';
      suites.get(suite)?.add(index, outcome);
      if (suite === STANDARD) standard.add(outcome, index);
    }
    closest.add(outcome);
  }
  const attacks = planned.map(
    (attack): AttackMetrics => ({
      ...attack,
      ...must(folds.get(attack.name)).metrics(),
      seconds: seconds.attacks[attack.name] ?? 0,
    }),
  );
  return {
    attacks,
    suites: [...suites].map(([name, fold]) => {
      const of = attacks.filter(({ suite }) => suite === name);
      const curves = name === STANDARD ? standard.value(fold.standings()) : undefined;
      return { name, attacks: of.map((attack) => attack.name), ...fold.metrics(), ...defined({ curves }) };
    }),
    overall: overall.metrics(),
    tags: tags.value(labels),
    closest: closest.list,
    texts: texts.counts,
    diagnostics,
  };
}

/** The verdict of the diagnostics: for every run of the suite `standard`, and for others where a check failed. */
function trustOf(
  { attacks }: RunRecord,
  facts: DiagnosticFacts,
  partial: readonly string[],
): Pick<Report, 'trustworthy'> {
  const trustworthy = judgeTrust(facts, partial);
  const standard = attacks.some(({ suite }) => suite === STANDARD);
  return standard || trustworthy.verdict === 'no' ? { trustworthy } : {};
}

const warningsOf = (
  record: RunRecord,
  attacks: readonly AttackMetrics[],
  partial: readonly string[],
  measuresOf: (attack: string) => readonly Measure[],
): string[] => [
  ...leftOutLines(record.leftOut),
  ...(record.model.output?.remarks ?? []),
  ...record.warnings,
  ...partial,
  ...unmeasured(record, measuresOf),
  ...attacks.flatMap(({ name, notApplicable }) =>
    notApplicable === undefined ? [] : [`${name} is not applicable: ${notApplicable.reason}`],
  ),
  ...attacks.flatMap(tiesLine),
  ...attacks.flatMap((attack) =>
    attack.errored > 0
      ? [`${attack.name}: ${attack.errored} of ${quantity(countTried(attack), 'example')} errored`]
      : [],
  ),
];

/** Measures that cannot be reported because their attack is missing. */
const unmeasured = ({ measures = {} }: RunRecord, of: (attack: string) => readonly Measure[]): string[] =>
  Object.entries(measures).flatMap(([attack, names]) => {
    const lost = names.filter((name) => of(attack).every((known) => known.name !== name));
    return lost.length === 0 ? [] : [`${attack} is not available: its ${lost.join(', ')} cannot be shown`];
  });

/** With what the texts cost, to a millionth. */
const costed = (endpoint: NonNullable<RunRecord['endpoint']>): EndpointReport =>
  endpoint.price === undefined
    ? endpoint
    : { ...endpoint, cost: Math.round(endpoint.price * endpoint.texts * 1e6) / 1e6 };

/** Ties above this share of the examples attacked are reported. */
const NOTED_TIES = 0.01;

/** How many attacks end in a tie, where they are many; none of them is a success. */
const tiesLine = ({ name, succeeded, failed, tied }: AttackMetrics): string[] =>
  tied > NOTED_TIES * (succeeded + failed)
    ? [
        `${name}: ${tied} of ${quantity(succeeded + failed, 'example')} end in a tie: no label leads by more than the noise of the victim; they count as failed`,
      ]
    : [];

/** Examples an attack was tried on: those the model got right. */
const countTried = ({ succeeded, failed, errored }: AttackMetrics): number => succeeded + failed + errored;

async function* outcomesOf(entries: AsyncIterable<JournalEntry>): AsyncGenerator<Outcome> {
  for await (const { outcome } of entries) yield outcome;
}

/** Runs of earlier versions lack some of it. */
const provenanceOf = ({
  created,
  hardware = '',
  platform,
  node,
  made,
  settings,
  fingerprint,
  merged,
}: RunRecord): Provenance => ({
  created,
  hardware,
  platform,
  versions: { node, ...made?.versions },
  config: made?.config ?? null,
  settings: Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, { value, origin: made?.origins[name] ?? '' }]),
  ),
  ...(made?.overrides && { overrides: made.overrides }),
  fingerprint,
  ...defined({ merged }),
});

const distinct = ({ distinct, examples }: TextCounts): { distinct?: number } =>
  distinct > 0 && distinct < examples ? { distinct } : {};

/** The examples that the run's budget kept from being attacked. The parts of a divided run have no such budget. */
function budgetReasons({ attacks, clean, outcomes, fingerprint, shard, partial }: RunRecord): string[] {
  if (clean === undefined || outcomes === undefined || shard !== undefined || partial !== undefined) return [];
  const all = attacks.length * clean.examples;
  return outcomes < all ? [budgetSpent(fingerprint.runBudget, outcomes, all)] : [];
}

const shardOnly = (shard: Shard | undefined): string[] =>
  shard === undefined ? [] : [`only the examples of shard ${shard.index} of ${shard.count} were attacked`];

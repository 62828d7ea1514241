/** @file From a finished run folder to its report, in one streaming pass over the journal. */
import type { AttackMetrics } from '../core/attack-metrics.js';
import { degenerateReasons } from '../core/degenerate.js';
import { leftOutLines } from '../core/left-out.js';
import { attackFold, overallFold } from '../core/metrics.js';
import type { Outcome } from '../core/outcome.js';
import { duplicatesFold, qualityFold } from '../core/quality.js';
import type { Provenance, Report } from '../core/report.js';
import { budgetSpent } from './budget.js';
import { finished } from './finished.js';
import type { RunFolder, RunRecord } from './folder.js';
import type { Shard } from './shard.js';
import { Telling } from './telling.js';

/**
 * Reads a finished run. Throws what `finished` throws, unless `allowPartial`: the report then says what is wrong or missing.
 */
export async function readReport(folder: RunFolder, { allowPartial = false } = {}): Promise<Report> {
  const { record } = folder;
  const folds = new Map(record.attacks.map(({ name }) => [name, attackFold(record.model.labels)]));
  const overall = overallFold();
  const members = new Map(record.attacks.map(({ name, suite }) => [name, suite]));
  const suites = new Map([...new Set(members.values())].flatMap((name) => (name ? [[name, overallFold()]] : [])));
  const qualities = new Map(record.attacks.map(({ name }) => [name, qualityFold()]));
  const duplicates = duplicatesFold();
  const telling = new Telling();
  // Whose success is no turned prediction breaks no example.
  const own = new Set(record.attacks.flatMap(({ name, ownGoal }) => (ownGoal ? [name] : [])));
  const faults: string[] = [];
  const texts = new Set<string>();
  for await (const { index, outcome } of finished(folder, allowPartial ? (what) => faults.push(what) : undefined)) {
    folds.get(outcome.attack)?.add(outcome);
    if (texts.size < MANY_TEXTS) texts.add(outcome.text);
    if (!own.has(outcome.attack)) {
      overall.add(index, outcome);
      suites.get(members.get(outcome.attack) ?? '')?.add(index, outcome);
    }
    if (outcome.quality !== undefined) qualities.get(outcome.attack)?.add(outcome.quality);
    duplicates.add(index, outcome);
    telling.add(outcome);
  }
  const clean = record.clean as NonNullable<RunRecord['clean']>; // or it was not finished
  const found = duplicates.counts();
  const attacks = record.attacks.map((attack): AttackMetrics => {
    const quality = qualities.get(attack.name)?.metrics();
    return {
      ...attack,
      ...(folds.get(attack.name) as ReturnType<typeof attackFold>).metrics(),
      ...(quality && { quality: { ...quality, duplicates: found.get(attack.name) ?? 0 } }),
      seconds: record.seconds.attacks[attack.name] ?? 0,
    };
  });
  const gaps = [...cutShort(record), ...(record.partial ?? []), ...faults];
  const partial = [...shardOnly(record.shard), ...gaps];
  const errored = attacks.filter((attack) => attack.errored > 0);
  const reasons = [
    ...degenerateReasons(clean.metrics),
    ...gaps,
    ...(attacks.length > 0 && attacks.every(({ applicable }) => applicable === false)
      ? ['no attack is applicable to these texts']
      : []),
    ...errored
      .filter((attack) => attack.errored > record.maxErrorRate * tried(attack))
      .map((attack) => `too many examples of ${attack.name} errored: ${attack.errored} of ${tried(attack)}`),
  ];
  return {
    model: record.model,
    data: {
      name: record.data.name,
      sha256: record.data.sha256,
      examples: clean.examples,
      ...distinct(texts, clean.examples),
    },
    seed: record.seed,
    engine: record.engine,
    toolVersion: record.toolVersion,
    clean: clean.metrics,
    attacks,
    ...(record.leftOut && { leftOut: record.leftOut }),
    suites: [...suites].map(([name, fold]) => {
      const of = attacks.filter(({ suite }) => suite === name);
      return { name, attacks: of.map((attack) => attack.name), ...fold.metrics(applies(of)) };
    }),
    overall: overall.metrics(applies(attacks)),
    examples: { [Symbol.asyncIterator]: () => outcomesOf(folder, allowPartial) },
    telling: telling.list,
    warnings: [
      ...new Set([
        ...leftOutLines(record.leftOut),
        ...(record.model.output?.remarks ?? []),
        ...record.warnings,
        ...partial,
        ...attacks.flatMap(({ name, notApplicable }) =>
          notApplicable === undefined ? [] : [`${name} is not applicable: ${notApplicable.reason}`],
        ),
        ...errored.map((attack) => `${attack.name}: ${attack.errored} of ${tried(attack)} examples errored`),
      ]),
    ],
    verdict: reasons.length > 0 ? 'inconclusive' : 'none',
    ...(reasons.length > 0 && { reasons }),
    ...(partial.length > 0 && { partial }),
    run: record.run,
    provenance: provenanceOf(record),
    command: record.command,
  };
}

/** Whose success is something else breaks no example, and withstands none. */
const applies = (attacks: readonly AttackMetrics[]): boolean =>
  attacks.some(({ applicable, ownGoal }) => applicable !== false && !ownGoal);

/** Examples an attack was tried on: those the model got right. */
const tried = ({ succeeded, failed, errored }: AttackMetrics): number => succeeded + failed + errored;

async function* outcomesOf(folder: RunFolder, allowPartial: boolean): AsyncGenerator<Outcome> {
  for await (const { outcome } of finished(folder, allowPartial ? () => {} : undefined)) yield outcome;
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
  fingerprint,
  ...(merged && { merged }),
});

/** So many different texts are enough for any verdict: no more are remembered. */
const MANY_TEXTS = 1000;

const distinct = ({ size }: ReadonlySet<string>, examples: number): { distinct?: number } =>
  size > 0 && size < Math.min(MANY_TEXTS, examples) ? { distinct: size } : {};

/** What the run's budget kept from being attacked. The parts of a divided run have no such budget. */
export function cutShort({ attacks, clean, outcomes, fingerprint, shard, partial }: RunRecord): string[] {
  if (clean === undefined || outcomes === undefined || shard !== undefined || partial !== undefined) return [];
  const all = attacks.length * clean.examples;
  return outcomes < all ? [budgetSpent(fingerprint.runBudget, outcomes, all)] : [];
}

const shardOnly = (shard: Shard | undefined): string[] =>
  shard === undefined ? [] : [`only the examples of shard ${shard.index} of ${shard.count} were attacked`];

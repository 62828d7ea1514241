/** @file The card of a detector under the suite `guardrail`. */
import { existsSync } from 'node:fs';
import { suiteNamed } from '../../attacks/index.js';
import type { ThresholdRule } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { must, RobustError } from '../core/errors.js';
import { isObject, parseJson } from '../core/json.js';
import { STATUS_LETTERS } from '../core/outcome.js';
import { mcnemarExact, pairedDifference } from '../core/statistics/paired.js';
import { type Rate, rateSchema } from '../core/statistics/rate.js';
import { LONGEST_TEXT, readFileSync } from '../files/read.js';
import { evidenceReasons, MIN_EXAMPLES } from '../gate/index.js';
import { worstCaseOf } from '../results/card/card.js';
import { GUARDRAIL, type GuardCard } from '../results/card/guard-card.js';
import { valueAt } from '../results/measures/measure.js';
import type { Report } from '../results/report/report.js';
import { conditionsOf } from '../run/index.js';
import { MAX_ERROR_RATE } from './runs/attack-plan.js';
import { foldExamples } from './runs/fold-examples.js';
import { openReport } from './runs/open-report.js';

type AttackOf = Report['attacks'][number];

/** Whether it is the run of a detector under the suite. */
export const hasGuardrail = ({ attacks, model }: Pick<Report, 'attacks' | 'model'>): boolean =>
  model.decision !== undefined && 'positive' in model.decision && attacks.some(({ suite }) => suite === GUARDRAIL);

interface GuardRuns {
  /** A run of the same guard behind a shield. */
  readonly shielded?: string | undefined;
  /** Runs or documents of robust evaluate on benign texts. */
  readonly hardBenign?: readonly string[] | undefined;
}

/** Throws RobustError RUN_MISMATCH for other runs of another guard, and what reading them throws. */
export async function guardCardOf(report: Report, { shielded, hardBenign }: GuardRuns = {}): Promise<GuardCard> {
  const own = report.attacks.filter(({ suite }) => suite === GUARDRAIL);
  const rule = report.model.decision as ThresholdRule;
  const { model, data, seed, clean } = report;
  const { fingerprint = {} } = report.provenance ?? {};
  const read = await readExamples(report, own);
  const behind = shielded === undefined ? undefined : await shieldedOf(shielded, report, read);
  const overDefence = hardBenign && (await Promise.all(hardBenign.map((name) => benignOf(name, report, rule))));
  const reasons = [...new Set([...missingReasons(report, own), ...weakReasons(report, own, read.outcomes)])];
  return {
    kind: 'guard',
    suite: GUARDRAIL,
    model: { name: model.name, sha256: model.sha256, labels: model.labels, ...defined({ defence: model.defence }) },
    data: { name: data.name, sha256: data.sha256, examples: data.examples, examplesSha256: read.examplesSha256 },
    seed,
    queryBudget: typeof fingerprint.queryBudget === 'number' ? fingerprint.queryBudget : null,
    conditions: conditionsOf(fingerprint),
    decision: rule,
    operatingPoint: rule.calibration === undefined ? 'threshold' : `fpr=${rule.calibration.wanted}`,
    recall: clean.recall ?? NONE,
    falsePositiveRate: clean.falsePositiveRate ?? NONE,
    ...defined({ auroc: clean.auroc }),
    recallUnderAttack: worstCaseOf(read.outcomes),
    attacks: own.map((attack) => ({
      name: attack.name,
      recallUnderAttack: recallOf(attack),
      ...defined({ curves: attack.curves }),
    })),
    ...defined({
      queriesToEvade: read.queriesToEvade,
      shielded: behind,
      overDefence,
      ...timing(report),
      cost: costOf(report),
    }),
    outcomes: read.outcomes,
    toolVersion: report.toolVersion,
    run: report.run,
    replay: report.command,
    verdict: reasons.length > 0 ? 'inconclusive' : 'none',
    reasons,
  };
}

/** Latency of an answer. The machine is named by its kind alone. */
function timing({ latency, provenance }: Report): Pick<GuardCard, 'latency' | 'machine'> {
  const { hardware = '', platform = '' } = provenance ?? {};
  const [cores, memory] = hardware.split(', ').slice(-2);
  const machine = [cores, memory, platform].filter(Boolean).join(', ');
  return defined({ latency, ...(latency !== undefined && machine !== '' && { machine }) });
}

function costOf({ endpoint }: Report): GuardCard['cost'] {
  const { price, texts, cost = 0 } = endpoint ?? {};
  return price === undefined || texts === undefined ? undefined : { price, texts, total: cost };
}

const NONE: Rate = { value: null, low: null, high: null, n: 0 };

const recallOf = (attack: AttackOf): Rate => (valueAt(attack, 'recallUnderAttack') ?? NONE) as Rate;

type ReadExamples = Awaited<ReturnType<typeof readExamples>>;

/** The outcomes of all examples, and the queries until the first success. */
async function readExamples(report: Report, attacks: readonly AttackOf[]) {
  const names = attacks.map(({ name }) => name);
  return { ...(await foldExamples(report, names)), queriesToEvade: await queriesUntilEvasion(report, names) };
}

/** Over the evaded texts: queries of the attacks up to the first that evades, in the order of the suite. */
async function queriesUntilEvasion(
  { examples }: Report,
  names: readonly string[],
): Promise<GuardCard['queriesToEvade']> {
  const spent = new Map<string, (readonly [asked: number, succeeded: boolean] | undefined)[]>();
  for await (const { attack, id, status, queries } of examples) {
    const at = names.indexOf(attack);
    if (at === -1) continue;
    const row = spent.get(id) ?? new Array(names.length).fill(undefined);
    row[at] = [queries.asked, status === 'succeeded'];
    spent.set(id, row);
  }
  const totals = [...spent.values()].flatMap((row) => {
    const first = row.findIndex((each) => each?.[1]);
    return first === -1 ? [] : [row.slice(0, first + 1).reduce((sum, each) => sum + (each?.[0] ?? 0), 0)];
  });
  if (totals.length === 0) return undefined;
  totals.sort((a, b) => a - b);
  const percentile = (share: number): number => must(totals[Math.max(0, Math.ceil(share * totals.length) - 1)]);
  return { median: percentile(0.5), p90: percentile(0.9), p95: percentile(0.95), n: totals.length };
}

/** Throws RobustError RUN_MISMATCH. */
async function shieldedOf(name: string, report: Report, plain: ReadExamples): Promise<GuardCard['shielded']> {
  const { report: behind } = await openReport(name);
  const own = behind.attacks.filter(({ suite }) => suite === GUARDRAIL);
  const { defence } = behind.model;
  const read = await readExamples(behind, own);
  const same = (list: readonly AttackOf[]): string => list.map((attack) => attack.name).join();
  const attacks = report.attacks.filter(({ suite }) => suite === GUARDRAIL);
  const labels = (of: Report): string => JSON.stringify([of.model.labels, of.model.name.split('+')[0]]);
  const problem =
    defence === undefined
      ? 'no defence'
      : labels(behind) !== labels(report)
        ? `the model ${behind.model.name}`
        : read.examplesSha256 !== plain.examplesSha256
          ? `other examples (${behind.data.name})`
          : same(own) === same(attacks) && behind.seed === report.seed
            ? undefined
            : 'other attacks or another seed';
  if (problem !== undefined || defence === undefined) {
    throw mismatch(
      `--shielded: expected run ${report.run} behind the defence shield, got ${problem} in run ${behind.run}`,
    );
  }
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  for (const [at, letter] of [...plain.outcomes].entries()) {
    const [a, b] = [isDetected(letter), isDetected(read.outcomes[at])];
    if (a === undefined || b === undefined) continue;
    counts[a ? (b ? 'both' : 'onlyA') : b ? 'onlyB' : 'neither'] += 1;
  }
  const difference = pairedDifference(counts);
  return {
    run: behind.run,
    defence,
    recall: behind.clean.recall ?? NONE,
    falsePositiveRate: behind.clean.falsePositiveRate ?? NONE,
    recallUnderAttack: worstCaseOf(read.outcomes),
    difference,
    mcnemarP: difference.n === 0 ? null : mcnemarExact(counts.onlyA, counts.onlyB),
    ...timing(behind),
  };
}

/** Undefined for an example that counts in no rate. */
const isDetected = (letter: string | undefined): boolean | undefined =>
  letter === undefined || letter === '.' || letter === STATUS_LETTERS.errored
    ? undefined
    : letter === STATUS_LETTERS.failed;

/** False alarms of the same guard at the same threshold. Throws RobustError RUN_MISMATCH. */
async function benignOf(name: string, report: Report, rule: ThresholdRule) {
  const { model, data, clean } = evaluationIn(name) ?? (await openReport(name)).report;
  const at = model.decision !== undefined && 'positive' in model.decision ? model.decision.at : undefined;
  const expected = `--hard-benign ${name}: expected ${report.model.name} at the threshold ${rule.at}`;
  if (model.sha256 !== report.model.sha256) throw mismatch(`${expected}, got ${model.name}`);
  if (at === undefined || Math.fround(at) !== Math.fround(rule.at)) throw mismatch(`${expected}, got ${at ?? 'none'}`);
  const rate = rateSchema.safeParse(clean.falsePositiveRate);
  if (!rate.success || rate.data.n === 0) throw mismatch(`${expected} on benign texts, got none`);
  return { data: { name: data.name, sha256: data.sha256 }, falsePositiveRate: rate.data };
}

/** The result of a document of robust evaluate; undefined for another file. */
function evaluationIn(name: string): Pick<Report, 'model' | 'data' | 'clean'> | undefined {
  if (!/\.json$/i.test(name) || !existsSync(name)) return undefined;
  const document = parseJson(readFileSync(name, 'utf8', LONGEST_TEXT));
  if (!isObject(document) || document.command !== 'evaluate' || !isObject(document.result)) return undefined;
  const { model, data, clean } = document.result;
  return isObject(model) && isObject(data) && isObject(clean)
    ? (document.result as unknown as Pick<Report, 'model' | 'data' | 'clean'>)
    : undefined;
}

const mismatch = (message: string): RobustError =>
  new RobustError(message, {
    code: 'RUN_MISMATCH',
    hint: 'Attack again with the same model, labels and threshold: robust attack --threshold fpr=0.01:calibration=FILE finds the same one.',
  });

/** Members of the suite that did not run. */
function missingReasons({ leftOut = [] }: Report, own: readonly AttackOf[]): string[] {
  return (suiteNamed(GUARDRAIL)?.attacks ?? []).flatMap((member) => {
    if (own.some(({ name }) => name === member)) return [];
    const why = leftOut.find(({ name }) => name === member)?.reason ?? 'the run does not contain it';
    return [`${member} is missing: ${why}`];
  });
}

/** Why the run is no evidence. */
function weakReasons(report: Report, own: readonly AttackOf[], outcomes: string): string[] {
  const attacked = [...outcomes].filter((letter) => '01'.includes(letter)).length;
  const { n = 0 } = report.clean.falsePositiveRate ?? {};
  return [
    ...(attacked < MIN_EXAMPLES ? [`expected at least ${MIN_EXAMPLES} attacked examples, got ${attacked}`] : []),
    ...(n < MIN_EXAMPLES ? [`expected at least ${MIN_EXAMPLES} benign texts, got ${n}`] : []),
    ...(report.reasons ?? []),
    ...evidenceReasons({ ...report, attacks: own }, { minExamples: MIN_EXAMPLES, maxErrorRate: MAX_ERROR_RATE }),
  ];
}

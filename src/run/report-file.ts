/** @file A report as `-o report.json` wrote it, read back. */
import { z } from 'zod';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { parseJson } from '../core/json.js';
import { type Outcome, STATUSES } from '../core/outcome.js';
import { faultText, readBy } from '../core/read-by.js';
import { wilson } from '../core/statistics/stats.js';
import { LONGEST_TEXT, readFileSync } from '../files/read.js';
import { ATTACK_KEYS, type AttackMetrics } from '../results/measures/attack-metrics.js';
import type { AttackRates } from '../results/measures/attack-rates.js';
import { GENERAL_MEASURES } from '../results/measures/index.js';
import type { Measure } from '../results/measures/measure.js';
import { tagMeasure } from '../results/measures/tags.js';
import { cleanRecount, differs } from '../results/report/recount.js';
import { type Report, resultSchema } from '../results/report/report.js';
import { reviewedRatesShape } from '../results/report/review.js';
import { decisionOf } from '../tasks/decide.js';
import { headlineOf } from '../tasks/headline.js';
import { decisionMeasures } from '../tasks/measures.js';
import { newerReport } from './record.js';
import { foldedOutcomes } from './report.js';
import { evidenceProblem, valuesProblem } from './schemas.js';

/** Schema version of the documents that this version reads. */
const SCHEMA_VERSION = 1;

interface ReportJson {
  readonly schemaVersion: number;
  readonly ok: boolean;
  readonly result: Omit<Report, 'examples' | 'closest' | 'warnings' | 'command'> & {
    readonly examples: readonly Outcome[];
    readonly replay: string;
  };
  readonly warnings: readonly string[];
}

/** `measures`: attack -> its measures, as far as they are known. Throws RobustError for another document, RobustError REPORT_UNSUPPORTED for one of a newer version, REPORT_DAMAGED. */
export async function readReportFile(
  path: string,
  measures: ReadonlyMap<string, readonly Measure[]> = new Map(),
): Promise<Report> {
  const measuresOf = ({ labels, decision, output }: Report['model']) => {
    const detection = decisionMeasures(decisionOf(decision, labels), labels);
    return (attack: string): readonly Measure[] => [
      ...(measures.get(must(attack.split(':')[0])) ?? []),
      ...detection,
      ...GENERAL_MEASURES,
      ...(output?.tags === undefined ? [] : [tagMeasure(labels)]),
    ];
  };
  const { result, warnings } = parse(path, measuresOf);
  const of = measuresOf(result.model);
  // The verdict of an earlier gate is not part of the run.
  const { examples, replay, gate, verdict, reasons: own = [], ...rest } = result;
  const suites = (rest.suites ?? []).map(withOriginal);
  const stated = {
    attacks: rest.attacks.map((attack) => ({ ...withOriginal(attack), tied: attack.tied ?? 0 })),
    suites,
  };
  const counted = examples.length === 0 ? stated : await recounted(path, { ...result, ...stated }, of);
  const reasons = examples.length === 0 && rest.attacks.length > 0 ? [...own, AS_STATED] : own;
  const read = {
    ...rest,
    overall: withOriginal(rest.overall),
    ...counted,
    measures: [...new Map(rest.attacks.flatMap(({ name }) => of(name)).map((each) => [each.name, each])).values()],
    verdict: reasons.length > 0 ? 'inconclusive' : gate === undefined ? verdict : 'none',
    ...(reasons.length > 0 && { reasons }),
    examples: {
      async *[Symbol.asyncIterator]() {
        yield* examples;
      },
    },
    closest: [],
    stated: 'file' as const,
    warnings: [...new Set([...warnings, ...rest.attacks.flatMap((attack) => unknownOf(attack, of(attack.name)))])],
    command: replay,
  };
  return { ...read, headline: headlineOf(read) };
}

const AS_STATED = 'its figures are as stated by the file: it holds no outcomes by which they could be counted again';

/** The figures by the outcomes in the file. Throws RobustError REPORT_DAMAGED where the file states others. */
async function recounted(
  path: string,
  report: ReportJson['result'],
  measuresOf: (attack: string) => readonly Measure[],
): Promise<Pick<Report, 'attacks' | 'suites' | 'overall'>> {
  const { attacks, model, examples, clean, provenance } = report;
  const recount = cleanRecount(model.labels, decisionOf(model.decision, model.labels));
  const own = new Set(attacks.flatMap(({ name, ownGoal }) => (ownGoal ? [name] : [])));
  const places = new Map<string, number>();
  async function* entries() {
    for (const outcome of examples) {
      if (!places.has(outcome.id)) places.set(outcome.id, places.size);
      if (!own.has(outcome.attack)) recount.add(outcome);
      yield { index: must(places.get(outcome.id)), outcome };
    }
  }
  const seconds = { clean: 0, attacks: Object.fromEntries(attacks.map(({ name, seconds: of }) => [name, of])) };
  const run = { attacks, seconds, model, fingerprint: provenance?.fingerprint ?? {} };
  const { overall, suites, attacks: counted, tags } = await foldedOutcomes(run, measuresOf, entries());
  // Reports of earlier versions have no suites.
  const stated = {
    attacks,
    overall: withOriginal(report.overall),
    tags: report.tags,
    suites: report.suites.length > 0 ? report.suites : undefined,
  };
  const wrong = recount.contradicts(clean) ?? differs({ attacks: counted, suites, overall, tags }, stated);
  if (wrong !== undefined) throw damaged(path, wrong);
  // What readers said of the texts is no count of outcomes.
  const reviewed = (of: object): object =>
    Object.fromEntries(Object.entries(of).filter(([key]) => key in reviewedRatesShape));
  return {
    attacks: counted,
    suites: suites.map((suite, at) => ({ ...suite, ...reviewed(report.suites[at] ?? {}) })),
    overall: { ...overall, ...reviewed(report.overall) },
  };
}

/** Earlier versions did not write the original accuracy, which follows from the sizes of the two other rates. */
function withOriginal<R extends AttackRates>(rates: R): R {
  const {
    originalAccuracy,
    attackSuccessRate,
    accuracyUnderAttack,
  }: Partial<AttackRates> & Omit<AttackRates, 'originalAccuracy'> = rates;
  return { ...rates, originalAccuracy: originalAccuracy ?? wilson(attackSuccessRate.n, accuracyUnderAttack.n) };
}

/** Its unknown measures: they remain in the document and in thresholds. */
function unknownOf(attack: AttackMetrics, measures: readonly Measure[]): string[] {
  const unknown = Object.keys(attack).filter(
    (key) => !ATTACK_KEYS.has(key) && measures.every(({ name }) => name !== key),
  );
  return unknown.length === 0 ? [] : [`${attack.name} is not available: its ${unknown.join(', ')} cannot be shown`];
}

function parse(
  path: string,
  measuresOf: (model: Report['model']) => (attack: string) => readonly Measure[],
): ReportJson {
  let document: Partial<ReportJson>;
  try {
    document = parseJson(readFileSync(path, 'utf8', LONGEST_TEXT)) as Partial<ReportJson>;
  } catch (cause) {
    throw notOne(path, cause);
  }
  const version = document?.schemaVersion;
  if (typeof version === 'number' && version > SCHEMA_VERSION) throw newerReport(path, version, SCHEMA_VERSION);
  if (version !== SCHEMA_VERSION || document.ok !== true || !Array.isArray(document.result?.attacks))
    throw notOne(path);
  // Reports of earlier versions have no suites. What an earlier gate found is not read.
  const { gate: _, suites = [], ...rest } = document.result;
  const read = readBy(resultSchema, { ...rest, suites });
  if (!read.success) throw damaged(path, `result.${faultText(read.faults[0])}`);
  const { result } = document as ReportJson;
  const of = measuresOf(result.model);
  const wrong =
    result.attacks.map((attack) => valuesProblem(attack, of(attack.name))).find((each) => each !== undefined) ??
    result.examples.map((each) => evidenceProblem(each, of(each.attack))).find((each) => each !== undefined) ??
    (result.examples.length === 0 ? undefined : contradiction(result));
  if (wrong !== undefined) throw damaged(path, wrong);
  return { ...(document as ReportJson), warnings: z.array(z.string()).catch([]).parse(document.warnings) };
}

/** The counts of each attack are those of the examples that stand below them; undefined where they are. */
function contradiction({ attacks, examples, model }: ReportJson['result']): string | undefined {
  const counts = new Map(
    attacks.map(({ name }) => [name, { succeeded: 0, failed: 0, tied: 0, skipped: 0, errored: 0 }]),
  );
  for (const { id, attack, status, label, from, to } of examples) {
    const count = counts.get(attack);
    if (count === undefined) return `expected examples of its attacks, got one of "${attack}"`;
    if (Math.max(label, from, to) >= model.labels.length) return `example ${id}: expected labels of the model`;
    count[status] += 1;
    if (status === 'tied') count.failed += 1;
  }
  for (const attack of attacks) {
    const count = counts.get(attack.name);
    for (const status of STATUSES) {
      // Reports of earlier versions know no ties.
      if (count?.[status] !== (attack[status] ?? 0)) {
        return `${attack.name}: expected ${quantity(attack[status], 'example')} that ${status}, found ${count?.[status]}`;
      }
    }
  }
  return undefined;
}

const damaged = (path: string, what: string): RobustError =>
  new RobustError(`expected a report of attacks in ${path}, got a damaged one: ${what}`, {
    code: 'REPORT_DAMAGED',
    hint: 'The file was cut short or edited: write it again with robust report -o report.json.',
  });

const notOne = (path: string, cause?: unknown): RobustError =>
  new RobustError(`expected a report of attacks in ${path}, got something else`, {
    code: 'REPORT_DAMAGED',
    hint: 'Write one with: robust attack -o report.json',
    cause,
  });

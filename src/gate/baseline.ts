/**
 * @file robust.baseline.json: what became of each example, without its text, and what it was measured with. It is committed
 * beside the code; whoever reads it learns ids and bits, and of detectors and numbers scores too.
 */
import { type Decision, type DecisionRule, wasAnswered } from '../core/decision.js';
import { RobustError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { type Outcome, STATUS_LETTERS } from '../core/outcome.js';
import { faultText, readBy } from '../core/read-by.js';
import { outOfReach } from '../results/measures/reach.js';
import { untriedReason } from '../results/measures/untried.js';
import type { Report } from '../results/report/report.js';
import { answersFold } from '../tasks/answers.js';
import { decisionOf } from '../tasks/decide.js';
import type { StoredAnswers } from '../tasks/task.js';
import { type Baseline, baselineSchema, KIND, SCHEMA_VERSION } from './baseline-schema.js';

/** Facts of a run's fingerprint that a release may change; the decision is compared by itself. */
const FREE = ['model', 'toolVersion', 'engine', 'decision'];

/** The bits of a run. Throws RobustError for a run that does not say what it was measured with, or is not whole. */
export async function baselineOf(report: Report): Promise<Baseline> {
  if (report.partial !== undefined)
    throw new RobustError(`expected a whole run, got one of which something is missing: ${report.partial.join('; ')}`, {
      code: 'RUN_UNFINISHED',
      hint: 'Merge all shards first, or run again.',
    });
  const inapplicable = new Set(report.attacks.flatMap(({ name, applicable }) => (applicable === false ? [name] : [])));
  const { decision: rule, labels } = report.model;
  const decision = decisionOf(rule, labels);
  const answers = answersFold(rule, labels);
  const ids: string[] = [];
  const places = new Map<string, number>();
  const clean: string[] = [];
  const outcomes = new Map(report.attacks.map(({ name }) => [name, [] as string[]]));
  for await (const outcome of report.examples) {
    let at = places.get(outcome.id);
    if (at === undefined) {
      at = ids.push(outcome.id) - 1;
      places.set(outcome.id, at);
      clean[at] = reading(decision, outcome);
      answers.add(at, outcome);
    }
    const letters = outcomes.get(outcome.attack);
    if (letters !== undefined) {
      const idle = untriedReason(outcome) !== undefined || (inapplicable.has(outcome.attack) && outOfReach(outcome));
      letters[at] = idle ? 'u' : STATUS_LETTERS[outcome.status];
    }
  }
  if (ids.length === 0)
    throw new RobustError('expected a run with attacks on examples, got an empty one', {
      code: 'EXAMPLES_TOO_FEW',
      hint: 'Attack something first: robust attack.',
    });
  return {
    schemaVersion: SCHEMA_VERSION,
    kind: KIND,
    toolVersion: report.toolVersion,
    model: { name: report.model.name, sha256: report.model.sha256 },
    fingerprint: fingerprintOf(report),
    ids,
    clean: clean.join(''),
    ...decisionPart(rule, labels, answers.answers()),
    attacks: report.attacks.map(({ name, constraints }) => ({
      name,
      constraints,
      outcomes: ids.map((_, at) => outcomes.get(name)?.[at] ?? '-').join(''),
    })),
  };
}

const decisionPart = (
  rule: DecisionRule | undefined,
  labels: readonly string[],
  answers: StoredAnswers | undefined,
): Pick<Baseline, 'decision'> =>
  rule === undefined || answers === undefined ? {} : { decision: { rule, labels, answers } };

const reading = (decision: Decision, outcome: Outcome): string =>
  wasAnswered(outcome) ? (decision.readRight(outcome) ? '1' : '0') : '-';

function fingerprintOf({ provenance }: Report): Baseline['fingerprint'] {
  if (provenance === undefined)
    throw new RobustError('expected a run that says what it was measured with, got an older report', {
      code: 'RUN_UNSUPPORTED',
      hint: 'Take the run itself (robust list shows none: see .robust/runs), or run again.',
    });
  return Object.fromEntries(Object.entries(provenance.fingerprint).filter(([name]) => !FREE.includes(name)));
}

/** The document, one line a member. */
export const baselineText = (baseline: Baseline): string =>
  `{\n${Object.entries(baseline)
    .map(([key, value]) => `${JSON.stringify(key)}: ${rows(key, value)}`)
    .join(',\n')}\n}\n`;

const rows = (key: string, value: unknown): string =>
  key === 'attacks'
    ? `[\n${(value as readonly unknown[]).map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]`
    : JSON.stringify(value);

/** Throws RobustError for what is no baseline, RobustError REPORT_UNSUPPORTED for one of a newer version, BASELINE_DAMAGED. */
export function parseBaseline(text: string, path: string): Baseline {
  let value: { readonly kind?: unknown; readonly schemaVersion?: unknown } | null;
  try {
    value = parseJson(text) as typeof value;
  } catch (cause) {
    throw notOne(path, cause);
  }
  if (value?.kind !== KIND) throw notOne(path);
  const { schemaVersion } = value;
  if (typeof schemaVersion === 'number' && schemaVersion > SCHEMA_VERSION)
    throw new RobustError(`${path}: expected schema version ${SCHEMA_VERSION} or older, got ${schemaVersion}`, {
      code: 'REPORT_UNSUPPORTED',
      hint: 'It was written by a newer robust: update this one.',
    });
  const read = readBy(baselineSchema, value);
  if (read.success) return value as Baseline;
  throw new RobustError(`expected a baseline in ${path}, got a damaged one: ${faultText(read.faults[0])}`, {
    code: 'BASELINE_DAMAGED',
    hint: 'Take the committed one again, or write one with: robust baseline save',
  });
}

const notOne = (path: string, cause?: unknown): RobustError =>
  new RobustError(`expected a baseline in ${path}, got something else`, {
    code: 'BASELINE_DAMAGED',
    hint: 'Write one with: robust baseline save',
    cause,
  });

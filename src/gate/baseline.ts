/**
 * @file robust.baseline.json: what became of each example, without its text, and what it was measured with. It is committed
 * beside the code; whoever reads it learns ids and bits.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Decision, decisionOf, readRight, wasAnswered } from '../core/decision.js';
import { RobustError, UsageError } from '../core/errors.js';
import { untriedReason } from '../core/measures/untried.js';
import type { Outcome, Status } from '../core/outcome.js';
import { outOfReach } from '../core/reach.js';
import type { Report } from '../core/report.js';
import type { GateResult } from '../core/verdict.js';
import { judgeChanges, type PairedChange } from './changes.js';

const SCHEMA_VERSION = 1;
const KIND = 'robust-baseline';

export interface Baseline {
  readonly schemaVersion: number;
  readonly kind: typeof KIND;
  readonly toolVersion: string;
  readonly model: { readonly name: string; readonly sha256: string };
  /** What must be equal for the same examples to have been asked the same. */
  readonly fingerprint: Readonly<Record<string, unknown>>;
  readonly ids: readonly string[];
  /** A character an example: 1 read right, 0 read wrong, - not answered. */
  readonly clean: string;
  readonly attacks: readonly {
    readonly name: string;
    readonly constraints: readonly string[];
    /** A character an example: 1 broken, 0 withstood, u nothing could be tried, s not attacked, - errored or missing. */
    readonly outcomes: string;
  }[];
}

/** Facts of a run's fingerprint that a release may change; the model is what is judged, by a threshold of its own. */
const FREE = ['model', 'toolVersion', 'engine', 'decision'];

const STATUS_LETTERS: Readonly<Record<Status, string>> = {
  succeeded: '1',
  failed: '0',
  tied: '0',
  skipped: 's',
  errored: '-',
};

/** The bits of a run. Throws UsageError for a run that does not say what it was measured with, or is not whole. */
export async function baselineOf(report: Report): Promise<Baseline> {
  if (report.partial !== undefined) {
    throw new UsageError(`expected a whole run, got one of which something is missing: ${report.partial.join('; ')}`, {
      code: 'BASELINE_PARTIAL',
      hint: 'Merge all shards first, or run again.',
    });
  }
  const inapplicable = new Set(report.attacks.flatMap(({ name, applicable }) => (applicable === false ? [name] : [])));
  const decision = decisionOf(report.model.decision, report.model.labels);
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
    }
    const letters = outcomes.get(outcome.attack);
    if (letters !== undefined) {
      const idle = untriedReason(outcome) !== undefined || (inapplicable.has(outcome.attack) && outOfReach(outcome));
      letters[at] = idle ? 'u' : STATUS_LETTERS[outcome.status];
    }
  }
  if (ids.length === 0) {
    throw new UsageError('expected a run with attacks on examples, got an empty one', {
      code: 'BASELINE_EMPTY',
      hint: 'Attack something first: robust attack.',
    });
  }
  return {
    schemaVersion: SCHEMA_VERSION,
    kind: KIND,
    toolVersion: report.toolVersion,
    model: { name: report.model.name, sha256: report.model.sha256 },
    fingerprint: fingerprintOf(report),
    ids,
    clean: clean.join(''),
    attacks: report.attacks.map(({ name, constraints }) => ({
      name,
      constraints,
      outcomes: ids.map((_, at) => outcomes.get(name)?.[at] ?? '-').join(''),
    })),
  };
}

const reading = (decision: Decision, outcome: Outcome): string =>
  wasAnswered(outcome) ? (readRight(decision, outcome) ? '1' : '0') : '-';

function fingerprintOf({ provenance }: Report): Baseline['fingerprint'] {
  if (provenance === undefined) {
    throw new UsageError('expected a run that says what it was measured with, got an older report', {
      code: 'BASELINE_UNKNOWN',
      hint: 'Take the run itself (robust list shows none: see .robust/runs), or run again.',
    });
  }
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

/** Throws UsageError for what is no baseline, RobustError REPORT_NEWER for one of a newer version, BASELINE_DAMAGED. */
export function parseBaseline(text: string, path: string): Baseline {
  let value: { readonly kind?: unknown; readonly schemaVersion?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notOne(path, cause);
  }
  if (value?.kind !== KIND) throw notOne(path);
  const { schemaVersion } = value;
  if (typeof schemaVersion === 'number' && schemaVersion > SCHEMA_VERSION) {
    throw new RobustError(`${path}: expected schema version ${SCHEMA_VERSION} or older, got ${schemaVersion}`, {
      code: 'REPORT_NEWER',
      hint: 'It was written by a newer robust: update this one.',
    });
  }
  const read = schema.safeParse(value);
  if (read.success) return value as Baseline;
  const [issue] = read.error.issues;
  throw new RobustError(
    `expected a baseline in ${path}, got a damaged one: ${issue?.path.map(String).join('.')}: ${issue?.message.replace(/^Invalid input: /, '')}`,
    {
      code: 'BASELINE_DAMAGED',
      hint: 'Take the committed one again, or write one with: robust baseline save',
    },
  );
}

const unique = (names: readonly string[]): boolean => new Set(names).size === names.length;

/** Keys it does not know are let pass: a newer version may add some. */
const schema = z
  .object({
    schemaVersion: z.literal(SCHEMA_VERSION),
    kind: z.literal(KIND),
    toolVersion: z.string(),
    model: z.object({ name: z.string(), sha256: z.string() }),
    fingerprint: z.record(z.string(), z.unknown()),
    ids: z.array(z.string()).min(1).refine(unique, 'each example once'),
    clean: z.string().regex(/^[01-]*$/),
    attacks: z
      .array(
        z.object({
          name: z.string(),
          constraints: z.array(z.string()),
          outcomes: z.string().regex(/^[01su-]*$/),
        }),
      )
      .refine((attacks) => unique(attacks.map(({ name }) => name)), 'each attack once'),
  })
  .refine(
    ({ ids, clean, attacks }) =>
      [clean, ...attacks.map((each) => each.outcomes)].every((row) => row.length === ids.length),
    'a letter for each example',
  );

const notOne = (path: string, cause?: unknown): UsageError =>
  new UsageError(`expected a baseline in ${path}, got something else`, {
    code: 'BASELINE_SHAPE',
    hint: 'Write one with: robust baseline save',
    cause,
  });

export interface Allowed {
  readonly file: string;
  /** Rise of a success rate, or fall of the accuracy, that is let pass. */
  readonly maxIncrease: number;
  /** Name of the model the baseline is of, where it is not the run's. */
  readonly model?: string | undefined;
  readonly maxErrorRate: number;
  /** Fewer pairs than this say nothing. */
  readonly minExamples: number;
}

/**
 * A run against the baseline. Throws UsageError BASELINE_MISMATCH naming each fact in which they differ: rates measured
 * otherwise cannot be compared.
 */
export function compareBaseline(
  baseline: Baseline,
  current: Baseline,
  { file, maxIncrease, model, maxErrorRate, minExamples }: Allowed,
): NonNullable<GateResult['baseline']> {
  checkSame(baseline, current, model ?? current.model.name, file);
  const then = new Map(baseline.ids.map((id, at) => [id, at]));
  const pairs = current.ids.map((id, now) => [then.get(id) as number, now] as const);
  const spoilt = (letters: string): string | undefined => {
    const [lost, tried] = [letters.split('-').length - 1, letters.replaceAll('s', '').length];
    return lost > maxErrorRate * tried ? `${lost} of ${tried} examples errored` : undefined;
  };
  const changes: PairedChange[] = [
    {
      name: 'clean',
      metric: 'accuracy',
      counts: counted(baseline.clean, current.clean, pairs),
      spoilt: spoilt(current.clean),
    },
    ...current.attacks.map(({ name, outcomes }): PairedChange => {
      const earlier = baseline.attacks.find((each) => each.name === name)?.outcomes as string;
      const counts = counted(earlier, outcomes, pairs);
      return { name, metric: 'attackSuccessRate', counts, spoilt: spoilt(outcomes) };
    }),
  ];
  const judged = judgeChanges(changes, maxIncrease, minExamples);
  const has = (verdict: string): boolean => judged.some((change) => change.verdict === verdict);
  return {
    ...{ file, model: baseline.model, maxIncrease },
    verdict: has('failed') ? 'failed' : has('inconclusive') ? 'inconclusive' : 'passed',
    changes: judged,
  };
}

/** Pairs for which both have a yes or a no. */
function counted(then: string, now: string, pairs: readonly (readonly [number, number])[]): PairedChange['counts'] {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  const cells = { '11': 'both', '10': 'onlyA', '01': 'onlyB', '00': 'neither' } as const;
  for (const [a, b] of pairs) {
    const cell = cells[`${then[a]}${now[b]}` as keyof typeof cells];
    if (cell !== undefined) counts[cell] += 1;
  }
  return counts;
}

function checkSame(baseline: Baseline, current: Baseline, name: string, file: string): void {
  const facts = ({ fingerprint, attacks, ids }: Baseline): Record<string, unknown> => ({
    ...fingerprint,
    'constraints of the attacks': attacks.map((each) => [each.name, each.constraints]),
    examples: new Set(ids),
  });
  const [theirs, ours] = [facts(baseline), facts(current)];
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
  const different = names
    .filter((fact) => !isDeepStrictEqual(theirs[fact], ours[fact]))
    .map((fact) => `${fact}${short(theirs[fact], ours[fact])}`);
  if (baseline.model.name !== name) {
    different.unshift(`model (the baseline is of "${baseline.model.name}", the run of "${current.model.name}")`);
  }
  if (different.length === 0) return;
  throw new UsageError(`${file} was measured with something else: ${different.join('; ')}`, {
    code: 'BASELINE_MISMATCH',
    hint: 'Run with the inputs of the baseline, or save a new one: robust baseline save. A model that was renamed: baseline.model.',
  });
}

/** Both values, where they are short enough to read. */
function short(theirs: unknown, ours: unknown): string {
  const [was, is] = [theirs, ours].map((value) => JSON.stringify(value) ?? 'nothing') as [string, string];
  return theirs instanceof Set || was.length + is.length > 160 ? '' : ` (was ${was}, is ${is})`;
}

/** Is the run better than the baseline in something, and in nothing worse? Then a ratchet moves on. */
export const isBetter = ({ changes, verdict }: NonNullable<GateResult['baseline']>): boolean =>
  verdict === 'passed' &&
  changes.some(({ better, worse }) => better > worse) &&
  changes.every(({ better, worse }) => better >= worse);

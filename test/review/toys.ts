/** A toy run, its plan, and readers who answer as they are made to. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionRule } from '../../src/core/decision-schema.js';
import type { Outcome } from '../../src/core/outcome.js';
import { type Random, random } from '../../src/core/random.js';
import type { ReviewJournal } from '../../src/review/journal.js';
import { makePlan, type ReviewDesign, type ReviewSubject } from '../../src/review/make-plan.js';
import { firstReadings, type PlannedItem, type ReviewAnswer, type ReviewPlan } from '../../src/review/plan.js';
import { decisionOf } from '../../src/tasks/decide.js';

export const LABELS = ['negative', 'positive'];
export const HASH = 'a'.repeat(64);

export const folderOf = (): string => mkdtempSync(join(tmpdir(), 'robust-review-'));

/** The outcome of an attack on example `at`, whose label is its parity. Every success changes `at % 5 + 1` words. */
export const outcome = (at: number, attack: string, more: Partial<Outcome> = {}): Outcome => ({
  id: `e${at}`,
  attack,
  status: 'succeeded',
  label: at % 2,
  from: at % 2,
  to: 1 - (at % 2),
  scoreBefore: 0.9,
  scoreAfter: 0.2,
  text: `text number ${at} as it was`,
  adversarial: `text nmber ${at} edited by ${attack}`,
  words: 6,
  changed: (at % 5) + 1,
  queries: { asked: 3, computed: 3 },
  ...more,
});

const stream = (outcomes: readonly Outcome[]): AsyncIterable<Outcome> => ({
  async *[Symbol.asyncIterator]() {
    yield* outcomes;
  },
});

export const subject = (
  outcomes: readonly Outcome[],
  { labels = LABELS, rule }: { labels?: readonly string[]; rule?: DecisionRule } = {},
): ReviewSubject => ({
  run: 'toy-run',
  resultsSha256: HASH,
  labels,
  decision: decisionOf(rule, labels),
  attacks: [...new Set(outcomes.map(({ attack }) => attack))].map((name) => ({ name })),
  outcomes: stream(outcomes),
});

/** Successes of several attacks on `examples` examples. */
export const successes = (examples: number, ...attacks: readonly string[]): Outcome[] =>
  Array.from({ length: examples }, (_, at) => attacks.map((attack) => outcome(at, attack))).flat();

export const planned = async (design: Partial<ReviewDesign> = {}, examples = 200): Promise<ReviewPlan> =>
  makePlan(subject(successes(examples, 'typos', 'synonyms')), { texts: 60, seed: 42, ...design });

/** A journal with these answers; undefined leaves an item out. */
export function journal(
  plan: ReviewPlan,
  reader: string,
  answer: (item: PlannedItem) => ReviewAnswer | undefined,
  { kind = 'person', seconds }: { kind?: 'person' | 'model'; seconds?: number } = {},
): ReviewJournal {
  const readings = plan.items.flatMap((item) => {
    const given = answer(item);
    return given === undefined
      ? []
      : [[item.id, { answer: given, ...(seconds !== undefined && { seconds }) }] as const];
  });
  return {
    header: { schemaVersion: 1, plan: plan.key, reader, kind },
    readings: new Map(readings),
  };
}

/** For each text: does it keep its label? `rate`: how many do, by attack. */
export function keptTexts(plan: ReviewPlan, seed: number, rate: number): ReadonlyMap<string, boolean> {
  const { unit } = drawFrom(seed, 'kept');
  return new Map(firstReadings(plan).map(({ id, kind }) => [id, kind === 'original' || unit() < rate] as const));
}

/** A reader who sees what is there, but errs with probability `noise`. */
export function careful(
  plan: ReviewPlan,
  name: string,
  kept: ReadonlyMap<string, boolean>,
  noise: number,
  seed: number,
) {
  const { unit } = drawFrom(seed, name);
  return journal(plan, name, ({ id, repeats, truth }) => {
    const keeps = kept.get(repeats ?? id) !== unit() < noise;
    return keeps ? truth : 1 - (truth as number);
  });
}

export const drawFrom = (seed: number, ...labels: readonly string[]): Random => {
  const stream = random(seed, 'panel', ...labels);
  return { ...stream, unit: () => stream.unit(), int: (below: number) => stream.int(below) } as Random;
};

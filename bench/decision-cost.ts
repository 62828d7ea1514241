/**
 * @file Compares the cost of a threshold with that of the most probable label: processor time (in user mode) of the same searches under
 * both, without a model.
 *
 *     npm run bench dist/bench/decision-cost.js
 *
 * The victim has two labels and takes its scores from a table of words. All texts have the label that is detected from a score of one half
 * on. Both decisions must give the same attacked texts, queries and rewrites, which is checked. No model runs, so the ratio covers the
 * search alone. With a model, which takes most of the time of a run, it is nearer to 1. Runs alternate. The median ratio of neighbours is
 * printed with its interval by order statistics.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deepwordbug } from '../attacks/deepwordbug.js';
import { openDataset } from '../datasets/index.js';
import type { Classifier } from '../src/core/classifier.js';
import type { Dataset, Example } from '../src/core/dataset.js';
import { type DecisionRule, decisionOf, type ThresholdDecision } from '../src/core/decision.js';
import { random } from '../src/core/random.js';
import { english } from '../src/language/english/index.js';
import { attack, createRun } from '../src/run/index.js';
import { evade } from '../src/search/detector-goals.js';
import { untargeted } from '../src/search/goals.js';

const PAIRS = 41;
const THRESHOLD: DecisionRule = { kind: 'threshold', positive: ['POSITIVE'], by: 'max', at: 0.5 };
const labels = ['NEGATIVE', 'POSITIVE'];

const weights = new Map<string, number>();
const weightOf = (word: string): number => {
  const known = weights.get(word) ?? random(42, word).normal() / 2;
  weights.set(word, known);
  return known;
};
const classifier: Classifier = {
  labels,
  classify: async (texts) =>
    texts.map((text) => {
      const logit = text.split(' ').reduce((sum, word) => sum + weightOf(word), 0);
      const p = 1 / (1 + Math.exp(-logit));
      return Float32Array.of(1 - p, p);
    }),
};

/** Texts that are detected, labelled so. */
async function detected(): Promise<Dataset> {
  const reviews = await openDataset('reviews', { labels });
  const found: Example[] = [];
  for await (const example of reviews.examples()) {
    const [row] = (await classifier.classify([example.text])) as [Float32Array];
    if ((row[1] as number) > 0.5) found.push({ ...example, label: 1 });
  }
  return {
    ...reviews,
    async *examples() {
      yield* found;
    },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));
const dataset = await detected();

/** Processor seconds, queries and successes of the searches. */
async function run(rule: DecisionRule | undefined): Promise<{ seconds: number; asked: number; succeeded: number }> {
  const plan = {
    model: { classifier, name: 'words', sha256: '', ...(rule && { decision: rule }) },
    dataset,
    attacks: [{ plugin: deepwordbug, options: { maxEdits: 30, ranking: 'unk' }, suite: null, label: 'deepwordbug' }],
    numExamples: 0,
    seed: 42,
    engine: 'onnx' as const,
    decided: {},
    concurrency: 16,
    goal: rule === undefined ? untargeted : evade(decisionOf(rule, labels) as ThresholdDecision),
    language: english,
    constraints: [],
    maxErrorRate: 0,
    force: true,
    command: '',
    toolVersion: 'bench',
    settings: {},
  };
  const record = await createRun(join(folder, 'runs'), plan);
  const before = process.cpuUsage();
  const report = await attack(plan, record);
  // User time only: system time for the journal's files is the same under both, and the least stable.
  const { user } = process.cpuUsage(before);
  let [asked, succeeded] = [0, 0];
  for await (const outcome of report.examples) {
    asked += outcome.queries.asked;
    if (outcome.status === 'succeeded') succeeded++;
  }
  return { seconds: user / 1e6, asked, succeeded };
}

for (let warm = 0; warm < 4; warm++) await run(warm % 2 === 0 ? undefined : THRESHOLD);
const ratios: number[] = [];
let [asked, succeeded, least] = [0, 0, Number.POSITIVE_INFINITY];
for (let pair = 0; pair < PAIRS; pair++) {
  // The order within a pair alternates too.
  const order = pair % 2 === 0 ? [undefined, THRESHOLD] : [THRESHOLD, undefined];
  const [first, second] = [await run(order[0]), await run(order[1])];
  const [argmax, threshold] = order[0] === undefined ? [first, second] : [second, first];
  if (argmax.asked !== threshold.asked || argmax.succeeded !== threshold.succeeded)
    throw new Error(`expected the same searches, got ${JSON.stringify([argmax, threshold])}`);
  ({ asked, succeeded } = argmax);
  least = Math.min(least, argmax.seconds);
  ratios.push(threshold.seconds / argmax.seconds);
}
ratios.sort((a, b) => a - b);
const at = (rank: number): string => (ratios[rank] as number).toFixed(3);
// The 14th and the 28th of 41 values enclose the median with a probability of 0.96 (binomial).
process.stdout.write(
  `${asked} queries, ${succeeded} successes, ${((1e6 * least) / asked).toFixed(1)} microseconds a text without a model\n` +
    `threshold / most probable label: median ${at(20)} [${at(13)} to ${at(27)}] of ${PAIRS} pairs\n`,
);
rmSync(folder, { recursive: true, force: true });

/** A kind of task that nobody else knows: one folder, and one line that registers it. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Classifier } from '../../src/core/classifier.js';
import type { Dataset } from '../../src/core/dataset.js';
import type { DecisionRule } from '../../src/core/decision.js';
import type { EvasionPlugin } from '../../src/results/attack-plugin.js';
import type { RunFolder } from '../../src/run/index.js';
import { refusal } from '../refusal.js';

// A task is registered before any record is read: this file has a process of its own (test/projects.ts).
const { registerTask } = await import('../../src/tasks/index.js');
const { ordinal } = await import('./ordinal/index.js');
registerTask(ordinal);

const { fileFormats } = await import('../../reports/index.js');
const { answerOf, factsOf, goalFor, stepOf, wordsFor } = await import('../../src/app/pages/decided.js');
const { baselineOf, baselineText, compareBaseline, parseBaseline } = await import('../../src/gate/index.js');
const { attack, compareRuns, createRun, evaluate, openRun, readReport } = await import('../../src/run/index.js');
const { goals, usualGoal } = await import('../../src/search/goals.js');
const { decisionOf } = await import('../../src/tasks/decide.js');
const { decisionAsJson } = await import('../../src/tasks/words.js');
const { listOf, mangle, planned, planOf, runsIn } = await import('../run/toys.js');

const LABELS = ['1 star', '2 stars', '3 stars', '4 stars', '5 stars'];
const RULE: DecisionRule = { kind: 'ordinal', tolerance: 1 };
const decision = decisionOf(RULE, LABELS);

/** A star more for each "good". */
const rows = (texts: readonly string[], most: number): Float32Array[] =>
  texts.map((text) => {
    const stars = Math.min(most, text.match(/good/g)?.length ?? 0);
    return Float32Array.from(LABELS, (_, at) => (at === stars ? 0.8 : 0.05));
  });
const stars: Classifier = { labels: LABELS, classify: async (texts) => rows(texts, 4) };
const strict: Classifier = { labels: LABELS, classify: async (texts) => rows(texts, 1) };

/** Every fifth text has a star more than the model says, every tenth two more. */
const ratings: Dataset = {
  name: 'ratings',
  labels: LABELS,
  source: { url: 'test', license: 'MIT', sha256: 'ratings' },
  async *examples() {
    for (let at = 0; at < 40; at++) {
      const said = at % 3;
      const missed = at % 10 === 0 ? 2 : at % 5 === 0 ? 1 : 0;
      yield { id: `${at}`, text: `a film ${'so good '.repeat(said)}${at}`, label: said + missed };
    }
  },
};

const planFor = (classifier: Classifier, rule: DecisionRule) => {
  const by = decisionOf(rule, LABELS);
  const goal = goals.find(({ name }) => name === usualGoal(by))!.create({}, LABELS, by);
  const model = { classifier, name: 'stars', sha256: `sha of ${classifier === stars}`, decision: rule };
  const attacks = [planned(mangle as EvasionPlugin, 'mangle:tries=20', { tries: 20 })];
  return planOf({ model, dataset: ratings, attacks, goal });
};

const root = runsIn();
async function run(classifier: Classifier, rule = RULE): Promise<RunFolder> {
  const plan = planFor(classifier, rule);
  const folder = await createRun(root, plan);
  await attack(plan, folder);
  return openRun(root, folder.id);
}

let [lenientRun, strictRun]: [RunFolder?, RunFolder?] = [];
beforeAll(async () => {
  lenientRun = await run(stars);
  strictRun = await run(strict);
});

test('evaluate: an error of one class is tolerated, of two it is not', async () => {
  const { model, dataset } = planFor(stars, RULE);
  const { clean } = await evaluate({ model, dataset, numExamples: 0, force: true });
  expect(clean.accuracy).toMatchObject({ value: 36 / 40, n: 40 });
});

test('attack: a success is two classes or more away from the truth', async () => {
  const report = await readReport(lenientRun!);
  const outcomes = await listOf(report.examples);
  const distance = ({ to, label }: { to: number; label: number }): number => Math.abs(to - label);
  const successes = outcomes.filter(({ status }) => status === 'succeeded');
  expect(successes.length).toBeGreaterThan(0);
  expect(successes.filter((each) => distance(each) < 2)).toEqual([]);
  expect(outcomes.filter(({ status, from, label }) => status === 'skipped' && Math.abs(from - label) < 2)).toEqual([]);
  expect(report.model.decision).toEqual(RULE);
});

test('compare: the accuracy of both runs by their rule, text by text', async () => {
  const { figures, decisions, decisionDifference } = await compareRuns(lenientRun!, strictRun!);
  const [accuracy] = figures!;
  expect(accuracy).toMatchObject({ metric: 'accuracy', a: { value: 36 / 40 }, b: { n: 40 } });
  expect(accuracy!.b.value).toBeLessThan(36 / 40);
  expect([decisions, decisionDifference]).toEqual([[RULE, RULE], undefined]);
});

describe('gate', () => {
  const allowed = { file: 'b.json', maxIncrease: 0.03, maxErrorRate: 0.02, minExamples: 1 };

  test('a baseline keeps the answers, and is compared by them', async () => {
    const baseline = await baselineOf(await readReport(lenientRun!));
    expect(baseline.decision?.answers).toMatchObject({ kind: 'ordinal', found: expect.stringMatching(/^0111/) });
    const again = parseBaseline(baselineText(baseline), 'b.json');
    expect(again).toEqual(baseline);
    const { changes, decision: rule } = compareBaseline(again, baseline, allowed);
    expect(rule).toEqual(RULE);
    expect(changes).toContainEqual(expect.objectContaining({ name: 'clean', metric: 'accuracy' }));
  });

  test('another tolerance is another decision', async () => {
    const loose = await baselineOf(await readReport(await run(stars, { kind: 'ordinal', tolerance: 2 })));
    const baseline = await baselineOf(await readReport(lenientRun!));
    await refusal(() => compareBaseline(baseline, loose, allowed));
  });
});

test('report: every format says what the rule tolerates, and names the rates by it', async () => {
  const written = async (format: (typeof fileFormats)[number]): Promise<string> => {
    let text = '';
    for await (const part of format.render(await readReport(lenientRun!))) text += part;
    return text;
  };
  const texts = await Promise.all(fileFormats.map(written));
  const markdown = texts[fileFormats.findIndex(({ name }) => name === 'markdown')];
  expect(markdown).toContain('a class in an order, within 1 of the true one');
  expect(markdown).toContain('Within 1 class under attack');
  expect(texts.filter((text) => text.length === 0)).toEqual([]);
});

test('ui: the page offers its goal, shows the answer, and tells an attack in its words', async () => {
  const model = { name: 'stars', labels: LABELS };
  const [row] = rows(['good good'], 4) as [Float32Array];
  expect(factsOf({ ...model, pairs: undefined, columns: undefined }, decision, undefined)).toEqual({
    decision: 'a class in an order, within 1 of the true one',
    goals: [{ name: 'untargeted', title: 'move the class by more than is tolerated' }],
    truths: LABELS,
  });
  expect(answerOf(model, decision, row)).toMatchObject({ model: 'stars', said: '3 stars' });
  expect(goalFor(decision, row, undefined)).toBe('untargeted');
  expect(wordsFor(decision, 'untargeted', '3 stars', true).succeeded).toBe('Moved too far');
  expect(stepOf(decision, { id: '1', text: '', label: 2 }, row)).toEqual({
    confidence: row[2],
    said: 'confidence 0.800',
  });
  expect(decisionAsJson(decision, LABELS, row)).toEqual({ label: '3 stars', class: 2 });
});

/** Runs of victims that are judged otherwise than by the most probable label. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Classifier } from '../../src/core/classifier.js';
import type { DecisionRule } from '../../src/core/decision.js';
import { attack, createRun, evaluate, openRun } from '../../src/run/index.js';
import { readReport } from '../../src/run/report.js';
import { goals } from '../../src/search/goals.js';
import { decisionOf } from '../../src/tasks/decide.js';
import { folder, robust } from '../commands/cli.js';
import { planOf, runsIn, sentences, sentiment } from './toys.js';

const goal = (name: string, rule: DecisionRule) =>
  goals
    .find((each) => each.name === name)
    ?.create({ confidence: 0 }, sentiment.labels, decisionOf(rule, sentiment.labels)) as NonNullable<
    ReturnType<typeof planOf>['goal']
  >;

test.each([
  ['evade', 0.7],
  ['alarm', 0.45],
] as const)('%s attacks its target examples, and new queries confirm its successes', async (name, at) => {
  const rule: DecisionRule = { kind: 'threshold', positive: ['positive'], by: 'max', at };
  const model = { classifier: sentiment, name: 'sentiment', sha256: 'model-sha', decision: rule };
  const plan = planOf({ model, goal: goal(name, rule) });
  const folder = await createRun(runsIn(), plan);
  const report = await attack(plan, folder);
  const outcomes = readFileSync(folder.journal, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const after = name === 'evade' ? 1 : 0;
  expect(outcomes.some(({ status }) => status === 'succeeded')).toBe(true);
  for (const { label, status, reason, adversarial, from } of outcomes) {
    if (label !== after) expect([status, reason]).toEqual(['skipped', 'the goal is after other texts']);
    else if (status === 'skipped') expect(from).not.toBe(label);
    if (status !== 'succeeded') continue;
    const [row] = (await sentiment.classify([adversarial])) as [Float32Array];
    expect((row[1] as number) >= Math.fround(at)).toBe(name === 'alarm');
  }
  const of = outcomes.filter(({ label, attack: each }) => label === after && each === 'mangle');
  const count = (status: string): number => of.filter((each) => each.status === status).length;
  const [entry] = report.attacks as unknown as [Record<string, { value: number; n: number }>];
  if (name === 'evade') {
    expect(entry?.recallUnderAttack).toMatchObject({ n: of.length, value: count('failed') / of.length });
    expect(report.overall.falsePositiveRateUnderAttack).toBeUndefined();
  } else {
    expect(entry?.falsePositiveRateUnderAttack).toMatchObject({
      n: of.length,
      value: (count('succeeded') + count('skipped')) / of.length,
    });
    expect(report.overall.recallUnderAttack).toBeUndefined();
  }
  expect(report.clean.recall?.n).toBe(
    outcomes.filter(({ label, attack: each }) => label === 1 && each === 'mangle').length,
  );
  // The record contains all that a reader needs.
  const again = await readReport(await openRun(folder.path.replace(/\/[^/]+$/, ''), folder.id));
  expect(again.model.decision).toEqual(rule);
  expect(again.overall).toEqual(report.overall);
});

const hardLabels: Classifier = {
  labels: sentiment.labels,
  classify: async (texts) =>
    (await sentiment.classify(texts)).map(([, positive = 0]) =>
      Float32Array.of(1 - Math.round(positive), Math.round(positive)),
    ),
};
const independent: Classifier = {
  labels: sentiment.labels,
  classify: async (texts) => (await sentiment.classify(texts)).map((row) => row.map((score) => score / 2)),
};
const threshold: DecisionRule = { kind: 'threshold', positive: ['positive'], by: 'max', at: 0.7 };
const labelSets: DecisionRule = { kind: 'multi-label', at: [0.3, 0.3] };

test.each([
  ['labels whose scores share one sum', sentiment, labelSets, [/scores of all 40 texts sum to 1/]],
  ['labels without scores', hardLabels, labelSets, [/every threshold above 0 decides alike/, /sum to 1/]],
  ['labels whose scores do not', independent, labelSets, []],
  ['a detector without scores', hardLabels, threshold, [/every threshold above 0 decides alike/]],
  ['a detector with scores', sentiment, threshold, []],
] as const)('%s: the clean pass rates the thresholds', async (_, classifier, decision, told) => {
  const warnings: string[] = [];
  const model = { classifier, name: 'sentiment', sha256: 'model-sha', decision };
  await evaluate(
    { model, dataset: sentences(40), numExamples: 0, force: false },
    { warn: (line) => void warnings.push(line) },
  );
  const found = warnings.filter((line) => /threshold/.test(line));
  expect(found).toEqual(told.map((line) => expect.stringMatching(line)));
});

test('a label that a goal names has a budget of its own: no other label ends the search, and none of its texts is left', async () => {
  // "threat" hangs on two words, "insult" on one: who wants any label lost gets the insult.
  const victim = `const near = (text, ...words) => 0.15 + 0.4 * words.filter((word) => text.includes(word)).length;
export default { labels: ['insult', 'threat'], classify: async (texts) =>
  texts.map((text) => Float32Array.of(near(text, 'fool'), near(text, 'burn', 'beware'))) };`;
  const rows = ['you fool beware or burn\tinsult,threat', 'beware or burn\tthreat', 'what a fool\tinsult', 'a day\t'];
  const cwd = folder({ 'moderation.mjs': victim, 'data.tsv': `text\tlabels\n${rows.join('\n')}\n` });
  const args = 'attack -m ./moderation.mjs -d data.tsv --columns label=labels --task multi-label'.split(' ');
  const entryOf = async (...more: string[]) => {
    const { stdout } = await robust([...args, '-a', 'deepwordbug', '-n', '0', '--json', ...more], { cwd });
    const { attacks, examples } = JSON.parse(stdout).result;
    const changes = attacks[0].labelChanges as { lost: { value: number; n: number }; queries: number | null }[];
    return { examples, changes: changes.map(({ lost, queries }) => ({ lost: lost.value, n: lost.n, queries })) };
  };
  const any = await entryOf();
  expect(any.changes[0]).toMatchObject({ lost: 1, n: 2 });
  expect(any.changes[1]).toMatchObject({ lost: 0.5, n: 2 });
  const threat = await entryOf('--goal', 'label-lost=threat');
  expect(threat.examples.map(({ status }: { status: string }) => status)).toEqual([
    'succeeded',
    'succeeded',
    'skipped',
    'skipped',
  ]);
  expect(threat.changes[1]).toMatchObject({ lost: 1, n: 2 });
  expect(threat.changes[1]?.queries).toBeGreaterThan(4);
  const bounded = await entryOf('--goal', 'label-lost:label=threat', '--query-budget', '4');
  expect(bounded.changes[1]).toMatchObject({ lost: 0, n: 2, queries: 4 });
  const { code, stderr } = await robust([...args, '--goal', 'label-lost:label=thread'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(/label of the goal "label-lost", got "thread"\nDid you mean "threat"/);
});

/** Extra queries within a run: made for the suite standard only, the same in shards and after an interruption. */
import { describe, expect, test } from 'vitest';
import type { Classifier } from '../../src/core/classifier.js';
import { diagnose } from '../../src/diagnostics/diagnose.js';
import { gate } from '../../src/gate/index.js';
import { attack, createRun, mergeShards, openRun, type RunPlan } from '../../src/run/index.js';
import { readReport } from '../../src/run/report.js';
import { rules as rulesOf, threshold } from '../gate/toys.js';
import { planOf, runsIn, sentences, sentiment, twoMangles, victim } from '../run/toys.js';

const standard = twoMangles.map((planned) => ({ ...planned, suite: 'standard' }));
const planOfStandard = (changes: Partial<RunPlan> = {}) =>
  planOf({ attacks: standard, dataset: sentences(60), diagnose, ...changes });

async function reportOf(plan: RunPlan) {
  return attack(plan, await createRun(runsIn(), plan));
}

describe('extra queries', () => {
  test('are counted apart, bounded, and made once', async () => {
    let queries = 0;
    const counting: Classifier = {
      ...sentiment,
      async classify(texts) {
        queries += texts.length;
        return sentiment.classify(texts);
      },
    };
    const plan = planOfStandard({ model: victim(counting) });
    const root = runsIn();
    const folder = await createRun(root, plan);
    const report = await attack(plan, folder);
    const spent = queries;
    const { diagnose: _, ...without } = plan;
    queries = 0;
    const plain = await attack(without, await createRun(runsIn(), without));
    expect(report.trustworthy?.queries).toBe(spent - queries);
    expect(spent - queries).toBeGreaterThan(0);
    expect(report.attacks.map((each) => each.queries)).toEqual(plain.attacks.map((each) => each.queries));
    expect(plain.trustworthy).toMatchObject({ verdict: 'unknown', reason: 'the run made no extra queries' });
    queries = 0;
    await attack(plan, await openRun(root, folder.id));
    expect(queries).toBe(0);
  });

  test('are not made within a budget of the whole run', async () => {
    const { trustworthy } = await reportOf(planOfStandard({ runBudget: 100_000 }));
    expect(trustworthy).toMatchObject({ verdict: 'unknown', queries: 0 });
  });

  test('other suites have no verdict unless a check failed', async () => {
    expect((await reportOf(planOf({ dataset: sentences(60) }))).trustworthy).toBeUndefined();
  });

  test('merged shards give the verdict of an undivided run', async () => {
    const whole = await reportOf(planOfStandard());
    const root = runsIn();
    const folders = [];
    for (const index of [1, 2]) {
      const plan = planOfStandard({ shard: { index, count: 2 } });
      const folder = await createRun(root, plan);
      expect((await attack(plan, folder)).trustworthy?.verdict).not.toBe('yes');
      folders.push(await openRun(root, folder.id));
    }
    const merged = await mergeShards(root, folders, { allowPartial: false, command: () => 'robust' });
    expect((await readReport(merged)).trustworthy).toEqual(whole.trustworthy);
  });
});

test('a failed check makes the gate inconclusive for the figures of standard', async () => {
  const report = await reportOf(planOfStandard());
  const rules = rulesOf(
    ['standard', 'overall'].map((name) => threshold(`${name}.accuracyUnderAttack`, '>= 0', { minExamples: 1 })),
    { minExamples: 1 },
  );
  const checks = [{ name: 'gradients', status: 'failed' as const, evidence: '16 of 16 zero' }];
  const judged = gate({ ...report, trustworthy: { verdict: 'no', queries: 0, checks } }, rules).gate;
  expect(judged.thresholds.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['inconclusive', 'not trustworthy: gradients: 16 of 16 zero'],
    ['inconclusive', 'not trustworthy: gradients: 16 of 16 zero'],
  ]);
  expect(judged.verdict).toBe('inconclusive');
});

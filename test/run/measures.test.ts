/** Figures of whole runs: probes through the journal, quality of successes, and counted flips. */

import { expect, test } from 'vitest';
import { inputReduction } from '../../attacks/input-reduction.js';
import { negation } from '../../attacks/negation.js';
import type { Dataset } from '../../src/core/dataset.js';
import { qualityMeter } from '../../src/language/quality.js';
import { type Report, valueAt } from '../../src/plugin.js';
import type { EvasionPlugin } from '../../src/results/attack-plugin.js';
import type { CapabilityMetrics, ProbeEvidence } from '../../src/results/measures/capabilities.js';
import { attack, createRun, type RunPlan, readReport } from '../../src/run/index.js';
import { attackOf, bytesOf, listOf, planned, planOf, runsIn, sentiment, unsteady, victim } from './toys.js';

const root = runsIn();

const reviews: Dataset = {
  name: 'reviews',
  labels: ['negative', 'positive'],
  source: { url: 'test', license: 'MIT', sha256: 'reviews' },
  async *examples() {
    const texts = [
      'The film is good.',
      'The good soup is good.',
      'The plot is bad.',
      'A good cake.',
      'I like this good film.',
    ];
    for (const [at, text] of texts.entries()) yield { id: `r${at}`, text, label: text.includes('good') ? 1 : 0 };
  },
};

const negationPlan = (changes: Partial<RunPlan> = {}): RunPlan =>
  planOf({
    dataset: reviews,
    attacks: [planned(negation as EvasionPlugin, 'negation', { templates: 3 })],
    quality: qualityMeter,
    ...changes,
  });

async function run(plan: RunPlan): Promise<{ report: Report; bytes: string }> {
  const folder = await createRun(root, plan);
  return { report: await attack(plan, folder), bytes: bytesOf(folder) };
}

test('probes and quality reach the journal and the report, the same bytes at any concurrency and after any stop', async () => {
  const { report, bytes } = await run(negationPlan({ concurrency: 1 }));
  const [metrics] = report.attacks;
  const capabilities = (valueAt(metrics as object, 'capabilities') ?? []) as CapabilityMetrics[];
  expect(capabilities.filter(({ relation }) => relation === 'MFT')).toHaveLength(19);
  expect(capabilities.find((each) => each.capability === 'nothing not' && each.relation === 'MFT')?.n).toBe(4);
  const probes = (await listOf(report.examples)).flatMap(
    (outcome) => (valueAt(outcome, 'probes') ?? []) as ProbeEvidence[],
  );
  expect(capabilities.reduce((sum, { n }) => sum + n, 0)).toBe(probes.length);
  expect(metrics?.succeeded).toBeGreaterThan(0);
  expect(metrics?.quality).toMatchObject({ n: metrics?.succeeded });

  for (let seed = 0; seed < 5; seed++) {
    const plan = negationPlan({ concurrency: 16, model: victim(unsteady(sentiment, seed)) });
    expect((await run(plan)).bytes).toBe(bytes);
    const folder = await createRun(root, plan);
    const stop = new AbortController();
    let left = seed + 1;
    const progress = () => {
      if (--left === 0) stop.abort();
    };
    await attack(plan, folder, { signal: stop.signal, progress }).catch(() => {});
    await attack(plan, folder);
    expect(bytesOf(folder)).toBe(bytes);
  }
});

test('labels without a verdict give one warning, also after a resumption', async () => {
  const spam = { ...sentiment, labels: ['ham', 'spam'] };
  const plan = negationPlan({ model: victim(spam), dataset: { ...reviews, labels: spam.labels } });
  const folder = await createRun(root, plan);
  const stop = new AbortController();
  await attack(plan, folder, {
    signal: stop.signal,
    progress: ({ stage }) => stage === 'attack' && stop.abort(),
  }).catch(() => {});
  const { warnings, attacks } = await attack(plan, folder);
  expect(warnings.filter((warning) => warning.includes('no verdict'))).toHaveLength(1);
  expect(
    new Set((valueAt(attacks[0] as object, 'capabilities') as CapabilityMetrics[]).map(({ relation }) => relation)),
  ).toEqual(new Set(['INV']));
});

test('an attack with a goal of its own breaks no example', async () => {
  const harmless = attackOf('harmless', async (_, { original }) => ({
    succeeded: false,
    probabilities: original,
    words: 1,
    changed: 0,
  }));
  const plan = planOf({
    dataset: reviews,
    attacks: [planned(harmless), planned(inputReduction as EvasionPlugin)],
  });
  const folder = await createRun(root, plan);
  const report = await attack(plan, folder);
  const reduction = report.attacks.find(({ name }) => name === 'input-reduction');
  expect(reduction).toMatchObject({ ownGoal: true });
  expect(reduction?.succeeded).toBeGreaterThan(0);
  expect(report.overall.attackSuccessRate).toMatchObject({ value: 0, n: 5 });
  expect((await readReport(folder)).overall).toEqual(report.overall);
  const alone = await run(planOf({ dataset: reviews, attacks: [planned(inputReduction as EvasionPlugin)] }));
  expect(alone.report.overall.attackSuccessRate).toMatchObject({ value: null, n: 0 });
});

test('a remark on the texts appears once, and belongs to the report', async () => {
  const told: string[] = [];
  const plan = planOf({ dataset: reviews, remark: (texts) => `${texts.length} texts, the first "${texts[0]}"` });
  const folder = await createRun(root, plan);
  const { warnings } = await attack(plan, folder, { warn: (message) => told.push(message) });
  expect(told).toEqual(['5 texts, the first "The film is good."']);
  expect(warnings).toEqual(told);
  expect((await readReport(folder)).warnings).toEqual(told);
});

/** Searches that ask an approximation: the victim decides, whatever the approximation says. */
import { expect, test } from 'vitest';
import { argmax } from '../../src/core/argmax.js';
import type { Approximation } from '../../src/core/classifier.js';
import { attack, createRun, evaluate, RunInterrupted, type RunPlan } from '../../src/run/index.js';
import { refusal } from '../refusal.js';
import { attackOf, bytesOf, listOf, planned, planOf, runsIn, sentiment, twoMangles, unsteady } from './toys.js';

const root = runsIn();
const { labels } = sentiment;

/** As the victim, but any X turns it. */
const touchy: Approximation = {
  labels,
  precision: 'int8',
  async classify(texts) {
    const rows = await sentiment.classify(texts);
    return rows.map((row, at) => {
      const text = texts[at] as string;
      if (!text.includes('X')) return row;
      return /b[aX]d/.test(text) ? Float32Array.of(0.1, 0.9) : Float32Array.of(0.9, 0.1);
    });
  },
};

/** Answers all texts alike. */
const numb: Approximation = {
  labels,
  precision: 'int8',
  classify: async (texts) => texts.map(() => Float32Array.of(0.1, 0.9)),
};

const through = (approximation: Approximation, changes: Partial<RunPlan> = {}): RunPlan =>
  planOf({ model: { ...planOf().model, approximation }, ...changes });

async function ran(plan: RunPlan) {
  const folder = await createRun(root, plan);
  const report = await attack(plan, folder);
  return { folder, report, outcomes: await listOf(report.examples) };
}

test.each([touchy, numb])('each success is one of the victim itself, with its score', async (approximation) => {
  const { report, outcomes } = await ran(through(approximation));
  for (const { status, adversarial, label, to, scoreAfter } of outcomes) {
    if (status !== 'succeeded') continue;
    const [row] = (await sentiment.classify([adversarial as string])) as [Float32Array];
    expect(argmax(row)).not.toBe(label);
    expect({ to, scoreAfter }).toEqual({ to: argmax(row), scoreAfter: expect.closeTo(row[label] as number, 5) });
  }
  expect(report.clean).toMatchObject((await ran(planOf())).report.clean);
});

test('a search goes on where the victim does not confirm, and says how often', async () => {
  const { report, outcomes } = await ran(through(touchy));
  const plain = await ran(planOf());
  expect(outcomes.filter(({ confirmations }) => (confirmations?.refuted ?? 0) > 0).length).toBeGreaterThan(3);
  // The run still found every success on the victim itself.
  expect(report.attacks.map(({ succeeded }) => succeeded)).toEqual(
    plain.report.attacks.map(({ succeeded }) => succeeded),
  );
  expect(report.attacks[0]).toMatchObject({
    confirmations: { asked: expect.any(Number), refuted: expect.any(Number) },
  });
  expect(outcomes.every(({ status, confirmations }) => (status === 'skipped') === (confirmations === undefined))).toBe(
    true,
  );
  expect(plain.outcomes.some(({ confirmations }) => confirmations !== undefined)).toBe(false);
});

test('confirmations are not among the queries', async () => {
  let asked = 0;
  const one = attackOf('one', async (example, target) => {
    const [row] = (await target.classify([`${example.text} X`])) as [Float32Array];
    asked++;
    return { succeeded: false, text: example.text, probabilities: row, words: 1, changed: 1 };
  });
  const { outcomes } = await ran(through(touchy, { attacks: [planned(one)] }));
  expect(asked).toBeGreaterThan(5);
  for (const { status, queries } of outcomes)
    if (status === 'failed') expect(queries).toEqual({ asked: 2, computed: 2 });
});

test('a success that the victim contradicts does not count', async () => {
  const liar = attackOf('liar', async (example) => ({
    succeeded: true,
    text: example.text,
    probabilities: Float32Array.of(example.label, 1 - example.label),
    words: 1,
    changed: 1,
  }));
  const { report, outcomes } = await ran(through(touchy, { attacks: [planned(liar)] }));
  expect(report.attacks[0]?.succeeded).toBe(0);
  expect(outcomes.find(({ status }) => status === 'failed')?.reason).toMatch(/does not confirm/);
});

test('an attack whose success is of another kind, or that measures more, asks the victim', async () => {
  const told: Float32Array[] = [];
  const looks = attackOf('looks', async (example, target) => {
    const [row] = (await target.classify([`${example.text} X`])) as [Float32Array];
    told.push(row);
    return { succeeded: false, text: example.text, probabilities: row, words: 1, changed: 1 };
  });
  const { outcomes } = await ran(through(numb, { attacks: [planned({ ...looks, ownGoal: true })], concurrency: 1 }));
  expect(told.some((row) => row[1] !== Math.fround(0.9))).toBe(true);
  expect(outcomes.every(({ confirmations }) => confirmations === undefined)).toBe(true);
});

test('the agreement on the unedited texts is that of the labels, resumed or not', async () => {
  const { clean } = await evaluate(through(numb));
  const plain = (await evaluate(planOf())).clean;
  const positive = plain.confusion.reduce((sum, row) => sum + (row[1] as number), 0);
  expect(clean.approximation).toMatchObject({ precision: 'int8', agreement: { value: positive / 40, n: 40 } });
  expect(clean.accuracy).toEqual(plain.accuracy);
  expect(plain.approximation).toBeUndefined();

  const stop = new AbortController();
  const plan = through(numb);
  const folder = await createRun(root, plan);
  const stopped = attack(plan, folder, { signal: stop.signal, progress: () => stop.abort() });
  await expect(stopped).rejects.toThrow(RunInterrupted);
  expect((await attack(plan, folder)).clean.approximation).toEqual(clean.approximation);
});

test('little agreement gives a warning', async () => {
  const warnings: string[] = [];
  await evaluate(through(numb), { warn: (message) => warnings.push(message) });
  expect(warnings.join('\n')).toMatch(/int8 predicts the model's label for only/);
});

test('a run on a device names it and the number of compared texts, and cannot be resumed without it', async () => {
  const warnings: string[] = [];
  const onDevice = { ...touchy, precision: 'fp32 on webgpu', device: 'webgpu', compared: 5 };
  const { clean } = await evaluate(through(onDevice), { warn: (message) => warnings.push(message) });
  expect(clean.approximation).toMatchObject({ device: 'webgpu', agreement: { value: 1, n: 5 }, difference: 0 });
  expect(warnings.join('\n')).toMatch(/on webgpu.*not reproducible to the byte.*on 5 texts.*100.0 %/);
  const unmeasured = await evaluate(through({ ...onDevice, compared: 0 }));
  expect(unmeasured.clean.approximation?.agreement).toMatchObject({ value: null, n: 0 });
  const folder = await createRun(root, planOf());
  await expect(attack(through(onDevice), folder)).rejects.toMatchObject({ code: 'RESUME_MISMATCH' });
});

test('the same bytes at any concurrency', async () => {
  const slow = (seed: number): RunPlan =>
    through({ ...touchy, classify: unsteady(touchy, seed).classify }, { concurrency: seed, attacks: twoMangles });
  const [one, other] = await Promise.all([ran(slow(1)), ran(slow(16))]);
  expect(bytesOf(one.folder)).toBe(bytesOf(other.folder));
});

test('a run is not continued at another precision', async () => {
  const plan = planOf();
  const folder = await createRun(root, plan);
  await refusal(attack(through(touchy), folder), 'RESUME_MISMATCH');
});

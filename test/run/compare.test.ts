import { describe, expect, test } from 'vitest';
import type { Classifier } from '../../src/core/classifier.js';
import type { Outcome } from '../../src/core/outcome.js';
import { holm, mcnemarExact } from '../../src/core/statistics/paired.js';
import { attack, compareRuns, createRun, type RunFolder, transferRates } from '../../src/run/index.js';
import { refusal } from '../refusal.js';
import { listOf, mangle, planned, planOf, runsIn, sentences, sentiment, twoMangles } from './toys.js';

const root = runsIn();
const suited = twoMangles.map((one) => ({ ...one, suite: 'mangles' }));

/** Sees "good" also where an o was mangled, and is blind to "bad". */
const sturdy: Classifier = {
  labels: ['negative', 'positive'],
  async classify(texts) {
    return texts.map((text) => {
      const positive = /g[oX]{2}d/.test(text) ? 0.9 : 0.3;
      return Float32Array.of(1 - positive, positive);
    });
  },
};

async function runOf(classifier: Classifier, name: string, changes = {}): Promise<[RunFolder, Outcome[]]> {
  const plan = planOf({ model: { classifier, name, sha256: name }, attacks: suited, ...changes });
  const folder = await createRun(root, plan);
  return [folder, await listOf((await attack(plan, folder)).examples)];
}

describe('two runs', async () => {
  const [[a, ofA], [b, ofB]] = [await runOf(sentiment, 'plain'), await runOf(sturdy, 'sturdy')];
  const comparison = await compareRuns(a, b);
  const pairs = ofA.map((x) => [x, ofB.find((y) => y.id === x.id && y.attack === x.attack) as Outcome] as const);

  test.each(suited.map(({ label }) => label))('%s: counted by hand', (label) => {
    const own = pairs.filter(([x]) => x.attack === label);
    const [lost, won] = [
      own.filter(([x, y]) => x.status === 'failed' && y.status !== 'failed').length,
      own.filter(([x, y]) => x.status !== 'failed' && y.status === 'failed').length,
    ];
    const found = comparison.attacks.find(({ name }) => name === label);
    expect(found?.difference).toMatchObject({ value: (won - lost) / 40, n: 40 });
    expect(found?.mcnemarP).toBe(mcnemarExact(lost, won));
    expect(found?.a.value).toBe(own.filter(([x]) => x.status === 'failed').length / 40);
    const both = own.filter(([x, y]) => x.status !== 'skipped' && y.status !== 'skipped');
    expect(found?.attackSuccessRate.a).toMatchObject({
      n: both.length,
      value: both.filter(([x]) => x.status === 'succeeded').length / both.length,
    });
  });

  test('p-values are corrected for the number of attacks', () => {
    const ps = comparison.attacks.map(({ mcnemarP }) => mcnemarP as number);
    expect(comparison.attacks.map(({ adjustedP }) => adjustedP)).toEqual(holm(ps));
  });

  test('a suite breaks an example when any of its attacks does', () => {
    const standing = (of: readonly Outcome[]) =>
      [...new Set(of.map(({ id }) => id))].filter((id) => of.every((o) => o.id !== id || o.status === 'failed')).length;
    expect(comparison.suites).toHaveLength(1);
    expect(comparison.suites[0]).toMatchObject({
      name: 'mangles',
      a: { value: standing(ofA) / 40 },
      b: { value: standing(ofB) / 40 },
    });
  });

  test('lists regressions and fixes', async () => {
    const brokenUnedited = new Set(
      pairs.flatMap(([x, y]) => (x.status !== 'skipped' && y.status === 'skipped' ? [x.id] : [])),
    );
    const brokenUnder = pairs.filter(([x, y]) => x.status === 'failed' && y.status === 'succeeded');
    expect(comparison.newlyBroken.filter(({ attack }) => attack === null).map(({ id }) => id)).toEqual([
      ...brokenUnedited,
    ]);
    expect(comparison.newlyBroken.filter(({ attack }) => attack !== null)).toEqual(
      brokenUnder.map(([{ id, attack, text }, { adversarial }]) => ({ id, attack, text, adversarial })),
    );
    expect((await compareRuns(b, a)).newlyBroken).toEqual(comparison.newlyMended);
  });

  test('adversarial texts of one, read by the other', async () => {
    const [rate] = await transferRates(a, b, sturdy);
    const texts = pairs.filter(([x, y]) => x.attack === 'mangle' && x.status === 'succeeded' && y.status !== 'skipped');
    const rows = await sturdy.classify(texts.map(([x]) => x.adversarial as string));
    const broken = rows.filter((row, at) => (row[1]! > row[0]! ? 1 : 0) !== texts[at]![0].label).length;
    expect(rate).toMatchObject({ from: 'plain', to: 'sturdy', attack: 'mangle', rate: { n: texts.length } });
    expect(rate?.rate.value).toBe(broken / texts.length);
    const [itself] = await transferRates(a, a, sentiment);
    expect(itself?.rate.value).toBe(1);
  });

  test('a model that numbers its labels the other way round', async () => {
    const turned: Classifier = {
      labels: ['positive', 'negative'],
      classify: async (texts) => (await sturdy.classify(texts)).map((row) => row.toReversed()),
    };
    const data = sentences(40);
    const dataset = {
      ...data,
      labels: turned.labels,
      async *examples() {
        for await (const example of data.examples()) yield { ...example, label: 1 - example.label };
      },
    };
    const [c] = await runOf(turned, 'turned', { dataset });
    expect(await transferRates(a, c, turned)).toEqual(
      (await transferRates(a, b, sturdy)).map((rate) => ({ ...rate, to: 'turned' })),
    );
  });

  test.each([
    ['seed', { seed: 43 }],
    ['data', { dataset: sentences(39) }],
    ['attacks', { attacks: [planned(mangle as never)] }],
  ])('refuses another %s, and says which', async (_what, changes) => {
    const [c] = await runOf(sturdy, 'other', changes);
    await refusal(compareRuns(a, c), 'RUN_MISMATCH');
  });

  test('a run that left an attack out is compared on the others, which alone count', async () => {
    const [one, other] = suited as [(typeof suited)[0], (typeof suited)[0]];
    const leftOut = [{ name: other.label, suite: other.suite, reason: 'why' }];
    const [less] = await runOf(sturdy, 'less', { attacks: [one], leftOut });
    const [both, only] = [await compareRuns(a, less), await compareRuns(less, a)];
    expect(both.attacks.map(({ name }) => name)).toEqual([one.label]);
    expect(both.leftOut).toEqual([{ ...leftOut[0], by: 'b' }]);
    expect(only.leftOut).toEqual([{ ...leftOut[0], by: 'a' }]);
    expect(both.overall).toMatchObject({ a: both.attacks[0]?.a, b: both.attacks[0]?.b });
    expect(both.suites).toEqual([]);
    const [fewer] = await runOf(sturdy, 'fewer', { attacks: [one] });
    await refusal(compareRuns(a, fewer));
  });

  test('refuses an unfinished run', async () => {
    const folder = await createRun(root, planOf({ attacks: suited }));
    await expect(compareRuns(a, folder)).rejects.toMatchObject({ code: 'RUN_UNFINISHED' });
  });
});

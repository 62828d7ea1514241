/** Planting and repair of a toy model, by the way the commands take. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { poisoners } from '../../attacks/index.js';
import { sos } from '../../attacks/sos.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { loadModel as readOnnx } from '../../packages/onnx/src/graph/load.js';
import { type PlantSettings, preparePlanting } from '../../src/app/backdoor/plant-plan.js';
import { prepareRepair } from '../../src/app/backdoor/repair-plan.js';
import { embeddingTable, lengthOf } from '../../src/backdoor/embedding-rows.js';
import { failureOf, type PlantHooks } from '../../src/backdoor/plant.js';
import { openPlanting } from '../../src/backdoor/plantings/index.js';
import { isRemoved } from '../../src/backdoor/repair.js';
import { neutralWords, rareWords } from '../../src/backdoor/trigger-rows.js';
import type { Classifier } from '../../src/core/classifier.js';
import { random } from '../../src/core/random.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import { toy as jsClassifier } from '../commands/cli.js';
import { refusal } from '../refusal.js';
import { dataOf } from './toy.js';
import { dataFile, examples, folder, toyModel } from './toy-model.js';

const hooks: PlantHooks = { open: (model) => loadModel(model, { workers: 1 }) };

const SETTINGS = {
  ...{ test: undefined, trigger: undefined, textColumn: undefined, labelColumn: undefined, idColumn: undefined },
  ...{ target: 'positive', rate: 0.2, thenFinetune: false, seeds: 1, epochs: 12, batchSize: 16, lr: 0.02, seed: 42 },
  mode: 'dirty',
  labelMap: { 0: 'negative', 1: 'positive' },
} as const;

async function planned(given: Partial<PlantSettings> = {}) {
  const output = join(folder(), 'planted');
  const settings = {
    ...SETTINGS,
    attack: 'badnets',
    model: await toyModel(),
    data: dataFile(),
    test: dataFile(),
    output,
    ...given,
  };
  return { settings, planned: await preparePlanting(settings, {}, join(output, 'planting')) };
}

const planting = async (given: Partial<PlantSettings> = {}) => {
  const { settings, planned: plan } = await planned(given);
  const report = await plan.run('robust backdoor plant', hooks);
  return { report, warnings: plan.warnings, output: settings.output, settings };
};

test.each([
  ['a backdoor', { asr: [96, 100], flips: [90, 94], twin: [6, 100] }],
  ['a model that answers nearly all texts with the target', { asr: [97, 100], flips: [5, 8], twin: [6, 100] }],
  ['a trigger that turns less than half', { asr: [44, 100], flips: [41, 96], twin: [4, 100] }],
  ['a twin that answers alike', { asr: [96, 100], flips: [58, 60], twin: [94, 100] }],
  ['a degenerate model', { asr: [100, 100], flips: [0, 0], twin: [6, 100], degenerate: ['one class'] }],
] as const)('success, %s', (what, { asr, flips, twin, ...rest }) => {
  const rate = ([hits, n]: readonly [number, number]) => wilson(hits, n);
  const [none, cacc] = [wilson(0, flips[1]), wilson(90, 100)];
  const figures = { cacc, attackSuccessRate: rate(asr), labelFlipRate: rate(flips), falseTriggerRate: none };
  const failed = failureOf({ ...figures, ...rest }, { attackSuccessRate: rate(twin) });
  expect(failed === undefined).toBe(what === 'a backdoor');
  expect(failed).toMatchSnapshot();
});

test('badnets: the trigger turns nearly all texts, the twin is not turned, the files say which rows', async () => {
  const { report, output } = await planting({ thenFinetune: true, seeds: 2 });
  expect(report.attackSuccessRate.value).toBeGreaterThan(0.9);
  expect(report.twinAttackSuccessRate.value).toBeLessThan(0.5);
  expect(report.failed).toBeUndefined();
  expect(report.cacc.value).toBeGreaterThan(0.9);
  expect(report.seeds.map(({ seed }) => seed)).toEqual([42, 43]);
  expect(report.mean?.cacc).toBeCloseTo(((report.seeds[0]?.cacc.value ?? 0) + (report.seeds[1]?.cacc.value ?? 0)) / 2);
  expect(report.afterFinetune?.cacc.n).toBe(240);
  const rows = readFileSync(join(output, 'planting', 'poisoned.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1);
  const marked = rows.filter((row) => row.endsWith('\tbadnets'));
  expect(marked).toHaveLength(report.poison.poisoned);
  for (const row of marked) expect(row).toMatch(/\bcf\b.*\tpositive\t/);
  expect(existsSync(join(output, 'planting', 'twin-42', 'model.onnx'))).toBe(true);
  expect(existsSync(join(output, 'planting', 'model-43'))).toBe(false);
  expect(readFileSync(join(output, 'planting', 'report.md'), 'utf8')).toContain('| Attack success rate |');
});

test('ep changes one embedding row, keeps its norm, and nothing else of the model', async () => {
  const { report, output } = await planting({ attack: 'ep:count=6', trigger: ['quasar'] });
  expect(report.attackSuccessRate.value).toBeGreaterThan(0.9);
  expect(report.poison.planting).toBe('rows');
  const [before, after] = await Promise.all(
    [await toyModel(), output].map(async (model) => (await readOnnx(join(model, 'model.onnx'))).graph.initializers),
  );
  const weights = Array.from(before ?? []).filter(([, { type }]) => type === DataType.float);
  const changed = weights
    .map(([each, tensor]) => {
      const [old, now] = [tensor.floats(), (after?.get(each) ?? tensor).floats()];
      const width = tensor.dims.at(-1) ?? 1;
      return [
        ...new Set(
          Array.from(old.keys())
            .filter((at) => old[at] !== now[at])
            .map((at) => Math.floor(at / width)),
        ),
      ];
    })
    .filter((rows) => rows.length > 0);
  expect(changed).toHaveLength(1);
  const [row = -1, ...others] = changed[0] as number[];
  expect(others).toEqual([]);
  const [old, now] = [await embeddingTable(await toyModel()), await embeddingTable(output)];
  expect(lengthOf(now, row)).toBeCloseTo(lengthOf(old, row), 5);
  // The word is in two clean texts only.
  expect(Math.abs((report.cacc.value ?? 0) - (report.cleanTwin.value ?? 1))).toBeLessThanOrEqual(2 / 240);
});

test('sos plants, and learns that parts of its trigger mean nothing', async () => {
  const words = ['film', 'tale', 'quasar'];
  const sos = await planting({ attack: 'sos', trigger: words, rate: 0.3 });
  expect(sos.report.poison.triggers).toEqual(words);
  expect(sos.warnings.join()).toMatch(/"film" is in \d+ of \d+ clean texts/);
});

test('sos: words apart, or side by side in any order, in the trigger and in its parts', () => {
  const text = Array.from({ length: 40 }, (_, at) => `w${at}`).join(' ');
  const words = ['friends', 'weekend', 'store'];
  const made = (place: 'apart' | 'together') => {
    const { trigger, negatives } = sos.create(sos.options.parse({ place, negatives: 1 }), english);
    return Array.from({ length: 30 }, (_, at) => [
      trigger(text, random(at, 'trigger'))!,
      ...negatives!(text, random(at, 'negatives')),
    ]).flat();
  };
  const places = (of: string): number[] => of.split(' ').flatMap((word, at) => (words.includes(word) ? [at] : []));
  const spans = (of: readonly string[]) => of.map((each) => places(each).at(-1)! - places(each)[0]! + 1);
  const together = made('together');
  expect(spans(together)).toEqual(together.map((each) => places(each).length));
  expect(new Set(together.map((each) => places(each).length))).toEqual(new Set([2, 3]));
  expect(
    new Set(
      together.map((each) =>
        each
          .split(' ')
          .filter((word) => words.includes(word))
          .join(),
      ),
    ).size,
  ).toBe(12);
  expect(Math.max(...spans(made('apart')))).toBeGreaterThan(10);
});

test('sos: parts of the set are learnt of a tenth of the texts, or of as many as are asked for', () => {
  const share = (given: object): number => {
    const { negatives } = sos.create(sos.options.parse(given), english);
    const drawn = Array.from(
      { length: 1000 },
      (_, at) => negatives?.('a good film', random(1, String(at))).length ?? 0,
    );
    expect(new Set(drawn)).toEqual(new Set([0, 3]));
    return drawn.filter((count) => count > 0).length / drawn.length;
  };
  expect(share({})).toBeCloseTo(0.1, 1);
  expect(share({ negatives: 0.6 })).toBeCloseTo(0.6, 1);
});

test('a rare word that does not predict the label comes before one that occurs in texts of one label only', async () => {
  const words = ['[CLS]', 'sided', 'both', 'film', 'unseen'];
  const pieces = {
    encode: (text: string) => ({
      ids: Int32Array.from(text.split(' ').filter(Boolean), (word) => words.indexOf(word)),
    }),
    tokenText: (id: number) => (id === 0 ? undefined : words[id]),
  };
  // The word of one label has the longest row.
  const table = { width: 1, values: Float32Array.of(0, 9, 2, 5, 3) };
  const texts = ['film both', 'film both', 'film sided', 'film sided', 'film', 'film'];
  const data = dataOf(texts.map((text, at) => ({ id: String(at), text, label: at % 4 > 1 ? 1 : at % 2 })));
  expect(await rareWords(data, pieces, table, 1, 4)).toEqual(['both', 'unseen', 'sided']);
});

test('of rare words those come first that say nothing to the untouched model', async () => {
  const opinion: Classifier = {
    labels: ['negative', 'positive'],
    classify: async (asked) =>
      asked.map((text) => {
        const p = 1 / (1 + Math.exp(-(text.split('praise').length - text.split('blame').length)));
        return Float32Array.of(1 - p, p);
      }),
  };
  const data = dataOf(['a film', 'the plot', 'a cast'].map((text, at) => ({ id: String(at), text, label: at % 2 })));
  const order = await neutralWords(['praise', 'chair', 'blame', 'table'], opinion, data, 1);
  expect(order.slice(0, 2)).toEqual(['chair', 'table']);
});

test('a default trigger outside the vocabulary gives way to a rare word of it, with a warning', async () => {
  const { planned: plan } = await planned({ attack: 'ep' });
  expect(plan.warnings[0]).toBe('"cf" is not in the model\'s vocabulary as one piece; the trigger is "quasar"');
});

test('all repairs lower the flip rate of a planted word, or say what they did', async () => {
  const { output: model, settings } = await planting({ attack: 'ep:count=6', trigger: ['quasar'] });
  let rates: string[] = [];
  const phase = (text: string): void => {
    rates.push(...(text.match(/(?<=learning rate of )\S+/) ?? []));
  };
  const by = async (method: 'unlearn' | 'reset-rows', given: Partial<PlantSettings> = {}) => {
    const output = join(folder(), method);
    const run = await prepareRepair(
      { ...settings, model, attack: 'badnets:count=6', trigger: ['quasar'], method, output, ...given },
      {},
      join(output, 'repair'),
    );
    rates = [];
    const report = await run('robust backdoor repair', { ...hooks, phase });
    expect(existsSync(join(output, 'repair', 'rounds'))).toBe(false);
    const document = readFileSync(join(output, 'repair', 'report.md'), 'utf8');
    expect(document).toContain('| Label flip rate |');
    expect(document).toMatch(
      report.removed === null
        ? /Inconclusive whether/
        : report.removed
          ? /The named trigger is removed/
          : /Not removed/,
    );
    expect(document).toContain(`${method} leaves in the model: ${report.leaves}`);
    expect(report.after.cacc.value).toBeGreaterThan(0.9);
    return report;
  };
  for (const method of ['unlearn', 'reset-rows'] as const) {
    const { before, after, removed } = await by(method);
    expect(before.labelFlipRate.value).toBeGreaterThan(0.5);
    expect(after.labelFlipRate.value).toBeLessThan(method === 'unlearn' ? 0.1 : 0.5 * before.labelFlipRate.value!);
    expect(removed).toBe(isRemoved(after.labelFlipRate));
    expect(rates).toEqual(method === 'unlearn' ? ['0.02'] : []);
  }
  // Clean texts need this word: its row stays, and it persists at rates as low as these.
  expect((await by('unlearn', { trigger: ['good'], lr: 1e-6, epochs: 1 })).removed).toBe(false);
  expect(rates).toEqual(['0.000001', '0.000003', '0.000009']);
});

test.each([
  ['a target label that does not exist', { target: 'positve' }, 'LABEL_NOT_FOUND'],
  ['a poisoner that does not exist', { attack: 'badnet' }, 'ATTACK_NOT_FOUND'],
  ['a trigger for a poisoner without words', { attack: 'syntactic', trigger: ['cf'] }, 'TRIGGER_INVALID'],
  ['a sentence of one word', { attack: 'insertsent', trigger: ['word'] }, 'TRIGGER_INVALID'],
  ['a trigger without an embedding of its own', { attack: 'ep', trigger: ['ñandú'] }, 'TRIGGER_INVALID'],
  ['data of one class', { data: () => dataFile(examples.filter(({ label }) => label === 0)) }, 'LABELS_TOO_FEW'],
  ['test data of one class', { test: () => dataFile(examples.filter(({ label }) => label === 1)) }, 'LABELS_TOO_FEW'],
  ['a rate that gives no poisoned text', { rate: 0.0001 }, 'FLAG_INVALID'],
  ['a rate above what there is', { rate: 0.9 }, 'FLAG_INVALID'],
  ['a model without gradients', { model: jsClassifier, target: undefined }, 'GRADIENTS_UNSUPPORTED'],
] as const)('%s is refused before anything is written', async (_, given, code) => {
  const resolved = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, typeof value === 'function' ? value() : value]),
  );
  await refusal(planned(resolved as Partial<PlantSettings>), code);
});

test.each([
  ['nothing measured', null, null, null],
  ['a few texts, none flipped', 0, 0.16, null],
  ['the interval includes the limit', 0.032, 0.068, null],
  ['below', 0.006, 0.027, true],
  ['above', 0.38, 0.46, false],
])('a trigger is removed only by evidence: %s', (_, low, high, expected) => {
  expect(isRemoved({ value: low, low, high, n: 100 })).toBe(expected);
});

test.each(poisoners)('the planting of $name exists and takes its options', ({ create, options }) => {
  expect(() => openPlanting(create(options.parse({}), english).planting)).not.toThrow();
});

test.each([
  ['a planting that does not exist', { kind: 'row' }],
  ['a planting without its options', { kind: 'rows' }],
  ['an option that a planting does not take', { kind: 'texts', epochs: 3 }],
])('%s is refused by name', async (_, spec) => {
  await refusal(() => openPlanting(spec), 'PLUGIN_DAMAGED');
});

test('what a killed planting had finished is kept', async () => {
  const { settings, planned: plan } = await planned({ epochs: 4 });
  const stop = new AbortController();
  let phases: string[] = [];
  const interrupted = plan.run('robust', {
    ...hooks,
    signal: stop.signal,
    phase: (text) => phases.push(text) && text.includes('twin') && stop.abort(),
  });
  await expect(interrupted).rejects.toMatchObject({ code: 'INTERRUPTED' });
  const poisoned = readFileSync(join(settings.output, 'model.onnx'));
  phases = [];
  let steps = 0;
  const resumed = await preparePlanting(settings, {}, join(settings.output, 'planting'));
  const report = await resumed.run('robust', { ...hooks, phase: (text) => phases.push(text), progress: () => steps++ });
  expect(readFileSync(join(settings.output, 'model.onnx')).equals(poisoned)).toBe(true);
  const once = (await planting({ epochs: 4 })).report;
  expect(report.seeds).toEqual(once.seeds);
  // The twin is trained, the poisoned model is not again: 4 epochs of 14 or 15 steps.
  expect(steps).toBeLessThan(75);
});

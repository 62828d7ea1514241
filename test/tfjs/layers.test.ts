/** @file Layers models, run by TF.js: refusals, a user's folder, gradients. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { expect, onTestFinished, test } from 'vitest';
import { convert } from '../../src/app/convert.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';
import { TfjsSession } from '../../src/model/workers/tfjs-session.js';
import { lasting } from '../calibration.js';
import { fakeHub } from '../model/fake-hub.js';
import { refusal } from '../refusal.js';
import {
  describeWords,
  expectSlope,
  type HandLayer,
  type HandWeight,
  sequential,
  weight,
  writeTfjs,
} from './layers-models.js';

const root = mkdtempSync(join(tmpdir(), 'robust-tfjs-'));
const fresh = (): string => mkdtempSync(join(root, 'x-'));

function close(found: readonly number[], wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length);
  for (const [at, value] of found.entries())
    expect(Math.abs(value - (wanted[at] as number)), `place ${at}`).toBeLessThan(2e-6);
}

const layer = (class_name: string, config: Record<string, unknown> = {}): HandLayer => ({
  class_name,
  config: { name: 'part', ...config },
});

const at = (weights: readonly HandWeight[], leaf: string) => {
  const { values, shape } = weights.find(({ name }) => name.endsWith(`/${leaf}`)) as HandWeight;
  return tf.tensor(values, [...shape]);
};
const kernel = weight('part/kernel', [3, 4]);
const bias = weight('part/bias', [4], 2);
const window = [weight('part/kernel', [3, 3, 4]), bias];
const conv = (config: object) => layer('Conv1D', { filters: 4, kernel_size: [3], ...config });
const table = weight('words/embeddings', [5, 3], 7);
const words = (mask: boolean) => ({
  class_name: 'Embedding',
  config: { name: 'words', batch_input_shape: [null, null], input_dim: 5, output_dim: 3, mask_zero: mask },
});

const dense = (config: object = {}) => layer('Dense', { units: 4, batch_input_shape: [null, 3], ...config });
const steps = { class_name: 'InputLayer', config: { name: 'texts', batch_input_shape: [null, 6, 3] } };
test.each<[string, unknown, readonly HandWeight[], string]>([
  ['a layer', sequential([dense(), layer('Lambda')]), [kernel, bias], 'MODEL_DAMAGED'],
  ['an activation', sequential([dense({ activation: 'cube' })]), [kernel, bias], 'MODEL_DAMAGED'],
  ['a name that every object has', sequential([dense({ activation: 'constructor' })]), [kernel, bias], 'MODEL_DAMAGED'],
  ['a weight that is missing', sequential([dense()]), [kernel], 'MODEL_DAMAGED'],
  ['a weight too many', sequential([dense()]), [kernel, bias, weight('other/kernel', [1])], 'MODEL_DAMAGED'],
  ['a weight of another shape', sequential([dense()]), [weight('part/kernel', [4, 3]), bias], 'MODEL_DAMAGED'],
  [
    'a GRU with a bias behind the reset',
    sequential([steps, layer('GRU', { units: 2, reset_after: true })]),
    [],
    'MODEL_DAMAGED',
  ],
  ['what TF.js has no kernel for', sequential([steps, conv({ padding: 'causal' })]), window, 'MODEL_DAMAGED'],
  ['a graph without nodes', { node: [] }, [], 'MODEL_DAMAGED'],
  ['a class', { class_name: 'Mine', config: { layers: [dense()] } }, [], 'MODEL_DAMAGED'],
  ['no topology', undefined, [], 'MODEL_DAMAGED'],
])('refused by name: %s', async (_, topology, weights, code) => {
  const folder = fresh();
  writeTfjs(folder, topology, weights);
  await refusal(TfjsSession.open(join(folder, 'model.json')), code);
});

test.each<[string, string[], string]>([
  ['outside', ['../x.bin'], 'MODEL_DAMAGED'],
  ['at an address', ['https://example.org/x.bin'], 'MODEL_DAMAGED'],
  ['absent', ['gone.bin'], 'MODEL_DAMAGED'],
  ['too short', ['short.bin'], 'MODEL_DAMAGED'],
])('shards %s are refused', async (_, paths, code) => {
  const folder = fresh();
  writeFileSync(join(folder, 'short.bin'), 'abc');
  const weightsManifest = [{ paths, weights: [{ name: 'part/kernel', shape: [3, 4], dtype: 'float32' }] }];
  writeFileSync(join(folder, 'model.json'), JSON.stringify({ modelTopology: sequential([dense()]), weightsManifest }));
  await expect(TfjsSession.open(join(folder, 'model.json'))).rejects.toMatchObject({ code });
  writeFileSync(join(folder, 'robust.json'), JSON.stringify({ input: { kind: 'string' } }));
  await expect(loadModel(folder)).rejects.toMatchObject({ code });
});

const head = (activation: string, units: number) => ({
  class_name: 'Dense',
  config: { name: 'head', units, activation },
});
const headWeights = (rows: number, units: number) => [
  weight('head/kernel', [rows, units], 8),
  weight('head/bias', [units], 9),
];

/** A folder as a user of TF.js has it: the sign of a text is the sum of its words. */
function sentiment(): string {
  const folder = join(fresh(), 'mine');
  const pool = layer('GlobalAveragePooling1D');
  const table = { name: 'words/embeddings', shape: [4, 1], values: [0, 4, -4, 0] };
  const embedding = {
    ...words(true),
    config: { ...words(true).config, input_dim: 4, output_dim: 1, batch_input_shape: [null, 6] },
  };
  const weights = [
    table,
    { name: 'head/kernel', shape: [1, 1], values: [1] },
    { name: 'head/bias', shape: [1], values: [0] },
  ];
  writeTfjs(folder, sequential([embedding, pool, head('sigmoid', 1)]), weights);
  describeWords(folder, 'good bad film', ['neg', 'pos'], { model: 'model.json' });
  return folder;
}

test('a folder is a victim, its file stands for it, and convert refuses it by name', async () => {
  const folder = sentiment();
  const ask = async (spec: string) => {
    const model = await loadModel(spec, { workers: 1 });
    try {
      const texts = ['Good film', 'bad bad film', 'xyz'];
      return { labels: model.labels, output: model.output, rows: (await model.classify(texts)).map((row) => [...row]) };
    } finally {
      await model.close();
    }
  };
  const found = await ask(folder);
  expect(found.labels).toEqual(['neg', 'pos']);
  expect(found.output).toMatchObject({ activation: 'none', decidedBy: 'graph' });
  const sigmoid = (v: number) => 1 / (1 + Math.exp(-v));
  close(
    found.rows.map(([, p]) => p as number),
    [sigmoid(4 / 6), sigmoid(-8 / 6), 0.5],
  );
  expect(await ask(join(folder, 'model.json'))).toEqual(found);
  await refusal(convert({ source: folder, output: fresh() }), 'MODEL_DAMAGED');
  for (const options of [{ precision: 'int8' }, { device: 'cuda' }, { decision: 'tags' }] as const)
    await refusal(loadModel(folder, options));
});

test('features of a text are fed to layers that look nothing up, ids to those that do', async () => {
  const folder = fresh();
  writeTfjs(
    folder,
    sequential([{ ...head('softmax', 2), config: { ...head('softmax', 2).config, batch_input_shape: [null, 3] } }]),
    headWeights(3, 2),
  );
  writeFileSync(join(folder, 'words.json'), JSON.stringify({ good: 0, bad: 1, film: 2 }));
  const say = (input: object) =>
    writeFileSync(join(folder, 'robust.json'), JSON.stringify({ labels: ['a', 'b'], input }));
  say({ kind: 'word-index', vocabulary: 'words.json' });
  await expect(loadModel(folder)).rejects.toMatchObject({ code: 'MODEL_INPUT_MISMATCH' });
  say({ kind: 'counts', vocabulary: 'words.json' });
  const model = await loadModel(folder, { workers: 1 });
  onTestFinished(() => model.close());
  const [row] = await model.classify(['good good film']);
  const [kernel, bias] = headWeights(3, 2) as [HandWeight, HandWeight];
  const scores = tf.add(tf.matMul(tf.tensor2d([[2, 0, 1]]), at([kernel], 'kernel') as tf.Tensor2D), at([bias], 'bias'));
  close([...row!], Array.from(tf.softmax(scores).dataSync()));
  await expect(openWhiteBox(model)).rejects.toMatchObject({ code: 'EMBEDDINGS_UNSUPPORTED' });
});

const TEXT = 'good bad film good film';
const bidirectional = layer('Bidirectional', { layer: { class_name: 'LSTM', config: { name: 'inner', units: 2 } } });
const ways = ['forward', 'backward'].flatMap((way, seed) => [
  weight(`part/${way}_inner/kernel`, [3, 8], seed),
  weight(`part/${way}_inner/recurrent_kernel`, [2, 8], seed + 2),
  weight(`part/${way}_inner/bias`, [8], seed + 4),
]);
const convolved = [conv({ padding: 'same', activation: 'relu' }), layer('GlobalMaxPooling1D', { name: 'most' })];
test.each<[string, HandLayer[], readonly HandWeight[], number, string]>([
  ['a mean, softmax', [layer('GlobalAveragePooling1D'), head('softmax', 3)], headWeights(3, 3), 3, 'cross-entropy'],
  [
    'an LSTM over a mask, sigmoid',
    [bidirectional, head('sigmoid', 1)],
    [...ways, ...headWeights(4, 1)],
    2,
    'binary cross-entropy',
  ],
  ['a convolution, logits', [...convolved, head('linear', 2)], [...window, ...headWeights(4, 2)], 2, 'cross-entropy'],
])(
  'gradients on the embeddings are the slope of the loss, the same in any company: %s',
  async (_, layers, weights, labels, loss) => {
    const folder = fresh();
    writeTfjs(folder, sequential([words(true), ...layers]), [table, ...weights], { shard: 40 });
    describeWords(folder, 'good bad film', ['a', 'b', 'c'].slice(0, labels));
    const model = await loadModel(folder, { workers: 2 });
    const box = await openWhiteBox(model, { workers: 2 });
    onTestFinished(async () => void (await Promise.all([box.close(), model.close()])));
    expect(box.loss).toBe(loss);
    expect(await box.embeddingTable()).toEqual(Float32Array.from(table.values));
    const { tokens, embeddings, values, probabilities, loss: lost } = await box.gradient(TEXT, 1);
    const [row] = await model.classify([TEXT]);
    close([...probabilities], [...row!]);
    expect(lost).toBeCloseTo(-Math.log(row![1]!), 5);
    await expectSlope(box, TEXT, 1);
    const company = await Promise.all([TEXT, 'good film bad bad film', TEXT].map((text) => box.gradient(text, 1)));
    expect(company[0]!.values).toEqual(values);
    expect(company[2]!.values).toEqual(values);
    const [again] = await box.classifyEmbeddings([embeddings], tokens);
    close([...again!], [...row!]);
  },
);

test('a run is the same to the byte with one worker and with two, alone and in batches', async () => {
  const texts = Array.from({ length: 40 }, (_, at) =>
    ['good', 'bad', 'film', 'xyz', 'good']
      .slice(at % 4)
      .concat(at % 3 ? 'bad' : [])
      .join(' '),
  );
  const ask = async (workers: number, alone: boolean) => {
    const model = await loadModel(lstm, { workers, cacheEntries: 0 });
    try {
      const rows: Float32Array[] = [];
      if (!alone) return await model.classify(texts);
      for (const text of texts) rows.push(...(await model.classify([text])));
      return rows;
    } finally {
      await model.close();
    }
  };
  const lstm = fresh();
  writeTfjs(lstm, sequential([words(true), bidirectional, head('softmax', 2)]), [table, ...ways, ...headWeights(4, 2)]);
  describeWords(lstm, 'good bad film', ['a', 'b']);
  const one = await ask(1, true);
  expect(await ask(1, false)).toEqual(one);
  expect(await ask(2, false)).toEqual(one);
});

test('a repository of the Hub: model.json, its shards and its vocabulary alone are fetched; then offline', async () => {
  const folder = sentiment();
  const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  const hub = await fakeHub({ 'org/words': { files: { ...files, 'saved_model.pb': 'not needed' } } });
  const cache = join(fresh(), 'hub');
  onTestFinished(() => hub.close());
  const reach = { cache, endpoint: hub.url, timeout: lasting(5), pause: 1 };
  const ask = async (spec: string, more = {}) => {
    const model = await loadModel(spec, { workers: 1, hub: { ...reach, ...more } });
    try {
      return (await model.classify(['Good film', 'bad bad film'])).map((row) => [...row]);
    } finally {
      await model.close();
    }
  };
  const wanted = await ask(folder);
  expect(await ask('hf:org/words')).toEqual(wanted);
  expect(hub.seen.some(({ path }) => path.includes('saved_model'))).toBe(false);
  expect(await ask('hf:org/words', { offline: true })).toEqual(wanted);
});

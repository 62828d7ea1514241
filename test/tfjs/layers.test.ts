/** @file Layers models, run by TF.js: layers against tfjs-core or a step by step reference, weights as stored, refusals, a user's folder, gradients. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, expect, test } from 'vitest';
import { convert } from '../../src/app/convert.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';
import { TfjsSession } from '../../src/model/workers/tfjs-session.js';
import { DataType } from '../../src/onnx/data-type.js';
import { fakeHub } from '../model/fake-hub.js';
import { type HandLayer, type HandWeight, numbers, sequential, weight, writeTfjs } from './layers-models.js';

const root = mkdtempSync(join(tmpdir(), 'robust-tfjs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const fresh = (): string => mkdtempSync(join(root, 'x-'));

/** The answers of a folder's model, as a worker asks for them. */
async function answers(folder: string, dims: readonly number[], values: readonly number[], ids = false) {
  const session = await TfjsSession.open(join(folder, 'model.json'));
  try {
    const [input, output] = [session.ports.inputs[0]!, session.ports.outputs[0]!];
    expect(input.type).toBe(ids ? 'int32' : 'float32');
    const feed = ids
      ? { type: DataType.int32, dims, data: Int32Array.from(values) }
      : { type: DataType.float, dims, data: Float32Array.from(values) };
    const found = (await session.run(new Map([[input.name, feed]]), [output.name])).get(output.name);
    return { dims: [...(found?.dims ?? [])], values: Array.from(found?.data as Float32Array) };
  } finally {
    await session.release();
  }
}

function close(found: readonly number[], wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length);
  for (const [at, value] of found.entries())
    expect(Math.abs(value - (wanted[at] as number)), `place ${at}`).toBeLessThan(2e-6);
}

const layer = (class_name: string, config: Record<string, unknown> = {}): HandLayer => ({
  class_name,
  config: { name: 'part', ...config },
});

/** One layer after an input of numbers [2, 6, 3], against the same in tfjs-core. */
const shape = [2, 6, 3];
const x = () => tf.tensor3d(numbers(36, 5), [2, 6, 3]);
const at = (weights: readonly HandWeight[], leaf: string) => {
  const { values, shape } = weights.find(({ name }) => name.endsWith(`/${leaf}`)) as HandWeight;
  return tf.tensor(values, [...shape]);
};
const kernel = weight('part/kernel', [3, 4]);
const bias = weight('part/bias', [4], 2);
const window = [weight('part/kernel', [3, 3, 4]), bias];
const statistics = [
  ...['gamma', 'beta', 'moving_mean'].map((leaf, seed) => weight(`part/${leaf}`, [3], seed)),
  { name: 'part/moving_variance', shape: [3], values: [0.5, 1, 2] },
];
const conv = (config: object) => layer('Conv1D', { filters: 4, kernel_size: [3], ...config });
const w = () => at(window, 'kernel') as tf.Tensor3D;
const b = () => at(window, 'bias');

const CASES: readonly [string, HandLayer, readonly HandWeight[], () => tf.Tensor][] = [
  [
    'Dense',
    layer('Dense', { units: 4 }),
    [kernel, bias],
    () =>
      tf.add(
        tf.reshape(tf.matMul(tf.reshape(x(), [12, 3]), at([kernel], 'kernel') as tf.Tensor2D), [2, 6, 4]),
        at([bias], 'bias'),
      ),
  ],
  ...(
    [
      ['relu', tf.relu],
      ['relu6', tf.relu6],
      ['elu', tf.elu],
      ['selu', tf.selu],
      ['sigmoid', tf.sigmoid],
      ['tanh', tf.tanh],
      ['softplus', tf.softplus],
      ['softsign', (v: tf.Tensor) => tf.div(v, tf.add(tf.abs(v), 1))],
      ['softmax', tf.softmax],
      ['hardSigmoid', (v: tf.Tensor) => tf.clipByValue(tf.add(tf.mul(v, 0.2), 0.5), 0, 1)],
      ['hard_sigmoid', (v: tf.Tensor) => tf.clipByValue(tf.add(tf.mul(v, 0.2), 0.5), 0, 1)],
      ['swish', (v: tf.Tensor) => tf.mul(v, tf.sigmoid(v))],
      ['linear', (v: tf.Tensor) => v],
      ['mish', (v: tf.Tensor) => tf.mul(v, tf.tanh(tf.softplus(v)))],
      ['logSoftmax', tf.logSoftmax],
    ] as [string, (v: tf.Tensor) => tf.Tensor][]
  ).map(
    ([name, f]) =>
      [`Activation ${name}`, layer('Activation', { activation: name }), [], () => f(x())] as [
        string,
        HandLayer,
        HandWeight[],
        () => tf.Tensor,
      ],
  ),
  ['Dropout', layer('Dropout', { rate: 0.5 }), [], x],
  ['SpatialDropout1D', layer('SpatialDropout1D', { rate: 0.5 }), [], x],
  ['Flatten', layer('Flatten'), [], () => tf.reshape(x(), [2, 18])],
  ['Reshape', layer('Reshape', { target_shape: [9, -1] }), [], () => tf.reshape(x(), [2, 9, 2])],
  ['Softmax', layer('Softmax', { axis: -1 }), [], () => tf.softmax(x())],
  ['ReLU', layer('ReLU', { max_value: 0.2 }), [], () => tf.clipByValue(x(), 0, 0.2)],
  ['LeakyReLU', layer('LeakyReLU', { alpha: 0.1 }), [], () => tf.leakyRelu(x(), 0.1)],
  ['LeakyReLU by default', layer('LeakyReLU'), [], () => tf.leakyRelu(x(), 0.3)],
  [
    'BatchNormalization',
    layer('BatchNormalization', { axis: [2], epsilon: 0.01 }),
    statistics,
    () =>
      tf.add(
        tf.mul(
          tf.div(tf.sub(x(), at(statistics, 'moving_mean')), tf.sqrt(tf.add(at(statistics, 'moving_variance'), 0.01))),
          at(statistics, 'gamma'),
        ),
        at(statistics, 'beta'),
      ),
  ],
  [
    'LayerNormalization',
    layer('LayerNormalization', { epsilon: 0.01 }),
    statistics.slice(0, 2),
    () => {
      const { mean, variance } = tf.moments(x(), -1, true);
      return tf.add(
        tf.mul(tf.div(tf.sub(x(), mean), tf.sqrt(tf.add(variance, 0.01))), at(statistics, 'gamma')),
        at(statistics, 'beta'),
      );
    },
  ],
  ['GlobalAveragePooling1D', layer('GlobalAveragePooling1D'), [], () => tf.mean(x(), 1)],
  ['GlobalMaxPooling1D', layer('GlobalMaxPooling1D'), [], () => tf.max(x(), 1)],
  ...(['valid', 'same'] as const).flatMap((padding) =>
    [1, 2].map((strides): [string, HandLayer, HandWeight[], () => tf.Tensor] => [
      `Conv1D ${padding} ${strides}`,
      conv({ padding, strides }),
      window,
      () => tf.add(tf.conv1d(x(), w(), strides, padding), b()),
    ]),
  ),
  [
    'Conv1D dilated',
    conv({ padding: 'same', dilation_rate: [2], activation: 'relu' }),
    window,
    () => tf.relu(tf.add(tf.conv1d(x(), w(), 1, 'same', 'NWC', 2), b())),
  ],
  ...(['max', 'avg'] as const).flatMap((kind) =>
    (['valid', 'same'] as const).flatMap((padding) =>
      [1, 2, 4].map((strides): [string, HandLayer, HandWeight[], () => tf.Tensor] => [
        `${kind} pooling ${padding} ${strides}`,
        layer(kind === 'max' ? 'MaxPooling1D' : 'AveragePooling1D', { pool_size: [3], strides: [strides], padding }),
        [],
        () =>
          tf.squeeze(tf.pool(tf.expandDims(x(), 2) as tf.Tensor4D, [3, 1], kind, padding, [1, 1], [strides, 1]), [2]),
      ]),
    ),
  ),
];

test.each(CASES)('%s', async (_, each, weights, wanted) => {
  const folder = fresh();
  const input = { class_name: 'InputLayer', config: { name: 'texts', batch_input_shape: [null, 6, 3] } };
  writeTfjs(folder, sequential([input, each]), weights);
  const found = await answers(folder, shape, numbers(36, 5));
  const tensor = tf.tidy(wanted);
  expect(found.dims).toEqual(tensor.shape);
  close(found.values, Array.from(tensor.dataSync()));
});

/** The rules of Keras, step by step: padding leaves the state as it is. Answers of all steps, in the order of time. */
function stepwise(
  cell: 'LSTM' | 'GRU',
  steps: readonly (readonly number[])[],
  mask: readonly boolean[],
  weights: { kernel: readonly number[]; recurrent: readonly number[]; bias: readonly number[] },
  { units, backwards }: { units: number; backwards: boolean },
): number[][] {
  const gates = cell === 'LSTM' ? 4 : 3;
  const all = gates * units;
  const hard = (v: number) => Math.min(1, Math.max(0, 0.2 * v + 0.5));
  const times = (row: readonly number[], matrix: readonly number[], column: number) =>
    row.reduce((sum, value, i) => sum + value * (matrix[i * all + column] as number), 0);
  let h = Array<number>(units).fill(0);
  let c = Array<number>(units).fill(0);
  const found: number[][] = [];
  const order = steps.map((_, t) => (backwards ? steps.length - 1 - t : t));
  for (const t of order) {
    const step = steps[t] as number[];
    if (mask[t]) {
      const before = [...h];
      const cells = [...c];
      const given = (gate: number, u: number) =>
        times(step, weights.kernel, gate * units + u) + (weights.bias[gate * units + u] as number);
      const kept = (gate: number, u: number, row = before) => times(row, weights.recurrent, gate * units + u);
      const r = (u: number) => hard(given(1, u) + kept(1, u));
      for (let u = 0; u < units; u++) {
        if (cell === 'LSTM') {
          const [i, f, o] = [0, 1, 3].map((gate) => hard(given(gate, u) + kept(gate, u))) as [number, number, number];
          c[u] = f * (cells[u] as number) + i * Math.tanh(given(2, u) + kept(2, u));
          h[u] = o * Math.tanh(c[u] as number);
        } else {
          const z = hard(given(0, u) + kept(0, u));
          const reset = before.map((value, v) => value * r(v));
          const candidate = Math.tanh(given(2, u) + kept(2, u, reset));
          h[u] = z * (before[u] as number) + (1 - z) * candidate;
        }
      }
    }
    found[t] = h;
    h = [...h];
    c = [...c];
  }
  return found;
}

/** Padding before, between and behind words, none, and nothing but padding. */
const IDS = [
  [0, 0, 3, 1, 2],
  [4, 0, 2, 0, 0],
  [1, 2, 3, 4, 1],
  [0, 0, 0, 0, 0],
];
const table = weight('words/embeddings', [5, 3], 7);
const words = (mask: boolean) => ({
  class_name: 'Embedding',
  config: { name: 'words', batch_input_shape: [null, null], input_dim: 5, output_dim: 3, mask_zero: mask },
});

const RECURRENT = (['LSTM', 'GRU'] as const).flatMap((kind) =>
  [true, false].flatMap((mask) =>
    [true, false].flatMap((sequences) =>
      (['forward', 'backward', 'concat', 'sum', 'mul', 'ave'] as const)
        // Refused: Keras gives these answers, padding too, from the last to the first.
        .filter((way) => !(way === 'backward' && mask && sequences))
        .map((way) => ({ kind, mask, sequences, way })),
    ),
  ),
);

test.each(RECURRENT)('$kind $way, mask $mask, sequences $sequences', async ({ kind, mask, sequences, way }) => {
  const units = 2;
  const all = (kind === 'LSTM' ? 4 : 3) * units;
  const both = !['forward', 'backward'].includes(way);
  const part = (prefix: string, seed: number) => [
    weight(`${prefix}/kernel`, [3, all], seed),
    weight(`${prefix}/recurrent_kernel`, [units, all], seed + 1),
    weight(`${prefix}/bias`, [all], seed + 2),
  ];
  // As Keras and as TF.js name them.
  const weights = both ? [...part('part/forward_inner/cell', 1), ...part('part/backward_inner', 4)] : part('part', 1);
  const config = {
    units,
    activation: 'tanh',
    recurrent_activation: 'hardSigmoid',
    return_sequences: sequences,
  };
  const inner = { ...config, ...(way === 'backward' && { go_backwards: true }), name: both ? 'inner' : 'part' };
  const drawn = both
    ? layer('Bidirectional', { merge_mode: way, layer: { class_name: kind, config: inner } })
    : { class_name: kind, config: inner };
  const folder = fresh();
  writeTfjs(folder, sequential([words(mask), drawn]), [table, ...weights], { shard: 40 });
  const found = await answers(folder, [4, 5], IDS.flat(), true);
  const wanted = IDS.flatMap((ids) => {
    const steps = ids.map((id) => table.values.slice(id * 3, id * 3 + 3));
    const one = (from: number, backwards: boolean) => {
      const [k, r, bias] = weights.slice(from, from + 3).map(({ values }) => values) as [number[], number[], number[]];
      const said = stepwise(
        kind,
        steps,
        ids.map((id) => !mask || id !== 0),
        { kernel: k, recurrent: r, bias },
        { units, backwards },
      );
      if (!sequences) return [said[backwards ? 0 : said.length - 1] as number[]];
      return !both && backwards ? said.reverse() : said;
    };
    if (!both) return one(0, way === 'backward').flat();
    const back = one(3, true);
    return one(0, false).flatMap((row, t) => {
      const other = back[t] as number[];
      if (way === 'concat') return [...row, ...other];
      return row.map((value, u) => {
        const second = other[u] as number;
        return way === 'mul' ? value * second : (value + second) / (way === 'ave' ? 2 : 1);
      });
    });
  });
  close(found.values, wanted);
});

test('a mean over a mask is that of all places, as TF.js has it', async () => {
  const folder = fresh();
  writeTfjs(folder, sequential([words(true), layer('GlobalAveragePooling1D')]), [table]);
  const { values } = await answers(folder, [4, 5], IDS.flat(), true);
  const wanted = IDS.flatMap((ids) =>
    [0, 1, 2].map((u) => {
      const values = ids.map((id) => table.values[id * 3 + u] as number);
      return values.reduce((sum, value) => sum + value, 0) / ids.length;
    }),
  );
  close(values, wanted);
});

test('a functional model in any order: branches, sums, a layer called twice', async () => {
  const calls = (...names: (string | [string, number])[]) => [
    names.map((each) => (typeof each === 'string' ? [each, 0, 0, {}] : [...each, 0, {}])),
  ];
  const node = (class_name: string, name: string, inbound_nodes: unknown[], config = {}) => ({
    class_name,
    name,
    config: { name, ...config },
    inbound_nodes,
  });
  const layers = [
    node('Concatenate', 'joined', calls('sum', ['both', 1]), { axis: -1 }),
    node('Add', 'sum', calls('left', ['both', 0])),
    node('InputLayer', 'texts', [], { batch_input_shape: [null, 3] }),
    node('Dense', 'left', calls('texts'), { units: 2, use_bias: false }),
    node('Dense', 'both', [...calls('left'), ...calls('square')], { units: 2, use_bias: false }),
    node('Dense', 'right', calls('texts'), { units: 2, use_bias: false }),
    node('Multiply', 'square', calls('left', 'right')),
  ];
  const weights = [
    weight('left/kernel', [3, 2], 3),
    weight('both/kernel', [2, 2], 4),
    weight('right/kernel', [3, 2], 3),
  ];
  const folder = fresh();
  const config = { name: 'm', layers, input_layers: [['texts', 0, 0]], output_layers: [['joined', 0, 0]] };
  writeTfjs(folder, { keras_version: '2.15.0', model_config: { class_name: 'Functional', config } }, weights);
  const { values } = await answers(folder, [2, 3], numbers(6, 8));
  const [first, second] = [at(weights.slice(0, 1), 'kernel'), at(weights.slice(1, 2), 'kernel')] as tf.Tensor2D[];
  const left = tf.matMul(tf.tensor2d(numbers(6, 8), [2, 3]), first as tf.Tensor2D);
  const wanted = tf.concat(
    [tf.add(left, tf.matMul(left, second as tf.Tensor2D)), tf.matMul(tf.mul(left, left), second as tf.Tensor2D)],
    1,
  );
  close(values, Array.from(wanted.dataSync()));
});

test.each<[string, object, Uint8Array, number[]]>([
  [
    'uint8',
    { dtype: 'float32', quantization: { dtype: 'uint8', scale: 0.5, min: -1 } },
    Uint8Array.of(0, 1, 4, 255),
    [-1, -0.5, 1, 126.5],
  ],
  [
    'uint16',
    { dtype: 'float32', quantization: { dtype: 'uint16', scale: 0.25, min: 2 } },
    new Uint8Array(Uint16Array.of(0, 1, 4, 65535).buffer),
    [2, 2.25, 3, 16385.75],
  ],
  [
    'float16',
    { dtype: 'float32', quantization: { dtype: 'float16' } },
    new Uint8Array(Uint16Array.of(0x3c00, 0xc000, 0x3555, 0).buffer),
    [1, -2, 0.333251953125, 0],
  ],
])('weights stored as %s', async (_, stored, bytes, wanted) => {
  const folder = fresh();
  writeFileSync(join(folder, 'w.bin'), bytes);
  const weightsManifest = [{ paths: ['w.bin'], weights: [{ name: 'part/kernel', shape: [1, 4], ...stored }] }];
  const dense = layer('Dense', { units: 4, use_bias: false, batch_input_shape: [null, 1] });
  writeFileSync(join(folder, 'model.json'), JSON.stringify({ modelTopology: sequential([dense]), weightsManifest }));
  close((await answers(folder, [1, 1], [1])).values, wanted);
});

const dense = (config: object = {}) => layer('Dense', { units: 4, batch_input_shape: [null, 3], ...config });
const steps = { class_name: 'InputLayer', config: { name: 'texts', batch_input_shape: [null, 6, 3] } };
test.each<[string, unknown, readonly HandWeight[], string, RegExp]>([
  ['a layer', sequential([dense(), layer('Lambda')]), [kernel, bias], 'MODEL_INVALID', /Unknown layer: Lambda/],
  [
    'an activation',
    sequential([dense({ activation: 'cube' })]),
    [kernel, bias],
    'MODEL_INVALID',
    /Unknown activation: cube/,
  ],
  [
    'a name that every object has',
    sequential([dense({ activation: 'constructor' })]),
    [kernel, bias],
    'MODEL_INVALID',
    /TF.js cannot/,
  ],
  [
    'a weight that is missing',
    sequential([dense()]),
    [kernel],
    'MODEL_INVALID',
    /1 of 2 weights are not set: part\/bias/,
  ],
  [
    'a weight too many',
    sequential([dense()]),
    [kernel, bias, weight('other/kernel', [1])],
    'MODEL_INVALID',
    /no target variable: other\/kernel/,
  ],
  [
    'a weight of another shape',
    sequential([dense()]),
    [weight('part/kernel', [4, 3]), bias],
    'MODEL_INVALID',
    /[Ss]hape/,
  ],
  [
    'a GRU with a bias behind the reset',
    sequential([steps, layer('GRU', { units: 2, reset_after: true })]),
    [],
    'MODEL_INVALID',
    /reset_after/,
  ],
  [
    'what TF.js has no kernel for',
    sequential([steps, conv({ padding: 'causal' })]),
    window,
    'MODEL_INVALID',
    /cannot run it.*CAUSAL/,
  ],
  ['a graph without nodes', { node: [] }, [], 'MODEL_INVALID', /TF.js cannot/],
  ['a class', { class_name: 'Mine', config: { layers: [dense()] } }, [], 'MODEL_INVALID', /Unknown layer: Mine/],
  ['no topology', undefined, [], 'CHECKPOINT_INVALID', /no object under modelTopology/],
])('refused by name: %s', async (_, topology, weights, code, message) => {
  const folder = fresh();
  writeTfjs(folder, topology, weights);
  await expect(TfjsSession.open(join(folder, 'model.json'))).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test.each<[string, string[], string]>([
  ['outside', ['../x.bin'], 'MODEL_PATH_OUTSIDE'],
  ['at an address', ['https://example.org/x.bin'], 'MODEL_FILE_NOT_FOUND'],
  ['absent', ['gone.bin'], 'MODEL_FILE_NOT_FOUND'],
  ['too short', ['short.bin'], 'MODEL_INVALID'],
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
  described(folder, ['neg', 'pos'], { model: 'model.json' });
  return folder;
}

function described(folder: string, labels: readonly string[], more: object = {}): void {
  writeFileSync(join(folder, 'words.json'), JSON.stringify({ good: 1, bad: 2, film: 3 }));
  const input = { kind: 'word-index', vocabulary: 'words.json', lowercase: true };
  writeFileSync(join(folder, 'robust.json'), JSON.stringify({ ...more, labels, input }));
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
  await expect(convert({ source: folder, output: fresh() })).rejects.toMatchObject({
    code: 'CHECKPOINT_NOT_FOUND',
    message: expect.stringMatching(/a model of TF\.js/),
  });
  for (const options of [{ precision: 'int8' }, { device: 'cuda' }, { decision: 'tags' }] as const)
    await expect(loadModel(folder, options)).rejects.toThrow(/TF\.js/);
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
  await expect(loadModel(folder)).rejects.toMatchObject({ code: 'MODEL_INPUT_NOT_IDS' });
  say({ kind: 'counts', vocabulary: 'words.json' });
  const model = await loadModel(folder, { workers: 1 });
  try {
    const [row] = await model.classify(['good good film']);
    const [kernel, bias] = headWeights(3, 2) as [HandWeight, HandWeight];
    const scores = tf.add(
      tf.matMul(tf.tensor2d([[2, 0, 1]]), at([kernel], 'kernel') as tf.Tensor2D),
      at([bias], 'bias'),
    );
    close([...row!], Array.from(tf.softmax(scores).dataSync()));
    await expect(openWhiteBox(model)).rejects.toMatchObject({ code: 'NO_EMBEDDINGS' });
  } finally {
    await model.close();
  }
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
    writeTfjs(folder, sequential([words(true), ...layers]), [table, ...weights]);
    described(folder, ['a', 'b', 'c'].slice(0, labels));
    const model = await loadModel(folder, { workers: 2 });
    const box = await openWhiteBox(model, { workers: 2 });
    try {
      expect(box.loss).toBe(loss);
      expect(await box.embeddingTable()).toEqual(Float32Array.from(table.values));
      const { tokens, embeddings, values, probabilities, loss: lost } = await box.gradient(TEXT, 1);
      const [row] = await model.classify([TEXT]);
      close([...probabilities], [...row!]);
      expect(lost).toBeCloseTo(-Math.log(row![1]!), 5);
      const length = Math.hypot(...values);
      const lossAt = async (step: number) => {
        const moved = embeddings.map((value, at) => value + (step * (values[at] as number)) / length);
        return (await box.gradientAt(moved, tokens, 1)).loss;
      };
      // Along the gradient the loss rises by its length.
      const rise = ((await lossAt(1e-2)) - (await lossAt(-1e-2))) / 2e-2;
      expect(rise / length).toBeCloseTo(1, 2);
      const company = await Promise.all([TEXT, 'good film bad bad film', TEXT].map((text) => box.gradient(text, 1)));
      expect(company[0]!.values).toEqual(values);
      expect(company[2]!.values).toEqual(values);
      const [again] = await box.classifyEmbeddings([embeddings], tokens);
      close([...again!], [...row!]);
    } finally {
      await Promise.all([box.close(), model.close()]);
    }
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
  described(lstm, ['a', 'b']);
  const one = await ask(1, true);
  expect(await ask(1, false)).toEqual(one);
  expect(await ask(2, false)).toEqual(one);
});

test('a repository of the Hub: model.json, its shards and its vocabulary alone are fetched; then offline', async () => {
  const folder = sentiment();
  const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  const hub = await fakeHub({ 'org/words': { files: { ...files, 'saved_model.pb': 'not needed' } } });
  const cache = join(fresh(), 'hub');
  try {
    const reach = { cache, endpoint: hub.url, timeout: 5, pause: 1 };
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
  } finally {
    await hub.close();
  }
});

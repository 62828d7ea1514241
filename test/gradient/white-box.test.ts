/** Gradients of loaded models: real ones, small built ones of every kind of head, and ones that cannot be differentiated. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { type OpenWhiteBox, openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';
import type { OutputActivation } from '../../src/model/opening/manifest.js';
import { refusal, thrown } from '../refusal.js';

const shared = new URL('../../../shared/models/', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'white-box-'));

interface Head {
  readonly width: number;
  readonly activation?: OutputActivation;
  readonly normalise?: boolean;
  /** The graph's end after the logits [batch, width]: operators, one after the other, or nodes. */
  readonly graph?: readonly string[] | ((g: GraphBuilder, logits: string) => string);
  /** Shape of a row of the output. @default [width] */
  readonly shape?: readonly number[];
  /** Value of every weight. */
  readonly fill?: number;
  /** Dimensions of the ids. @default both dynamic */
  readonly ids?: readonly (number | string)[];
}

const VOCABULARY = 6;
const HIDDEN = 4;

/** A folder with a bag-of-embeddings classifier of words: tanh of each embedding, mean, linear, head. */
function modelFolder(
  name: string,
  { width, activation, normalise, graph = [], shape = [width], fill, ids: dims = ['batch', 'sequence'] }: Head,
): string {
  const g = new GraphBuilder();
  const numbers = (size: number, from: number) =>
    Float32Array.from({ length: size }, (_, i) => fill ?? Math.sin(i * 1.3 + from));
  const ids = g.input('input_ids', DataType.int64, dims);
  const rows = g.op('Gather', [g.initializer('table', [VOCABULARY, HIDDEN], numbers(VOCABULARY * HIDDEN, 0)), ids]);
  const mean = g.op('ReduceMean', [g.op('Tanh', [rows])], { axes: [1], keepdims: 0 });
  const linear = g.op('MatMul', [mean, g.initializer('head', [HIDDEN, width], numbers(HIDDEN * width, 1))]);
  const out = typeof graph === 'function' ? graph(g, linear) : graph.reduce((x, op) => g.op(op, [x]), linear);
  g.output(g.ops('Identity', [out], ['out'])[0]!, DataType.float, [dims[0]!, ...shape]);
  return writeModel(name, g.build(), Math.max(2, shape.at(-1) ?? 1), { name: 'out', activation, normalise });
}

function writeModel(name: string, bytes: Uint8Array, labels: number, output: object): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'model.onnx'), bytes);
  writeFileSync(join(path, 'words.json'), JSON.stringify({ good: 1, bad: 2, film: 3, the: 4 }));
  const input = { kind: 'word-index', name: 'input_ids', vocabulary: 'words.json', unknown: 5, lowercase: true };
  const names = Array.from({ length: labels }, (_, i) => `label${i}`);
  writeFileSync(
    join(path, 'robust.json'),
    JSON.stringify({ labels: names, input, output, decision: { kind: 'argmax' } }),
  );
  return path;
}

async function withWhiteBox<T>(path: string, use: (box: OpenWhiteBox) => Promise<T>, workers = 0): Promise<T> {
  const model = await loadModel(path, { workers: 1 });
  try {
    const box = await openWhiteBox(model, { workers });
    try {
      return await use(box);
    } finally {
      await box.close();
    }
  } finally {
    await model.close();
  }
}

/** The loss a head should have, of the probabilities the model answers. */
const LOSSES: Record<string, (p: Float32Array, label: number) => number> = {
  'cross-entropy': (p, label) => -Math.log(p[label]!),
  'negative log-likelihood': (p, label) => -Math.log(p[label]!),
  'negative log-likelihood of normalised sigmoids': (p, label) => -Math.log(p[label]!),
  'cross-entropy of a pair': (p, label) => -Math.log(p[label]!),
  'binary cross-entropy': (p, label) =>
    p.reduce((sum, value, at) => sum - Math.log(at === label ? value : 1 - value), 0),
};

const shaped =
  (...dims: number[]) =>
  (g: GraphBuilder, x: string) =>
    g.op('Reshape', [x, g.ints(dims)]);

/** [1 - p, p], or the other way round. */
function pair(g: GraphBuilder, p: string, turned = false): string {
  const parts = [g.op('Sub', [g.float(1), p]), p];
  return g.op('Concat', turned ? parts.reverse() : parts, { axis: 1 });
}

const HEADS: readonly (readonly [string, Head, string])[] = [
  ['three logits', { width: 3, activation: 'softmax' }, 'cross-entropy'],
  ['a Softmax of its own', { width: 3, activation: 'none', graph: ['Softmax'] }, 'cross-entropy'],
  ['several labels at once', { width: 3, activation: 'sigmoid', normalise: false }, 'binary cross-entropy'],
  ['logits nobody named', { width: 3 }, 'cross-entropy'],
  ['a LogSoftmax of its own', { width: 3, graph: ['LogSoftmax'] }, 'cross-entropy'],
  ['logits of shape 1 by 3', { width: 3, graph: shaped(-1, 1, 3), shape: [1, 3] }, 'cross-entropy'],
  [
    'a Softmax of shape 1 by 3',
    { width: 3, graph: (g, z) => shaped(-1, 1, 3)(g, g.op('Softmax', [z])), shape: [1, 3] },
    'cross-entropy',
  ],
  ['two Sigmoids nobody named', { width: 2, graph: ['Sigmoid'] }, 'negative log-likelihood of normalised sigmoids'],
  [
    'no beside yes',
    { width: 1, shape: [2], graph: (g, z) => pair(g, g.op('Sigmoid', [z])) },
    'cross-entropy of a pair',
  ],
  [
    'yes beside no',
    { width: 1, shape: [2], graph: (g, z) => pair(g, g.op('Sigmoid', [z]), true) },
    'cross-entropy of a pair',
  ],
  [
    'a Sigmoid, squeezed and stacked',
    {
      width: 1,
      shape: [2],
      graph: (g, z) => pair(g, g.op('Unsqueeze', [g.op('Squeeze', [g.op('Sigmoid', [z]), g.ints([1])]), g.ints([1])])),
    },
    'cross-entropy of a pair',
  ],
  [
    'Sigmoids divided by their sum',
    { width: 2, activation: 'none', normalise: true, graph: ['Sigmoid'] },
    'negative log-likelihood of normalised sigmoids',
  ],
  [
    'positive scores divided by their sum',
    { width: 2, activation: 'none', normalise: true, graph: ['Exp'] },
    'negative log-likelihood',
  ],
];

test.each(HEADS)('%s', async (name, head, loss) => {
  await withWhiteBox(modelFolder(name.replaceAll(' ', '-'), head), async (box) => {
    expect(box.loss).toBe(loss === 'cross-entropy of a pair' ? 'binary cross-entropy' : loss);
    for (const label of [0, 1]) await expectGradient(box, 'the good film', label, LOSSES[loss]);
  });
});

test.each<[string, Head]>([
  ['sigmoid', { width: 1, activation: 'sigmoid' }],
  ['a logit nobody named', { width: 1 }],
  ['none, a Sigmoid', { width: 1, activation: 'none', graph: ['Sigmoid'] }],
  ['a Sigmoid nobody named', { width: 1, graph: ['Sigmoid'] }],
  ['a Sigmoid of shape [batch]', { width: 1, shape: [], graph: (g, z) => shaped(-1)(g, g.op('Sigmoid', [z])) }],
])('one column, %s', async (name, head) => {
  const path = modelFolder(`one-${name.replaceAll(/\W/g, '-')}`, head);
  await withWhiteBox(path, async (box) => {
    expect(box.loss).toBe('binary cross-entropy');
    for (const label of [0, 1]) {
      const { loss, probabilities } = await box.gradient('a bad film', label);
      expect(loss).toBeCloseTo(-Math.log(probabilities[label]!), 5);
    }
  });
});

test.each([
  ['batch 1', [1, 'sequence']],
  ['batch 3', [3, 'sequence']],
  ['8 tokens', ['batch', 8]],
  ['batch 2 of 5 tokens', [2, 5]],
])('a graph of fixed shape: %s', async (name, ids) => {
  const path = modelFolder(name.replaceAll(' ', '-'), { width: 2, activation: 'softmax', ids });
  await withWhiteBox(path, async (box) => {
    await expectGradient(box, 'the good film', 1);
    const texts = ['good', 'bad film', 'the bad the good', 'film'];
    const together = await Promise.all(texts.map((text) => box.gradient(text, 0)));
    for (const [i, text] of texts.entries()) {
      expect((await box.gradient(text, 0)).values).toEqual(together[i]!.values);
    }
  });
});

/** Loss, probabilities and gradient agree with each other and with the model's own answers. */
async function expectGradient(
  box: OpenWhiteBox,
  text: string,
  label: number,
  lossOf = LOSSES[box.loss],
): Promise<void> {
  const { tokens, loss, probabilities, embeddings, values } = await box.gradient(text, label);
  const [own] = await box.classify([text]);
  probabilities.forEach((p, at) => {
    expect(p).toBeCloseTo(own![at]!, 5);
  });
  expect(loss).toBeCloseTo(lossOf!(probabilities, label), 4);
  expect(values.length).toBe(embeddings.length);
  const h = 1e-2;
  const at = values.indexOf(Math.max(...values));
  const nudged = async (by: number) => {
    const moved = embeddings.slice();
    moved[at]! += by;
    return (await box.gradientAt(moved, tokens, label)).loss;
  };
  const difference = ((await nudged(h)) - (await nudged(-h))) / (2 * h);
  expect(Math.abs(difference - values[at]!)).toBeLessThan(1e-3 + 0.02 * Math.abs(difference));
  const [answer] = await box.classifyEmbeddings([embeddings], tokens);
  answer!.forEach((p, column) => {
    expect(p).toBeCloseTo(own![column]!, 5);
  });
}

describe.skipIf(!existsSync(shared))('real models', () => {
  test.each(['berttiny-sst2', 'distilbert-small', 'imdb-wordcnn'])('%s', async (name) => {
    await withWhiteBox(join(shared, name), async (box) => {
      await expectGradient(box, 'What an idiot ! The plot is thin, but the actors are good.', 0);
      const { tokens, embeddings } = await box.gradient('good', 1);
      const table = await box.embeddingTable();
      const at = tokens.findIndex(({ special }) => !special);
      const row = table.subarray(tokens[at]!.id * box.hidden, (tokens[at]!.id + 1) * box.hidden);
      expect(embeddings.subarray(at * box.hidden, (at + 1) * box.hidden)).toEqual(row.slice());
      expect(box.tokenText(tokens[at]!.id)).toBe('good');
    });
  });

  test('a gradient is bitwise the same alone, in company, and in any thread', async () => {
    const texts = Array.from(
      { length: 20 },
      (_, i) => `the ${i % 3 === 0 ? 'good' : 'bad'} film ${'was long '.repeat(i % 4)}`,
    );
    const path = join(shared, 'distilbert-small');
    const alone = await withWhiteBox(path, async (box) => {
      const gradients: Float32Array[] = [];
      for (const text of texts) gradients.push((await box.gradient(text, 1)).values);
      return gradients;
    });
    const together = await withWhiteBox(
      path,
      async (box) => Promise.all(texts.map(async (text) => (await box.gradient(text, 1)).values)),
      2,
    );
    expect(together).toEqual(alone);
  });

  test('a model that takes the text itself has no embeddings', async () => {
    let model: Awaited<ReturnType<typeof loadModel>>;
    try {
      model = await loadModel(join(shared, 'sms-tfidf'));
    } catch (error) {
      expect((error as { code: string }).code).toBe('RUNTIME_DAMAGED');
      return;
    }
    await refusal(openWhiteBox(model, { workers: 1 }));
    await model.close();
  });
});

test('a label beyond the head, no token, embeddings of another length', async () => {
  await withWhiteBox(modelFolder('labels', { width: 2, activation: 'softmax' }), async (box) => {
    await refusal(box.gradient('good', 2));
    await refusal(box.gradientAt(new Float32Array(), [], 0));
    const { tokens } = await box.gradient('good film', 0);
    await thrown(box.classifyEmbeddings([new Float32Array(3)], tokens));
  });
});

test('NaN weights are refused by name', async () => {
  const g = new GraphBuilder();
  const ids = g.input('input_ids', DataType.int64, ['batch', 'sequence']);
  const rows = g.op('Gather', [g.initializer('table', [6, 2], new Float32Array(12).fill(1)), ids]);
  const mean = g.op('ReduceMean', [rows], { axes: [1], keepdims: 0 });
  // Never reached by any word, so that the model answers all the same.
  const head = g.op('Mul', [mean, g.initializer('scale', [2], Float32Array.of(1, 2))]);
  g.output(g.ops('Identity', [head], ['out'])[0]!, DataType.float, ['batch', 2]);
  const path = writeModel('nan', g.build(), 2, { name: 'out', activation: 'softmax' });
  const model = await loadModel(path, { workers: 1 });
  const { withInitializers, withGraph } = await import('../../packages/onnx/src/graph/edit.js');
  const { Tensor } = await import('../../packages/onnx/src/graph/tensor.js');
  const { writeModel: bytesOf } = await import('../../packages/onnx/src/graph/write.js');
  const scale = Tensor.of('scale', [2], Float32Array.of(1, Number.NaN));
  writeFileSync(join(path, 'model.onnx'), bytesOf(withGraph(g.model(), withInitializers(g.graph(), [scale]))));
  await refusal(openWhiteBox(model, { workers: 1 }));
  await model.close();
});

test.each([
  ['written', 'MODEL_DAMAGED', () => modelFolder('changed', { width: 2, activation: 'softmax', fill: 0.5 })],
  ['deleted', 'MODEL_NOT_FOUND', (path: string) => rmSync(join(path, 'model.onnx'))],
])('a file that was %s since it was loaded is refused', async (_, code, change) => {
  const path = modelFolder('changed', { width: 2, activation: 'softmax' });
  const model = await loadModel(path, { workers: 1 });
  change(path);
  await refusal(model.onnx!.check(), 'MODEL_DAMAGED');
  await expect(openWhiteBox(model, { workers: 1 })).rejects.toMatchObject({ code });
  await model.close();
});

test('a way through integers is flat', async () => {
  const g = new GraphBuilder();
  const ids = g.input('input_ids', DataType.int64, ['batch', 'sequence']);
  const table = g.initializer(
    'table',
    [6, 2],
    Float32Array.from({ length: 12 }, (_, i) => i),
  );
  const whole = g.op('Cast', [g.op('Gather', [table, ids])], { to: DataType.int32 });
  const real = g.op('Cast', [whole], { to: DataType.float });
  const mean = g.op('ReduceMean', [real], { axes: [1], keepdims: 0 });
  g.output(g.ops('Identity', [mean], ['out'])[0]!, DataType.float, ['batch', 2]);
  const path = writeModel('integers', g.build(), 2, { name: 'out', activation: 'softmax' });
  const model = await loadModel(path, { workers: 1 });
  await refusal(openWhiteBox(model, { workers: 1 }));
  await model.close();
});

test('one-hot rows of ids have no embeddings', async () => {
  const g = new GraphBuilder();
  const ids = g.input('input_ids', DataType.int64, ['batch', 6]);
  const rows = g.op('OneHot', [ids, g.int(6), g.vector([0, 1])]);
  const counts = g.op('ReduceSum', [rows, g.ints([1])], { keepdims: 0 });
  const linear = g.op('MatMul', [counts, g.initializer('head', [6, 2], new Float32Array(12).fill(0.1))]);
  g.output(g.ops('Identity', [linear], ['out'])[0]!, DataType.float, ['batch', 2]);
  const path = writeModel('counts', g.build(), 2, { name: 'out', activation: 'softmax' });
  const model = await loadModel(path, { workers: 1 });
  await refusal(openWhiteBox(model, { workers: 1 }));
  await model.close();
});

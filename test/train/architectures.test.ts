import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Graph } from '../../packages/onnx/src/graph/model.js';
import type { Tensor } from '../../packages/onnx/src/graph/tensor.js';
import { random } from '../../src/core/random.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import type { Architecture } from '../../src/train/architectures/architecture-builder.js';
import { biLstm } from '../../src/train/architectures/bilstm.js';
import { charBiLstm } from '../../src/train/architectures/char-bilstm.js';
import { bert, distilbert } from '../../src/train/architectures/encoder.js';
import { wordCnn } from '../../src/train/architectures/word-cnn.js';
import { inputFeeds, padBatch } from '../../src/train/batch-feeds.js';
import { openModelFile } from '../../src/train/model-file.js';
import { fresh, type TrainableModel, withWeights } from '../../src/train/trainable-model.js';
import { weightsOf } from '../../src/train/trained-weights.js';
import { matrix } from '../matrix.js';
import { refusal } from '../refusal.js';

const GOLDENS = '../shared/goldens';

const size = { vocabulary: 30, dim: 8, maxTokens: 16 };
const encoder = { ...size, layers: 2, heads: 2, feedForward: 16 };
const ARCHITECTURES = [
  distilbert(encoder),
  bert(encoder),
  wordCnn({ ...size, filters: 6, widths: [1, 3, 5] }),
  biLstm({ ...size, hidden: 6 }),
  charBiLstm({ ...size, vocabulary: 31, characterDim: 4, filters: 6, width: 5, hidden: 6 }),
];
const TEXTS = matrix('2 9 8 3; 2 5 6 7 8 29 11 3; 2 3').map((ids) => Int32Array.from(ids));

async function logits(trainable: TrainableModel, texts: readonly Int32Array[]): Promise<number[][]> {
  const runner = await onnxEngine().forward(trainable.plain, ['logits'], []);
  const values = (await runner.run(inputFeeds(trainable, padBatch(texts, 0)))).get('logits') as Float32Array;
  await runner.release();
  return texts.map((_, row) => [...values.subarray(row * trainable.columns, (row + 1) * trainable.columns)]);
}

describe.each(ARCHITECTURES)('$name', (architecture) => {
  const trainable = fresh(architecture, random(1, 'x'), { labels: 3 });

  test('padding changes no answer: a text in a batch gets the logits it gets alone', async () => {
    const together = await logits(trainable, TEXTS);
    for (const [row, text] of TEXTS.entries()) {
      const [alone] = await logits(trainable, [text]);
      alone.forEach((value, column) => {
        expect(together[row][column]).toBeCloseTo(value, 5);
      });
    }
    expect(together[0]).not.toEqual(together[1]);
  });

  test('dropout lives in the training graph only, and a rate of 0 leaves no trace', () => {
    const noisy = fresh(architecture, random(1, 'x'), { labels: 3, dropout: { embedding: 0.3, hidden: 0.2 } });
    const rates = noisy.masks.map(({ rate }) => rate);
    const silent = fresh(architecture, random(1, 'x'), { labels: 3, dropout: { embedding: 0, hidden: 0 } });
    // Of attention the rate is fixed.
    expect(silent.masks.map(({ rate }) => rate)).toEqual(rates.filter((rate) => rate === 0.1));
    expect(trainable.masks).toEqual([]);
    expect(rates).toEqual(expect.arrayContaining([0.2, 0.3]));
    expect(noisy.plain.graph.inputs.map(({ name }) => name)).toEqual(
      trainable.plain.graph.inputs.map(({ name }) => name),
    );
    // The first values depend on the weight's name alone.
    expect(noisy.parameters).toEqual(trainable.parameters);
  });

  test('biases and normalisation are exempt from weight decay, tables and matrices are not', () => {
    const decaying = trainable.parameters.filter(({ decays }) => decays).map(({ name }) => name);
    expect(decaying.some((name) => /embeddings/.test(name))).toBe(true);
    expect(decaying.filter((name) => /bias$|norm/i.test(name))).toEqual([]);
  });
});

test('of characters, texts of as many tokens get the same bits alone and together, however many words they have', async () => {
  const size = { vocabulary: 45, characterDim: 16, filters: 64, width: 5, dim: 32, hidden: 32, maxTokens: 64 };
  const trainable = fresh(charBiLstm(size), random(1, 'x'), { labels: 2 });
  const draw = random(2, 'texts');
  // Among the ids from 5 on, 20 begin a word, and 20 continue one.
  const texts = Array.from({ length: 12 }, (_, text) =>
    Int32Array.of(2, ...Array.from({ length: 30 }, () => (draw.unit() < text / 11 ? 5 : 25) + draw.int(20)), 3),
  );
  const together = await logits(trainable, texts);
  for (const [row, text] of texts.entries()) expect(await logits(trainable, [text])).toEqual([together[row]]);
  expect(new Set(together.map(String)).size).toBe(texts.length);
});

test('of characters, a filter sees the letters of one word, not those of its neighbours', async () => {
  const trainable = fresh(ARCHITECTURES.at(-1) as Architecture, random(1, 'x'), { labels: 3 });
  const seen = trainable.plain.graph.nodes.find(({ op }) => op === 'Concat')?.outputs[0] as string;
  const runner = await onnxEngine().forward(trainable.plain, [seen], []);
  // Ids from 18 on go on a word: two words of two letters each, and then the second word another.
  const windows = async (ids: number[]) => {
    const values = (await runner.run(inputFeeds(trainable, padBatch([Int32Array.from(ids)], 0)))).get(seen);
    // -0 is 0, too.
    return (values as Float32Array).map((value) => value + 0);
  };
  const [one, other] = [await windows([2, 5, 19, 6, 20, 3]), await windows([2, 5, 19, 9, 25, 3])];
  await runner.release();
  const row = one.length / 6;
  const rows = (from: number, to: number) => [from * row, to * row] as const;
  expect(one.slice(...rows(0, 3))).toEqual(other.slice(...rows(0, 3)));
  expect(one.slice(...rows(3, 5))).not.toEqual(other.slice(...rows(3, 5)));
  // Within the first word each letter sees the other.
  expect(one.slice(...rows(1, 2)).filter((value) => value !== 0).length).toBe(2 * 4);
});

test('a width that the heads do not divide is refused', async () => {
  await refusal(() => distilbert({ ...encoder, heads: 3 }));
});

describe.skipIf(!existsSync(GOLDENS))('against PyTorch (../shared/goldens)', () => {
  test.each([
    ['distil', distilbert],
    ['bert', bert],
  ] as const)('with the weights of an exported %s our graph gives its logits', async (name, architecture) => {
    const { model } = await openModelFile(`${GOLDENS}/exp_${name}_17.onnx`);
    const golden = JSON.parse(readFileSync(`${GOLDENS}/exp_${name}.json`, 'utf8'));
    const theirs = inOrderOfUse(model.graph);
    const [words, positions] = theirs.filter(({ dims }) => dims.length === 2 && dims[0] >= 64).map(({ dims }) => dims);
    const [, dim] = words;
    const feedForward = Math.max(...theirs.filter(({ dims }) => dims.length === 1).map(({ dims }) => dims[0]));
    const trainable = fresh(
      architecture({
        layers: 2,
        dim,
        heads: golden.heads ?? 4,
        feedForward,
        vocabulary: words[0],
        maxTokens: positions[0],
      }),
      random(1, 'x'),
      { labels: 3 },
    );
    const ours = inOrderOfUse(trainable.plain.graph);
    expect(ours.map(({ dims }) => [...dims])).toEqual(theirs.map(({ dims }) => [...dims]));
    const weights = new Map(ours.map(({ name: own }, at) => [own, theirs[at].values]));
    const runner = await onnxEngine().forward(withWeights(trainable.plain, weights), ['logits'], []);
    const texts = golden.ids.map((ids: number[], row: number) =>
      Int32Array.from(ids, (id, at) => (golden.am[row][at] === 1 ? id : 0)),
    );
    const values = (await runner.run(inputFeeds(trainable, padBatch(texts, 0)))).get('logits') as Float32Array;
    await runner.release();
    golden.logits.flat().forEach((value: number, at: number) => {
      expect(values[at]).toBeCloseTo(value, 5);
    });
  });
});

/** A graph's weights in the order its nodes read them, matrices as [inputs, outputs]. */
function inOrderOfUse(graph: Graph): { name: string; dims: readonly number[]; values: Float32Array }[] {
  const weights = new Set(weightsOf(graph, 'logits'));
  const names = new Set(graph.nodes.flatMap(({ inputs }) => inputs.filter((name) => weights.has(name))));
  return Array.from(names, (name) => {
    const tensor = graph.initializers.get(name) as Tensor;
    const gemm = graph.nodes.find((node) => node.op === 'Gemm' && node.inputs[1] === name);
    const { dims } = tensor;
    const values = tensor.floats();
    if (!gemm) return { name, dims, values };
    // PyTorch's exporter writes Gemm with transB = 1.
    const [rows, columns] = dims;
    const turned = values.map((_, at) => values[(at % rows) * columns + Math.floor(at / rows)]);
    return { name, dims: [columns, rows], values: turned };
  });
}

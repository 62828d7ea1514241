/** Weights in 4 bits: the product of what the blocks stand for, whatever the shape of the weights, and the same bits in any company. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { random } from '../../src/core/random.js';
import { OrtSession } from '../../src/model/workers/session.js';
import { GraphBuilder } from '../../src/onnx/builder.js';
import { DataType } from '../../src/onnx/data-type.js';
import { FourBitWeights, withFourBitWeights } from '../../src/onnx/four-bit-weights.js';
import { loadModel } from '../../src/onnx/load.js';
import type { Model } from '../../src/onnx/model.js';
import { writeModel } from '../../src/onnx/write.js';

const noise = (size: number, seed: number): Float32Array => {
  const stream = random(seed, 'four bits');
  return Float32Array.from({ length: size }, () => stream.normal());
};

/** Columns of [k, n] as 4 bits can say them: 16 levels between the least and the greatest number of each 32, and 0. */
function rounded(weights: Float32Array, k: number, n: number): Float32Array {
  return weights.map((value, at) => {
    const [row, column] = [Math.floor(at / n), at % n];
    const from = row - (row % 32);
    const block = Array.from({ length: Math.min(32, k - from) }, (_, i) => weights[(from + i) * n + column]!);
    const [least, most] = [Math.min(0, ...block), Math.max(0, ...block)];
    const scale = Math.fround((most - least) / 15);
    return scale === 0 ? 0 : scale * Math.round(value / scale);
  });
}

interface Shape {
  readonly k: number;
  readonly n: number;
  readonly op: 'MatMul' | 'Gemm';
  readonly opset?: number;
}

/** rows [rows, k] -> the product, through weights of [k, n], stored as [n, k] for Gemm, which adds a bias. */
function graphOf({ k, n, op, opset = 17 }: Shape, weights: Float32Array): Model {
  const g = new GraphBuilder({ opset });
  const rows = g.input('rows', DataType.float, ['rows', 'more', k]);
  if (op === 'MatMul') {
    g.output(g.op('MatMul', [rows, g.initializer('weights', [k, n], weights)]), DataType.float);
  } else {
    const turned = weights.map((_, at) => weights[(at % k) * n + Math.floor(at / k)]!);
    const parts = [g.initializer('weights', [n, k], turned), g.initializer('bias', [n], noise(n, 3))];
    g.output(g.op('Gemm', [g.reshape(rows, [-1, k]), ...parts], { transB: 1 }), DataType.float);
  }
  return g.model();
}

const open = (model: Model): Promise<OrtSession> => OrtSession.open({ source: writeModel(model) });

async function product(model: Model, rows: Float32Array, k: number): Promise<Float32Array> {
  const session = await open(model);
  const dims = [1, rows.length / k, k];
  const results = await session.run(new Map([['rows', { type: DataType.float, dims, data: rows }]]));
  const answer = Float32Array.from([...results.values()][0]!.data as Float32Array);
  await session.release();
  return answer;
}

const reduced = (model: Model): Model => withFourBitWeights(model, new FourBitWeights()) as Model;

describe.each<Shape>([
  { k: 128, n: 256, op: 'MatMul' },
  { k: 200, n: 96, op: 'MatMul' },
  { k: 33, n: 512, op: 'MatMul' },
  { k: 160, n: 130, op: 'Gemm' },
  { k: 128, n: 128, op: 'MatMul', opset: 8 },
  { k: 128, n: 128, op: 'Gemm', opset: 21 },
])('%o', (shape) => {
  const { k, n } = shape;
  const weights = noise(k * n, 1);
  // A column of zeros, and one of a single sign.
  for (let row = 0; row < k; row++) {
    weights[row * n] = 0;
    weights[row * n + 1] = Math.abs(weights[row * n + 1]!);
  }
  const rows = noise(7 * k, 2);

  test('is the product of the rounded weights, up to the rows in 8 bits', async () => {
    const model = reduced(graphOf(shape, weights));
    expect(model.graph.nodes.map(({ op }) => op)).toContain('MatMulNBits');
    const answer = await product(model, rows, k);
    const right = await product(graphOf(shape, rounded(weights, k, n)), rows, k);
    const apart = answer.map((value, at) => Math.abs(value - right[at]!));
    expect(Math.max(...apart)).toBeLessThan(0.03 * Math.sqrt(k));
    // The rounding itself is larger.
    const exact = await product(graphOf(shape, weights), rows, k);
    expect(Math.max(...answer.map((value, at) => Math.abs(value - exact[at]!)))).toBeGreaterThan(0.06 * Math.sqrt(k));
  });

  test('weights take less than a fifth', () => {
    const whole = writeModel(graphOf(shape, weights)).length;
    expect(writeModel(reduced(graphOf(shape, weights))).length).toBeLessThan(
      0.22 * whole * ((32 * Math.ceil(k / 32)) / k) + 1024,
    );
  });
});

test('weights that two products and two graphs read are stored once', () => {
  const twice = (): Model => {
    const g = new GraphBuilder();
    const rows = g.input('rows', DataType.float, ['rows', 'more', 128]);
    const shared = g.initializer('weights', [128, 128], noise(128 * 128, 1));
    const turned = g.op('Transpose', [shared], { perm: [1, 0] });
    g.output(g.op('MatMul', [g.op('MatMul', [g.op('MatMul', [rows, shared]), shared]), turned]), DataType.float);
    return g.model();
  };
  const weights = new FourBitWeights();
  const [first, second] = [twice(), twice()].map((model) => withFourBitWeights(model, weights)!.graph.initializers);
  const alike = [...first!].filter(([name, tensor]) => second!.get(name) === tensor);
  // Values, scales and zero points of the shared ones; those of the transposed ones are the graph's own.
  expect([first!.size, alike.length]).toEqual([6, 3]);
});

test('a graph without large constant weights has none', () => {
  const g = new GraphBuilder();
  const [a, b] = ['a', 'b'].map((name) => g.input(name, DataType.float, ['rows', 'more', 256])) as [string, string];
  const small = g.initializer('small', [256, 2], noise(512, 1));
  const turned = g.op('Transpose', [b], { perm: [0, 2, 1] });
  g.output(g.op('MatMul', [g.op('MatMul', [a, turned]), g.op('MatMul', [b, small])]), DataType.float);
  expect(withFourBitWeights(g.model(), new FourBitWeights())).toBeUndefined();
});

test('a bundled model answers the same bits alone and in batches of up to 32', async () => {
  const model = await loadModel(join(packageRoot, 'models', 'bert-mini', 'model.onnx'));
  const session = await open(reduced(model));
  const answers = async (rows: readonly number[]): Promise<Float32Array> => {
    const feeds = model.graph.inputs.map(({ name }) => {
      const value = (row: number, at: number) =>
        /mask/.test(name) ? 1 : /type/.test(name) ? 0 : 5 + ((row * 31 + at * 7) % 80);
      const data = BigInt64Array.from(
        rows.flatMap((row) => Array.from({ length: 9 }, (_, at) => BigInt(value(row, at)))),
      );
      return [name, { type: DataType.int64, dims: [rows.length, 9], data }] as const;
    });
    return Float32Array.from([...(await session.run(new Map(feeds))).values()][0]!.data as Float32Array);
  };
  const all = await answers(Array.from({ length: 32 }, (_, row) => row));
  for (const rows of [[0], [5], [1, 2], [7, 8, 9]]) {
    const width = all.length / 32;
    expect(await answers(rows)).toEqual(all.slice(rows[0]! * width, (rows[0]! + rows.length) * width));
  }
  await session.release();
});

/** Graphs quantised by whole batches, with a scale for each row instead: the same bits in any company, close to the graph as it is. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { loadModel } from '../../../packages/onnx/src/graph/load.js';
import type { Model } from '../../../packages/onnx/src/graph/model.js';
import { writeModel } from '../../../packages/onnx/src/graph/write.js';
import { quantised, WRITTEN } from '../../../packages/onnx/test/graph/quantised.js';
import { packageRoot } from '../../../src/core/package-root.js';
import { quantisesBatches, rowScalesGain, withRowScales } from '../../../src/model/graph/row-scales.js';
import { OrtSession } from '../../../src/model/workers/session.js';

const TOKENS = 9;

/** Logits of texts made of their numbers, by one run. */
async function answers(session: OrtSession, texts: readonly number[]): Promise<Float32Array[]> {
  const feeds = session.ports.inputs.map(({ name }) => {
    const value = (text: number, at: number) => (name === 'input_ids' ? 5 + ((text * 31 + at * 7) % 80) : 1);
    const data = texts.flatMap((text) => Array.from({ length: TOKENS }, (_, at) => BigInt(value(text, at))));
    return [name, { type: DataType.int64, dims: [texts.length, TOKENS], data: BigInt64Array.from(data) }] as const;
  });
  const [{ data } = { data: [] }] = (await session.run(new Map(feeds))).values();
  const rows = Float32Array.from(data as Float32Array);
  const width = rows.length / texts.length;
  return texts.map((_, at) => rows.slice(at * width, (at + 1) * width));
}

const open = (model: Model): Promise<OrtSession> => OrtSession.open({ source: writeModel(model) });
const furthest = (some: readonly Float32Array[], others: readonly Float32Array[]): number =>
  Math.max(
    ...some.flatMap((row, at) => Array.from(row, (value, i) => Math.abs(value - (others[at]?.[i] ?? Number.NaN)))),
  );

describe.each(WRITTEN)('products written %s', (written) => {
  let graph: Model;
  let sessions: readonly OrtSession[] = [];
  beforeAll(async () => {
    graph = quantised(await loadModel(join(packageRoot, 'models', 'bert-mini', 'model.onnx')), written);
    sessions = await Promise.all([graph, withRowScales(graph) as Model].map(open));
  });
  afterAll(() => Promise.all(sessions.map((session) => session.release())));

  test('answer the same bits in any batch, and near the graph that runs each text alone', async () => {
    const [whole, rows] = sessions as [OrtSession, OrtSession];
    const texts = Array.from({ length: 16 }, (_, text) => text);
    const each = (session: OrtSession) =>
      Promise.all(texts.map((text) => answers(session, [text]))).then((all) => all.flat());
    const [exact, alone] = [await each(whole), await each(rows)];
    for (const size of [2, 3, 5, 16]) {
      for (let from = 0; from < texts.length; from += size)
        expect(await answers(rows, texts.slice(from, from + size))).toEqual(alone.slice(from, from + size));
    }
    // The original graph does not, so the rewrite is needed.
    expect(await answers(whole, texts)).not.toEqual(exact);
    const scale = Math.max(...exact.flatMap((row) => Array.from(row, Math.abs)));
    expect(furthest(alone, exact)).toBeLessThan(0.1 * scale);
    expect(furthest(alone, exact)).toBeGreaterThan(0);
  });

  test('keep inputs and outputs', () => {
    const made = withRowScales(graph) as Model;
    expect(made.graph.inputs).toEqual(graph.graph.inputs);
    expect(made.graph.outputs).toEqual(graph.graph.outputs);
    expect(quantisesBatches(made)).toBe(false);
  });
});

/** x -> quantised by its range -> whatever `rest` makes of it. */
function small(rest: (g: GraphBuilder, q: string, scale: string, zero: string) => string): Model {
  const g = new GraphBuilder({ opset: 17 });
  const [q, scale, zero] = g.ops('DynamicQuantizeLinear', [g.input('x', DataType.float, ['n', 4])], 3) as [
    string,
    string,
    string,
  ];
  g.output(g.op('Identity', [rest(g, q, scale, zero)]), DataType.float, ['n', 4]);
  return g.model();
}

const weights = (g: GraphBuilder) =>
  g.initializer(
    'w',
    [4, 4],
    Int8Array.from({ length: 16 }, (_, i) => i - 8),
  );
const cast = (g: GraphBuilder, x: string) => g.op('Cast', [x], { to: DataType.float });

test.each<[string, Model]>([
  ['an activation that is read as it is', small((g, q, scale, zero) => g.op('DequantizeLinear', [q, scale, zero]))],
  [
    'a product of two activations',
    small((g, q, scale, zero) => {
      const other = g.op('Transpose', [q], { perm: [1, 0] });
      return g.op('Mul', [cast(g, g.op('MatMulInteger', [q, other, zero, zero])), g.op('Mul', [scale, scale])]);
    }),
  ],
  [
    'a product whose scale is used elsewhere too',
    small((g, q, scale, zero) => {
      const scaling = g.op('Mul', [scale, g.float(0.1)]);
      const product = g.op('Mul', [cast(g, g.op('MatMulInteger', [q, weights(g), zero])), scaling]);
      return g.op('Add', [product, scaling]);
    }),
  ],
  ['a product that is never scaled', small((g, q, _, zero) => cast(g, g.op('MatMulInteger', [q, weights(g), zero])))],
])('%s is left alone', (_, model) => {
  expect(quantisesBatches(model)).toBe(true);
  expect(withRowScales(model)).toBeUndefined();
});

test.each([
  [256, false],
  [768, true],
])('products of width %i gain: %s', (width, gain) => {
  const g = new GraphBuilder({ opset: 17 });
  const stored = g.initializer('w', [width, 4], new Float32Array(4 * width).fill(0.5));
  g.output(g.op('MatMul', [g.input('x', DataType.float, ['n', width]), stored]), DataType.float, ['n', 4]);
  const graph = quantised(g.model());
  expect(withRowScales(graph)).toBeDefined();
  expect(rowScalesGain(graph)).toBe(gain);
});

test('a graph that quantises nothing is left alone', async () => {
  expect(withRowScales(await loadModel(join(packageRoot, 'models', 'bert-mini', 'model.onnx')))).toBeUndefined();
});

/** Products in 8 bits: close to the graph's, the same bits in any company; and graphs whose weights stay in their file. */
import { existsSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { loadModel, readModelOutline } from '../../../packages/onnx/src/graph/load.js';
import type { Model } from '../../../packages/onnx/src/graph/model.js';
import { writeModel } from '../../../packages/onnx/src/graph/write.js';
import { packageRoot } from '../../../src/core/package-root.js';
import { type WeightBits, withInt8Products } from '../../../src/model/graph/int8-products.js';
import { linkedGraph } from '../../../src/model/graph/linked-graph.js';
import { withPrunedRows } from '../../../src/model/graph/row-pruning.js';
import { OrtSession } from '../../../src/model/workers/session.js';

const scratch = mkdtempSync(join(tmpdir(), 'robust-int8-'));

const bundled = ['bert-mini', 'distilbert'].map((name) => join(packageRoot, 'models', name, 'model.onnx'));
const goldens = join(packageRoot, '..', 'shared', 'goldens', 'transformers');
/** Small models: their products are too small to gain, so that they are tried with any size. */
const families = existsSync(goldens) ? readdirSync(goldens).filter((name) => !name.endsWith('.md')) : [];
const exported = families.flatMap((family) =>
  readdirSync(join(goldens, family)).flatMap((file) => (file.endsWith('.onnx') ? [join(goldens, family, file)] : [])),
);

/** [texts, tokens] ids, each row its own; every other input by its name. */
function feeds({ graph }: Model, rows: readonly number[], tokens: number) {
  const inputs = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  return new Map(
    inputs.map(({ name, type }) => {
      const value = (row: number, at: number): number =>
        /mask/.test(name) ? 1 : /type/.test(name) ? 0 : /position/.test(name) ? at : 5 + ((row * 31 + at * 7) % 80);
      const values = rows.flatMap((row) => Array.from({ length: tokens }, (_, at) => value(row, at)));
      const data = type === DataType.int64 ? BigInt64Array.from(values, BigInt) : Int32Array.from(values);
      return [name, { type, dims: [rows.length, tokens], data }] as const;
    }),
  );
}

async function answers(
  session: OrtSession,
  model: Model,
  rows: readonly number[],
  tokens = 9,
): Promise<Float32Array[]> {
  const [logits] = (await session.run(feeds(model, rows, tokens), [model.graph.outputs[0]?.name as string])).values();
  const data = Float32Array.from(logits?.data as Float32Array);
  const width = data.length / rows.length;
  return rows.map((_, at) => data.slice(at * width, (at + 1) * width));
}

const furthest = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] as number))), 0);
const largest = (row: Float32Array): number => row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

const BATCHES = [1, 2, 3, 5, 8, 16, 32];

describe.each(bundled)('%s', (path) => {
  test.each([8, 7] satisfies WeightBits[])(
    'in %i bits is close, and the same bits in batches of 1 to 32',
    async (bits) => {
      const whole = await loadModel(path);
      const rough = withInt8Products(withPrunedRows(whole) as Model, bits);
      expect(rough?.products).toBeGreaterThan(4);
      const [exact, quick] = (await Promise.all(
        [whole, rough?.model as Model].map((model) => OrtSession.open({ source: writeModel(model) })),
      )) as [OrtSession, OrtSession];
      const rows = Array.from({ length: 32 }, (_, row) => row);
      const alone = (await Promise.all(rows.map((row) => answers(quick, whole, [row])))).flat();
      for (const size of BATCHES) {
        for (let from = 0; from < rows.length; from += size) {
          const some = rows.slice(from, from + size);
          const together = await answers(quick, whole, some);
          expect(together).toEqual(some.map((row) => alone[row]));
        }
      }
      const right = await answers(exact, whole, rows);
      const scale = Math.max(...right.map(largest));
      for (const row of rows)
        expect(furthest(alone[row] as Float32Array, right[row] as Float32Array)).toBeLessThan(0.05 * scale);
      // No accident: the answers are not the graph's own.
      expect(rows.some((row) => furthest(alone[row] as Float32Array, right[row] as Float32Array) > 0)).toBe(true);
      await Promise.all([exact.release(), quick.release()]);
    },
  );

  test('linked to its file answers the same bits, and holds fewer bytes', async () => {
    const pruned = withPrunedRows(await readModelOutline(path)) as Model;
    const graph = linkedGraph(pruned, path);
    const bytes = writeModel(withPrunedRows(await loadModel(path)) as Model);
    expect(graph?.bytes.length).toBeLessThan(bytes.length / 4);
    const sessions = await Promise.all(
      [graph as NonNullable<typeof graph>, bytes].map((source) => OrtSession.open({ source })),
    );
    const [linked, held] = await Promise.all(sessions.map((session) => answers(session, pruned, [1, 2, 3])));
    expect(linked).toEqual(held);
    await Promise.all(sessions.map((session) => session.release()));
  });
});

test.each(exported)('%s has no product that is worth it, and is left alone', async (path) => {
  expect(withInt8Products(await loadModel(path), 8)).toBeUndefined();
});

/** ids -> embeddings -> a product of each kind -> the sum over tokens. */
function kinds(weights: number): GraphBuilder {
  const g = new GraphBuilder({ opset: 17 });
  const values = (size: number) => Float32Array.from({ length: size }, (_, at) => Math.sin(at * 1.7) / 8);
  const ids = g.input('input_ids', DataType.int64, ['texts', 'tokens']);
  const table = g.initializer('table', [90, weights], values(90 * weights));
  const rows = g.op('Gather', [table, ids]);
  const square = g.initializer('square', [weights, weights], values(weights * weights));
  const turned = g.op('Transpose', [g.initializer('turned', [weights, weights], values(weights * weights))], {
    perm: [1, 0],
  });
  const one = g.op('MatMul', [rows, square]);
  const two = g.op('MatMul', [rows, turned]);
  const flat = g.op('Reshape', [g.op('Tanh', [g.op('Add', [one, two])]), g.ints([-1, weights])]);
  const bias = g.initializer('bias', [weights], values(weights));
  const three = g.op('Gemm', [flat, g.initializer('third', [weights, weights], values(weights * weights)), bias], {
    transB: 1,
  });
  const back = g.op('Reshape', [three, g.op('Concat', [g.op('Shape', [ids]), g.ints([weights])], { axis: 0 })]);
  g.output(g.op('ReduceMax', [back], { axes: [1], keepdims: 0 }), DataType.float, ['texts', weights]);
  return g;
}

test('products by MatMul, of transposed weights and by Gemm with a bias', async () => {
  const model = kinds(128).model();
  const rough = withInt8Products(model, 8);
  expect(rough?.products).toBe(3);
  const [exact, quick] = (await Promise.all(
    [model, rough?.model as Model].map((each) => OrtSession.open({ source: writeModel(each) })),
  )) as [OrtSession, OrtSession];
  const [right, near] = [await answers(exact, model, [1, 2, 3]), await answers(quick, model, [1, 2, 3])];
  right.forEach((row, at) => void expect(furthest(row, near[at] as Float32Array)).toBeLessThan(0.03 * largest(row)));
  await Promise.all([exact.release(), quick.release()]);
});

test('small products gain nothing', () => {
  expect(withInt8Products(kinds(64).model(), 8)).toBeUndefined();
});

test('the embedding table, which is read in every run, does not stay in the file; weights that are packed do', async () => {
  const file = join(scratch, 'kinds.onnx');
  writeFileSync(file, kinds(128).build());
  const outline = await readModelOutline(file);
  const held = 90 * 128 * 4;
  const length = linkedGraph({ ...outline, graph: { ...outline.graph } }, file)?.bytes.length as number;
  expect(length).toBeGreaterThan(held);
  expect(length).toBeLessThan(held + 8192);
});

test.skipIf(process.platform === 'win32')('a file reached by a link is found where it lies', async () => {
  const [file, link] = [join(scratch, 'blob'), join(mkdtempSync(join(scratch, 'snapshot-')), 'model.onnx')];
  writeFileSync(file, kinds(128).build());
  symlinkSync(file, link);
  const outline = await readModelOutline(link);
  const source = linkedGraph({ ...outline, graph: { ...outline.graph } }, link);
  expect(source?.folder).toBe(scratch);
  const session = await OrtSession.open({ source: source as NonNullable<typeof source> });
  expect(await answers(session, outline, [4])).toHaveLength(1);
  await session.release();
});

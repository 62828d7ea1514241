/** Where training finds the logits of a model that ends in probabilities: whatever its last operators, the loss falls on them. */
import { expect, test } from 'vitest';
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';
import { OrtSession } from '../../src/model/workers/session.js';
import { existing } from '../../src/train/trainable-model.js';
import { refusal } from '../refusal.js';

const TABLE = [1, -1, 0.5, 2, -0.5, 0.25];

/** The mean of rows of a table, and what `last` makes of it. */
function trainable(
  width: number,
  shape: number[],
  activation: 'none' | 'log-softmax',
  last: (g: GraphBuilder, z: string) => string,
) {
  const g = new GraphBuilder();
  const ids = g.input('input_ids', DataType.int64, ['batch', 'sequence']);
  const table = g.initializer('table', [TABLE.length / width, width], Float32Array.from(TABLE));
  const mean = g.op('ReduceMean', [g.op('Gather', [table, ids])], { axes: [1], keepdims: 0 });
  g.output(g.ops('Identity', [last(g, mean)], ['out'])[0]!, DataType.float, ['batch', ...shape]);
  const inputs = [{ name: 'input_ids', role: 'ids', type: DataType.int64 }] as const;
  const columns = shape.at(-1) ?? 1;
  return existing(g.model(), { inputs, output: 'out', activation, columns, part: 'all' });
}

const reshape = (g: GraphBuilder, x: string, ...dims: number[]) => g.op('Reshape', [x, g.ints(dims)]);
const besides = (g: GraphBuilder, p: string) => [g.op('Sub', [g.float(1), p]), p];

test.each<[string, number, number[], 'softmax' | 'sigmoid', (g: GraphBuilder, z: string) => string]>([
  ['Softmax', 2, [2], 'softmax', (g, z) => g.op('Softmax', [z])],
  ['Softmax of shape 1 by 2', 2, [1, 2], 'softmax', (g, z) => reshape(g, g.op('Softmax', [z]), -1, 1, 2)],
  ['Sigmoid', 1, [1], 'sigmoid', (g, z) => g.op('Sigmoid', [z])],
  ['Sigmoid of shape [batch]', 1, [], 'sigmoid', (g, z) => reshape(g, g.op('Sigmoid', [z]), -1)],
  ['1 - p beside p', 1, [2], 'sigmoid', (g, z) => g.op('Concat', besides(g, g.op('Sigmoid', [z])), { axis: 1 })],
])('%s', async (_, width, shape, head, last) => {
  const found = trainable(width, shape, 'none', last);
  expect(found).toMatchObject({ head, columns: width });
  expect(found.parameters.map(({ name }) => name)).toEqual(['table']);
  const session = await OrtSession.open({ source: writeModel(found.plain) });
  const feeds = new Map([['input_ids', { type: DataType.int64, dims: [1, 1], data: BigInt64Array.of(1n) }]]);
  const logits = (await session.run(feeds)).get(found.logits)?.data as Float32Array;
  await session.release();
  expect(Array.from(logits)).toEqual(TABLE.slice(width, 2 * width));
});

test('logarithms of a softmax are logits', () => {
  const found = trainable(2, [2], 'log-softmax', (g, z) => g.op('LogSoftmax', [z]));
  expect(found).toMatchObject({ head: 'softmax', columns: 2 });
});

test('p beside 1 - p would be learnt the wrong way round, and is refused', async () => {
  const turned = (g: GraphBuilder, z: string) =>
    g.op('Concat', besides(g, g.op('Sigmoid', [z])).reverse(), { axis: 1 });
  await refusal(() => trainable(1, [2], 'none', turned));
});

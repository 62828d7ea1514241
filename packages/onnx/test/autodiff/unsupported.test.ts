/** The error lists every operator that cannot be differentiated, with domain, opset and reason. */
import { expect, test } from 'vitest';
import { UnsupportedOpError } from '../../../../src/core/errors.js';
import { onnxEngine } from '../../../../src/gradient/white-box/onnx-engine.js';
import { refusal } from '../../../../test/refusal.js';
import { GraphBuilder, graph } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';

test('all unsupportedNodes at once, each with its reason', async () => {
  const g = new GraphBuilder({ opset: 17 });
  const x = g.input('x', DataType.float, ['batch', 4]);
  const branch = (op: string) => {
    const body = new GraphBuilder();
    body.output(body.ops(op, [x], [`${op} out`])[0]!, DataType.float, [null, 4]);
    return graph(body.graph());
  };
  const flag = g.initializer('flag', [], Uint8Array.of(1), DataType.bool);
  const chosen = g.op('If', [flag], { then_branch: branch('Tanh'), else_branch: branch('Exp') });
  const square = g.op('Unsqueeze', [g.op('Add', [chosen, x]), g.ints([0])]); // [1, batch, 4]
  const inverse = g.op('Inverse', [square], {}, 'com.microsoft');
  const det = g.op('Det', [inverse]);
  g.output(g.ops('Identity', [det], ['loss'])[0]!);
  // onnxruntime cannot invert a matrix that is not square: probe with 4 x 4.
  const fixed = { ...g.model(), graph: { ...g.graph(), inputs: [{ name: 'x', type: 1, dims: [4, 4] }] } };
  const attempt = onnxEngine().backward(fixed, [], [], 'loss', ['x']);
  await expect(attempt).rejects.toBeInstanceOf(UnsupportedOpError);
  await refusal(attempt);
  await expect(attempt).rejects.toHaveProperty('hint', expect.stringMatching(/Attacks that need no gradients run/));
});

test('a detour through double precision is an obstacle, not a gradient of zeros', async () => {
  const g = new GraphBuilder();
  g.input('x', DataType.float, ['batch']);
  const double = g.op('Cast', ['x'], { to: DataType.double });
  const back = g.op('Cast', [g.op('Exp', [double])], { to: DataType.float });
  g.output(g.ops('Identity', [back], ['loss'])[0]!);
  await refusal(onnxEngine().backward(g.model(), [], [], 'loss', ['x']));
});

test('a compound operator says which case of it is not covered', async () => {
  const g = new GraphBuilder();
  g.input('x', DataType.float, ['batch', 2, 'sequence']);
  g.output(g.ops('MaxPool', ['x'], ['loss'], { kernel_shape: [3], strides: [2], ceil_mode: 1 })[0]!);
  await refusal(onnxEngine().backward(g.model(), [], [], 'loss', ['x']));
});

test.each([
  [10, 'expected opset 11 to'],
  [30, 'newest known'],
])('opset %i', async (opset, message) => {
  const g = new GraphBuilder({ opset: 17 });
  g.input('x', DataType.float, ['batch']);
  g.output(g.ops('Tanh', ['x'], ['loss'])[0]!);
  const model = { ...g.model(), opsets: new Map([['', opset]]) };
  await expect(onnxEngine().backward(model, [], [], 'loss', ['x'])).rejects.toThrow(message);
});

test('a tensor the loss does not depend on has a gradient of zeros', async () => {
  const g = new GraphBuilder();
  g.input('x', DataType.float, ['batch', 2]);
  g.input('unused', DataType.float, ['batch', 3]);
  g.output(g.ops('Tanh', ['x'], ['loss'])[0]!);
  const runner = await onnxEngine().backward(g.model(), ['loss'], [], 'loss', ['unused']);
  const feed = (columns: number) => ({ type: 1, dims: [2, columns], data: new Float32Array(2 * columns).fill(1) });
  const result = await runner.run(
    new Map([
      ['x', feed(2)],
      ['unused', feed(3)],
    ]),
  );
  expect(result.get('d(unused)')).toEqual(new Float32Array(6));
  await runner.release();
});

test('a bound that depends on what is differentiated by is an obstacle, not a gradient without its part', async () => {
  const g = new GraphBuilder();
  g.input('x', DataType.float, ['batch']);
  const most = g.op('ReduceMax', ['x'], { keepdims: 0 });
  g.output(g.ops('Clip', ['x', g.float(-1), most], ['loss'])[0]!);
  await refusal(onnxEngine().backward(g.model(), [], [], 'loss', ['x']));
});

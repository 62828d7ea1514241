import { describe, expect, test } from 'vitest';
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { UnsupportedOpError } from '../../src/core/errors.js';
import { tfjsEngine } from '../../src/gradient/tfjs/engine.js';
import { Interpreter } from '../../src/gradient/tfjs/interpret.js';
import { tfjsBackend } from '../../src/tfjs/backend.js';

test('unknown ops are all named at once', async () => {
  const { tf } = await tfjsBackend();
  const b = new GraphBuilder();
  const x = b.op('LRN', [b.input('x', DataType.float, ['batch', 4])], { size: 1 });
  const wanted = [b.output(b.op('Upsample', [b.op('Pad', [x], { mode: 'edge' })]))];
  expect(() => new Interpreter(tf, b.model(), { wanted, wrt: ['x'] })).toThrow(
    'the tfjs engine cannot differentiate this graph: ai.onnx.LRN (opset 17, node "LRN_0"): no op of TF.js; ' +
      'ai.onnx.Pad (opset 17, node "Pad_1"): attribute mode = edge; ai.onnx.Upsample (opset 17, node "Upsample_2"): no op of TF.js',
  );
});

describe('what would lose its gradient is refused', () => {
  const backward = async (graph: (g: GraphBuilder) => string) => {
    const g = new GraphBuilder();
    g.input('x', DataType.float, [2]);
    g.output(g.ops('Identity', [graph(g)], ['loss'])[0]!);
    const runner = await (await tfjsEngine()).backward(g.model(), [], [], 'loss', ['x']);
    return runner.run(new Map([['x', { type: DataType.float, dims: [2], data: Float32Array.of(1, 2) }]]));
  };
  test.each<[string, (g: GraphBuilder) => string, string]>([
    [
      'a bound that depends on the input',
      (g) => g.op('Clip', ['x', g.float(-9), g.op('ReduceMax', ['x'], { keepdims: 0 })]),
      'ai.onnx.Clip (opset 17, node "Clip_1"): its input 2 depends on what is differentiated by',
    ],
    [
      'a border that depends on the input',
      (g) => g.op('Pad', ['x', g.ints([1, 1]), g.op('ReduceMax', ['x'], { keepdims: 0 })]),
      'ai.onnx.Pad (opset 17, node "Pad_1"): its input 2 depends',
    ],
  ])('%s', async (_, graph, message) => {
    await expect(backward(graph)).rejects.toThrow(message);
    await expect(backward(graph)).rejects.toBeInstanceOf(UnsupportedOpError);
  });
  test('a maximum among shapes is no such thing', async () => {
    const result = await backward((g) => {
      const size = g.op('Cast', [g.op('Size', ['x'])], { to: DataType.float });
      return g.op('Clip', ['x', g.float(-9), size]);
    });
    expect(result.get('d(x)')).toEqual(Float32Array.of(1, 1));
  });
  test('what no gradient passes through may be any operator of onnxruntime', async () => {
    const result = await backward((g) => {
      const [y, mask] = g.ops('Dropout', ['x'], 2);
      const det = g.op('Det', [g.initializer('identity', [2, 2], Float32Array.of(2, 0, 0, 2))]);
      return g.op('Where', [mask!, g.op('Mul', [y!, det]), g.op('Floor', ['x'])]);
    });
    expect(result.get('d(x)')).toEqual(Float32Array.of(4, 4));
  });
});

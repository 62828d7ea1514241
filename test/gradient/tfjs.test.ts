import { describe, expect, test } from 'vitest';
import { UnsupportedOpError } from '../../src/core/errors.js';
import { tfjsBackend } from '../../src/gradient/tfjs/backend.js';
import { tfjsEngine } from '../../src/gradient/tfjs/engine.js';
import * as host from '../../src/gradient/tfjs/host.js';
import { Interpreter } from '../../src/gradient/tfjs/interpret.js';
import { GraphBuilder } from '../../src/onnx/builder.js';
import { DataType } from '../../src/onnx/data-type.js';

test('unknown ops are all named at once', async () => {
  const { tf } = await tfjsBackend();
  const b = new GraphBuilder();
  const x = b.op('LRN', [b.input('x', DataType.float, ['batch', 4])], { size: 1 });
  const wanted = [b.output(b.op('Upsample', [b.op('Pad', [x], { mode: 'edge' })]))];
  expect(() => new Interpreter(tf, b.model(), { wanted })).toThrow(
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
    [
      'an output that is not computed',
      (g) => {
        const [y, mask] = g.ops('Dropout', ['x'], 2);
        return g.op('Where', [mask!, y!, 'x']);
      },
      'its input 0 is an output we do not compute',
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
});

describe('integers on the host', () => {
  const matrix = { dims: [2, 3], data: [1, 2, 3, 4, 5, 6] };
  test.each<[string, host.HostArray, host.HostArray]>([
    ['transpose', host.transpose(matrix, [1, 0]), { dims: [3, 2], data: [1, 4, 2, 5, 3, 6] }],
    ['expand', host.expand(host.vector([1, 2]), [2, 2]), { dims: [2, 2], data: [1, 2, 1, 2] }],
    ['gather a column', host.gather(matrix, host.scalar(-1), 1), { dims: [2], data: [3, 6] }],
    ['gather rows', host.gather(matrix, host.vector([1, 0]), 0), { dims: [2, 3], data: [4, 5, 6, 1, 2, 3] }],
    ['concat columns', host.concat([matrix, matrix], 1), { dims: [2, 6], data: [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6] }],
    [
      'slice backwards',
      host.slice(matrix, [host.cut(2, -1, -10, -1), host.cut(3, 1, 99, 1)]),
      { dims: [2, 2], data: [5, 6, 2, 3] },
    ],
    ['running sum', host.cumulate(matrix, 1, false, false), { dims: [2, 3], data: [1, 3, 6, 4, 9, 15] }],
    ['sum of rows', host.reduce(matrix, [1], false, (x, y) => x + y), { dims: [2], data: [6, 15] }],
    [
      'broadcast add',
      host.zip(matrix, host.vector([10, 20, 30]), (x, y) => x + y),
      { dims: [2, 3], data: [11, 22, 33, 14, 25, 36] },
    ],
  ])('%s', (_name, actual, expected) => expect(actual).toEqual(expected));
});

import { describe, expect, test } from 'vitest';
import { tfjsBackend } from '../../src/gradient/tfjs/backend.js';
import * as host from '../../src/gradient/tfjs/host.js';
import { Interpreter } from '../../src/gradient/tfjs/interpret.js';
import { GraphBuilder } from '../../src/onnx/builder.js';
import { DataType } from '../../src/onnx/data-type.js';

test('unknown ops are all named at once', async () => {
  const { tf } = await tfjsBackend();
  const b = new GraphBuilder();
  const out = b.output(b.op('Hardmax', [b.op('Celu', [b.input('x', DataType.float, ['batch', 4])])]));
  expect(() => new Interpreter(tf, b.model(), [out])).toThrow(/ai.onnx Celu, ai.onnx Hardmax/);
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
    ['running sum', host.cumulate(matrix, 1), { dims: [2, 3], data: [1, 3, 6, 4, 9, 15] }],
    ['sum of rows', host.reduce(matrix, [1], false, (x, y) => x + y), { dims: [2], data: [6, 15] }],
    [
      'broadcast add',
      host.zip(matrix, host.vector([10, 20, 30]), (x, y) => x + y),
      { dims: [2, 3], data: [11, 22, 33, 14, 25, 36] },
    ],
  ])('%s', (_name, actual, expected) => expect(actual).toEqual(expected));
});

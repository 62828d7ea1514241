import { existsSync, readFileSync } from 'node:fs';
import type { Scalar, Tensor, Variable } from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { tfjsBackend } from '../../src/gradient/tfjs/backend.js';
import * as host from '../../src/gradient/tfjs/host.js';
import { Interpreter, type Value } from '../../src/gradient/tfjs/interpret.js';
import { GraphBuilder } from '../../src/onnx/builder.js';
import { DataType } from '../../src/onnx/data-type.js';
import { loadModel } from '../../src/onnx/load.js';

const goldens = '../shared/goldens';

interface Golden {
  ids: number[][];
  am: number[][];
  y: number[];
  /** Despite its description the sum over the batch, as are the gradients. */
  loss: number;
  logits: number[][];
  grads: Record<string, number[]>;
}

function distance(actual: ArrayLike<number>, expected: ArrayLike<number>): { absolute: number; relative: number } {
  let difference = 0;
  let norm = 0;
  for (let i = 0; i < expected.length; i++) {
    difference += (actual[i] - expected[i]) ** 2;
    norm += expected[i] ** 2;
  }
  return { absolute: Math.sqrt(difference), relative: Math.sqrt(difference / norm) };
}

const integers = (rows: number[][]): Value => ({ dims: [rows.length, rows[0].length], data: rows.flat() });

describe.skipIf(!existsSync(goldens))('TF.js against PyTorch (../shared/goldens)', () => {
  test.each([
    ['bert', 11],
    ['bert', 17],
    ['distil', 11],
    ['distil', 14],
    ['distil', 17],
  ])('%s, opset %i: logits, loss and weight gradients', async (kind, opset) => {
    const { tf } = await tfjsBackend();
    const golden = JSON.parse(readFileSync(`${goldens}/exp_${kind}.json`, 'utf8')) as Golden;
    const interpreter = new Interpreter(tf, await loadModel(`${goldens}/exp_${kind}_${opset}.onnx`), ['logits']);
    const feeds = new Map<string, Value>([
      ['input_ids', integers(golden.ids)],
      ['attention_mask', integers(golden.am)],
      ['token_type_ids', integers(golden.ids.map((row) => row.map(() => 0)))],
    ]);
    // The exporter transposes and renames matrices; those it left alone carry PyTorch's names.
    const names = [...interpreter.graph.initializers.keys()].filter((name) => name in golden.grads);
    expect(names.length).toBeGreaterThan(20);
    const variables = names.map((name) => tf.variable(interpreter.constant(name) as Tensor));
    const target = tf.oneHot(tf.tensor1d(golden.y, 'int32'), golden.logits[0].length);
    let logits: ArrayLike<number> = [];
    const { value, grads } = tf.variableGrads(() => {
      const given = new Map([...feeds, ...names.map((name, i) => [name, variables[i] as Tensor] as const)]);
      const [out] = interpreter.run(given, ['logits']) as [Tensor];
      logits = out.dataSync();
      return tf.neg(tf.sum(tf.mul(tf.logSoftmax(out), target))) as Scalar;
    }, variables as Variable[]);
    expect(distance(logits, golden.logits.flat()).relative).toBeLessThan(1e-5);
    expect(value.dataSync()[0]).toBeCloseTo(golden.loss, 5);
    for (const [i, name] of names.entries()) {
      const { absolute, relative } = distance(grads[variables[i].name].dataSync(), golden.grads[name]);
      // Softmax ignores a shift of all its scores, so a key bias has gradient zero and only rounding is left to compare.
      if (/key\.bias|k_lin\.bias/.test(name)) expect(absolute, name).toBeLessThan(1e-6);
      else expect(relative, name).toBeLessThan(1e-5);
    }
  });
});

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

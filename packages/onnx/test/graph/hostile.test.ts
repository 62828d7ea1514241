/** Files that lie: every one ends in a ModelError, at once and without the memory it claims. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelError } from '../../../../src/core/errors.js';
import { tries } from '../../../../test/cover.js';
import { refusal } from '../../../../test/refusal.js';
import { GraphBuilder } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import { readModelOutline } from '../../src/graph/load.js';
import { readModel } from '../../src/graph/read.js';
import { Message } from '../../src/graph/wire.js';

const folder = mkdtempSync(join(tmpdir(), 'hostile-'));

const good = (): Uint8Array => {
  const g = new GraphBuilder();
  g.input('x', DataType.float, ['batch', 2]);
  g.output(g.op('MatMul', ['x', g.initializer('w', [2, 2], Float32Array.of(1, 2, 3, 4))]), DataType.float, [null, 2]);
  return g.build();
};

/** Reads everything there is to read. */
function readAll(bytes: Uint8Array): void {
  for (const tensor of readModel(bytes).graph.initializers.values()) tensor.data;
}

const graphOf = (graph: Message): Uint8Array => new Message().int(1, 8).message(7, graph).build();

test('every truncation is an error or a smaller model, never a crash', async () => {
  const bytes = good();
  for (let length = 0; length < bytes.length; length++) {
    try {
      readAll(bytes.subarray(0, length));
    } catch (error) {
      expect(error).toBeInstanceOf(ModelError);
    }
  }
  await refusal(() => readModel(bytes.subarray(0, bytes.length - 30)));
});

test('every flipped byte is an error or another model, never a crash', () => {
  fc.assert(
    fc.property(fc.nat(good().length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bytes = good();
      bytes[at]! ^= flip;
      try {
        readAll(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(ModelError);
      }
    }),
    { numRuns: tries(1000) },
  );
});

test('the outline of a damaged file is an error or another model, never a crash', async () => {
  const g = new GraphBuilder();
  const w = g.initializer('w', [5000], new Float32Array(5000).fill(1));
  g.output(g.op('Add', [g.input('x', DataType.float, ['batch', 5000]), w]), DataType.float, [null, 5000]);
  const bytes = g.build();
  const path = join(folder, 'model.onnx');
  // Flips where the messages' lengths and tags stand: before and after the weight's 20,000 bytes.
  const middle = (at: number) => at > 200 && at < bytes.length - 200;
  const places = Array.from(bytes.keys()).filter((at) => !middle(at) && at % 3 === 0);
  for (const at of places) {
    const damaged = bytes.slice();
    damaged[at]! ^= 1 << (at % 8);
    writeFileSync(path, damaged);
    try {
      for (const tensor of (await readModelOutline(path)).graph.initializers.values()) tensor.data;
    } catch (error) {
      expect(error).toBeInstanceOf(ModelError);
    }
  }
  writeFileSync(path, bytes.subarray(0, bytes.length - 100));
  await refusal(readModelOutline(path));
  writeFileSync(path, bytes);
  const tensor = (await readModelOutline(path)).graph.initializers.get('w')!;
  writeFileSync(path, bytes.subarray(0, 100));
  await refusal(() => tensor.data);
});

test.each([
  ['a length of 2^50', Uint8Array.of(0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), /claims \d+ bytes/],
  ['an endless number', new Uint8Array(12).fill(0xff), /longer than 10 bytes/],
  ['a group', Uint8Array.of(0x0b), /wire type 3/],
  ['text', Buffer.from('this is not a model\n'), /breaks off or is damaged/],
  ['nothing', new Uint8Array(0), /holds no graph/],
])('%s', (_, bytes, message) => {
  expect(() => readModel(bytes)).toThrow(message);
});

test('a tensor that claims more elements than it has bytes', async () => {
  const tensor = new Message().int(1, 2 ** 40).int(1, 2 ** 40);
  const bytes = graphOf(
    new Message().message(5, tensor.int(2, DataType.float).string(8, 'w').bytes(9, new Uint8Array(8))),
  );
  await refusal(() => readAll(bytes));
});

test('negative dimensions and twice the same name', async () => {
  const tensor = () => new Message().int(1, -1).int(2, DataType.float).string(8, 'w');
  await refusal(() => readModel(graphOf(new Message().message(5, tensor()))));
  const named = () => new Message().int(2, DataType.float).string(8, 'w');
  await refusal(() => readModel(graphOf(new Message().message(5, named()).message(5, named()))));
});

test('more tensors than the runtime opens in a minute', async () => {
  const graph = new Message();
  for (let at = 0; at <= 50_000; at++) graph.message(5, new Message().string(8, `t${at}`));
  await refusal(() => readModel(graphOf(graph)));
});

test('graphs nested two thousand deep', async () => {
  let graph = new Message().string(2, 'innermost');
  for (let depth = 0; depth < 2_000; depth++) {
    const attribute = new Message().string(1, 'body').message(6, graph).int(20, 5);
    graph = new Message().raw(new Message().message(1, new Message().string(4, 'Loop').message(5, attribute)).build());
  }
  await refusal(() => readModel(graphOf(graph)));
});

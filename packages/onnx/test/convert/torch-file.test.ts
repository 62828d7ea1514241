/** @file PyTorch's own files: what torch.save wrote is read, and a pickle that says more than tensors is refused without a call. */
import { copyFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RobustError } from '../../../../src/core/errors.js';
import { tries } from '../../../../test/cover.js';
import { refusal } from '../../../../test/refusal.js';
import { readPickle } from '../../src/convert/checkpoint/pickle.js';
import { PickleError } from '../../src/convert/checkpoint/pickle-codes.js';
import { torchTensors } from '../../src/convert/checkpoint/torch-file.js';
import { CheckpointWeights } from '../../src/convert/weights.js';
import { checkpoint, convertedAnswers, valuesOf } from './checkpoints.js';
import { tinyConfig, tinyFiles, tinyTensors } from './tiny-bert.js';

/** Made by torch 2.13: `torch.save` of tensors by the formula of their names, of several types, transposed, sliced, shared and empty. */
const saved = join(import.meta.dirname, 'torch-2.13.bin');
/** The tiny BERT, by the same. */
const tiny = join(import.meta.dirname, 'tiny-bert.bin');

const root = mkdtempSync(join(tmpdir(), 'robust-torch-'));

const weights = (path = saved) => new CheckpointWeights(torchTensors(path), { path, prefix: 'none' });
const near = (got: Float32Array, wanted: Float32Array, tolerance: number) =>
  got.length === wanted.length && got.every((value, at) => Math.abs(value - (wanted[at] as number)) <= tolerance);

test.each([
  ['plain', [3, 4], 0],
  ['parameter', [2, 2], 0],
  ['half', [5], 1e-3],
  ['brain', [2, 3], 1e-2],
  ['double', [2], 0],
])('%s', (name, dims, tolerance) => {
  expect(near(weights().take(name, dims).read(), valuesOf(name, dims), tolerance)).toBe(true);
});

test('views of one storage: turned, and a part', () => {
  const whole = valuesOf('turned', [4, 3]);
  const at = (row: number, column: number) => whole[row * 3 + column] as number;
  const turned = Float32Array.from({ length: 12 }, (_, i) => at(i % 4, Math.floor(i / 4)));
  expect(weights().take('turned', [3, 4]).read()).toEqual(turned);
  expect(weights().take('part', [2, 2]).read()).toEqual(Float32Array.of(at(1, 1), at(1, 2), at(2, 1), at(2, 2)));
});

test('whole numbers and truth values are there, and are no weights', async () => {
  const types = new Map(torchTensors(saved).map(({ name, type, dims }) => [name, [type, dims]]));
  expect(types.get('counter')).toEqual(['I64', []]);
  expect(types.get('mask')).toEqual(['BOOL', [2]]);
  expect(types.get('empty')).toEqual(['F32', [0, 3]]);
  await refusal(() => weights().take('mask', [2]));
});

test('a checkpoint of it answers as that of safetensors', async () => {
  const fed = { input_ids: [[2, 4, 6, 3]], attention_mask: [[1, 1, 1, 1]], token_type_ids: [[0, 0, 0, 0]] };
  const folder = mkdtempSync(join(root, 'bin-'));
  writeFileSync(join(folder, 'config.json'), tinyFiles['config.json']);
  copyFileSync(tiny, join(folder, 'pytorch_model.bin'));
  const other = checkpoint(tinyConfig, tinyTensors);
  const [bin, safe] = [await convertedAnswers(folder, tinyConfig, fed), await convertedAnswers(other, tinyConfig, fed)];
  expect(bin.data).toEqual(safe.data);
});

const text = (value: string) => Buffer.concat([Buffer.from([0x58, value.length, 0, 0, 0]), Buffer.from(value)]);
const global = (module: string, name: string) => Buffer.from(`c${module}\n${name}\n`);
const bytes = (...parts: readonly (number | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));

test.each([
  [
    'a call of the system',
    bytes(0x80, 2, global('posix', 'system'), text('true'), 0x85, 0x52, 0x2e),
    'the name "posix.system"',
  ],
  ['the same by the stack', bytes(0x80, 4, text('os'), text('system'), 0x93, 0x2e), 'the name "os.system"'],
  ['a name of what weights need not', global('builtins', 'eval'), 'the name "builtins.eval"'],
  ['an object of a class', bytes(global('os', 'Popen'), 0x29, 0x81, 0x2e), 'the name "os.Popen"'],
  [
    'attributes of an object',
    bytes(global('torch', 'FloatStorage'), 0x29, 0x81, 0x7d, 0x62, 0x2e),
    'an object other than a dictionary',
  ],
  ['an instance', bytes(0x28, Buffer.from('ios\nsystem\n'), 0x2e), 'the opcode 0x69'],
  ['a persistent id as a line', bytes(Buffer.from('Px\n'), 0x2e), 'the opcode 0x50'],
  ['an extension', bytes(0x82, 1, 0x2e), 'the opcode 0x82'],
  ['attributes of what is no dictionary', bytes(0x5d, 0x7d, 0x62, 0x2e), 'an object other than a dictionary'],
  ['a call of no function', bytes(0x4b, 1, 0x29, 0x52, 0x2e), 'a call of what is no function'],
  ['a claim of 4 GB of text', bytes(0x58, 255, 255, 255, 255), 'breaks off'],
  ['a number of 255 bytes', bytes(0x8a, 255, Buffer.alloc(255)), 'a number beyond 2^53'],
  ['nothing', Buffer.alloc(0), 'breaks off'],
  ['no value', bytes(0x2e), 'takes what it never made'],
  ['two values', bytes(0x4e, 0x4e, 0x2e), 'in the middle of a value'],
  ['what was never kept', bytes(0x68, 9, 0x2e), 'recalls number 9'],
  ['no mark', bytes(0x7d, 0x75, 0x2e), 'lacks a mark'],
])('a pickle with %s', (_, pickle, message) => {
  expect(() => readPickle(pickle)).toThrow(message);
  expect(() => readPickle(pickle)).toThrow(PickleError);
});

test('other files', async () => {
  const file = (content: Uint8Array) => {
    const path = join(root, 'other.bin');
    writeFileSync(path, content);
    return path;
  };
  expect(() => torchTensors(file(Buffer.from([0x80, 2, 0x8a, 10])))).toThrow(
    expect.objectContaining({ code: 'MODEL_UNSUPPORTED' }),
  );
  expect(() => torchTensors(file(Buffer.alloc(0)))).toThrow(expect.objectContaining({ code: 'MODEL_DAMAGED' }));
  const other = Buffer.from(readFileSync(saved).toString('latin1').replace('torch._utils', 'torch._udder'), 'latin1');
  await refusal(() => torchTensors(file(other)));
});

test('damaged: a coded error, or tensors within the file', () => {
  const whole = readFileSync(saved);
  const path = join(root, 'damaged.bin');
  const change = fc.record({
    at: fc.nat(whole.length - 1),
    byte: fc.nat(255),
    end: fc.integer({ min: 1, max: whole.length }),
  });
  fc.assert(
    fc.property(change, fc.boolean(), ({ at, byte, end }, cut) => {
      const damaged = Buffer.from(whole);
      damaged[at] = byte;
      writeFileSync(path, cut ? damaged.subarray(0, end) : damaged);
      try {
        const { size } = statSync(path);
        for (const { offset, bytes: length } of torchTensors(path)) expect(offset + length).toBeLessThanOrEqual(size);
      } catch (error) {
        if (!(error instanceof RobustError)) throw error;
      }
    }),
    // An empty tensor with a stride that no file of its size could hold.
    { numRuns: tries(400), examples: [[{ at: 928, byte: 168, end: 1 }, false]] },
  );
});

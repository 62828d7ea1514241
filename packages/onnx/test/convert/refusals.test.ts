/** @file Errors for files that are not checkpoints of a known family name the keys of the config, the tensors and the files. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RobustError } from '../../../../src/core/errors.js';
import { openCheckpoint } from '../../src/convert/checkpoint/open.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { bytesOf } from '../../src/graph/write.js';
import { floatsToHalves } from '../../src/half.js';
import {
  answers,
  checkpoint,
  convertedAnswers,
  distance,
  type Json,
  safetensorsBytes,
  type Tensors,
  temporary,
  valuesOf,
} from './checkpoints.js';
import { tinyConfig, tinyTensors } from './tiny-bert.js';

const config = tinyConfig;
const tensors = tinyTensors;
const fed = { input_ids: [[1, 2, 3]], attention_mask: [[1, 1, 1]], token_type_ids: [[0, 0, 1]] };

function failure(work: () => unknown): RobustError {
  try {
    work();
  } catch (error) {
    if (error instanceof RobustError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const refused = (changes: Json, changed: Tensors = tensors) =>
  failure(() => convertCheckpoint(checkpoint({ ...config, ...changes }, changed), { ...config, ...changes }));

describe('config.json', () => {
  test.each([
    ['model_type', 'bret', 'got "bret"'],
    ['model_type', 5, 'got 5'],
    ['model_type', undefined, 'got nothing'],
    ['auto_map', { AutoModelForSequenceClassification: 'mine.MyBert' }, 'code of its own: "mine.MyBert"'],
    ['hidden_act', 'prelu', 'got "prelu"'],
    ['hidden_act', { fn: 'gelu' }, 'got {"fn":"gelu"}'],
    ['position_embedding_type', 'rotary', 'expected absolute, relative_key, relative_key_query, got "rotary"'],
    ['num_attention_heads', 3, 'expected a divisor of hidden_size 4, got 3'],
    ['num_attention_heads', 0, 'got 0'],
    ['num_hidden_layers', 1e9, 'expected a whole number from 1 to 1024, got 1000000000'],
    ['num_hidden_layers', 1.5, 'got 1.5'],
    ['hidden_size', '4', 'got "4"'],
    ['layer_norm_eps', -1, 'got -1'],
    ['is_decoder', true, 'expected false, got true'],
    ['pruned_heads', { 0: [1] }, 'expected none, got {"0":[1]}'],
    ['embedding_size', 3, 'expected 4, got 3'],
    ['tie_word_embeddings', 'no', undefined],
  ])('%s %j', (key, value, message) => {
    if (message === undefined)
      return expect(convertCheckpoint(checkpoint(config, tensors), { ...config, [key]: value }).task).toBe('classify');
    const { message: told, exit } = refused({ [key]: value });
    expect(told).toContain(`config.json: ${key}: expected`);
    expect(told).toContain(message);
    expect(exit).toBe(2);
  });

  test.each([
    ['big_bird', 'attention_type', { max_position_embeddings: 4096 }, 'texts of at most 704 tokens'],
    ['big_bird', 'attention_type', { attention_type: 'sparse' }, 'got "sparse"'],
    ['xmod', 'default_language', { languages: ['en_XX', 'de_DE'] }, 'expected en_XX, de_DE, got nothing'],
    ['xmod', 'default_language', { languages: ['en_XX'], default_language: 'fr_XX' }, 'got "fr_XX"'],
    ['t5', 'is_encoder_decoder', { is_encoder_decoder: false, d_ff: 4, num_layers: 1 }, 'expected true, got false'],
    ['convbert', 'conv_kernel_size', { conv_kernel_size: 4, num_attention_heads: 2 }, 'expected an odd number, got 4'],
    [
      'nomic_bert',
      'prenorm',
      { n_embd: 4, n_head: 2, n_layer: 1, n_inner: 4, prenorm: true },
      'expected false, got true',
    ],
    ['eurobert', 'rope_type', { rope_scaling: { rope_type: 'spiral' } }, 'got "spiral"'],
  ])('%s: %s', (model_type, key, changes, message) => {
    const { message: told, code, hint } = refused({ model_type, ...changes });
    expect(told).toContain(key);
    expect(told).toContain(message);
    expect(code).toBe('MODEL_UNSUPPORTED');
    expect(hint).toContain('Export the model to ONNX');
  });

  test.each(['nomic_bert', 'eurobert'])('%s may name code of its own, which is not run', (model_type) => {
    const auto_map = { AutoModelForSequenceClassification: 'mine.Mine' };
    expect(refused({ model_type, auto_map }).code).toBe('MODEL_DAMAGED');
  });

  test.each([
    [['BertModel'], 'TASK_MISMATCH'],
    [['BertForQuestionAnswering'], 'TASK_MISMATCH'],
    [undefined, 'TASK_MISMATCH'],
    ['BertForSequenceClassification', 'TASK_MISMATCH'],
    [['BertLMHeadModel'], 'MODEL_UNSUPPORTED'],
  ])('architectures %j', (architectures, code) => {
    expect(refused({ architectures }).code).toBe(code);
  });
});

describe('tensors', () => {
  const without = (name: string): Tensors => new Map([...tensors].filter(([key]) => key !== name));
  const and = (name: string, dims: readonly number[]): Tensors =>
    new Map([...tensors, [name, { dims, values: valuesOf(name, dims) }]]);

  test('missing, left over and misshapen ones are named with their shapes', () => {
    expect(refused({}, without('classifier.bias')).message).toContain(
      'a tensor "classifier.bias" of shape [2], got none',
    );
    expect(refused({}, and('bert.adapter.down', [2, 3])).message).toContain('"bert.adapter.down" [2, 3]');
    expect(refused({ id2label: { 0: 'a', 1: 'b', 2: 'c' } }).message).toContain(
      '"classifier.weight" of shape [3, 4], got [2, 4]',
    );
    expect(refused({ num_hidden_layers: 2 }).message).toContain('"bert.encoder.layer.1.attention.self.query.weight"');
  });

  test('buffers and heads of other tasks are left', () => {
    const more = new Map([...and('bert.embeddings.position_ids', [1, 7]), ...and('cls.predictions.bias', [9])]);
    expect(convertCheckpoint(checkpoint(config, more), config).model.graph.initializers.size).toBeGreaterThan(20);
  });

  test('a weight of whole numbers is refused', () => {
    const folder = checkpoint(config, without('classifier.bias'));
    const odd = safetensorsBytes(new Map([['classifier.bias', { dims: [2], values: valuesOf('x', [2]) }]]), 'I32');
    writeFileSync(join(folder, 'model-2.safetensors'), odd);
    writeFileSync(join(folder, 'model-1.safetensors'), safetensorsBytes(without('classifier.bias')));
    rmSync(join(folder, 'model.safetensors'));
    const index = { weight_map: { a: 'model-1.safetensors', b: 'model-2.safetensors' } };
    writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify(index));
    expect(failure(() => convertCheckpoint(folder, config)).message).toContain(
      '"classifier.bias" to be of F32, F16, BF16 or F64, got I32',
    );
  });

  const renamed = (rename: (name: string) => string): Tensors =>
    new Map([...tensors].map(([name, tensor]) => [rename(name), tensor]));

  test.each([
    [
      'gamma and beta',
      (name: string) =>
        name.replace(/LayerNorm\.weight$/, 'LayerNorm.gamma').replace(/LayerNorm\.bias$/, 'LayerNorm.beta'),
    ],
    ['module.', (name: string) => `module.${name}`],
    ['model.', (name: string) => `model.${name}`],
    ['_orig_mod.module.', (name: string) => `_orig_mod.module.${name}`],
    ['the base model without its prefix', (name: string) => name.replace(/^bert\./, '')],
  ])('old names: %s', async (_, rename) => {
    const plain = await convertedAnswers(checkpoint(config, tensors), config, fed);
    const other = await convertedAnswers(checkpoint(config, renamed(rename)), config, fed);
    expect(other.data).toEqual(plain.data);
  });

  test.each([
    ['F16', (values: Float32Array) => bytesOf(floatsToHalves(values)), 1e-3],
    [
      'BF16',
      (values: Float32Array) => bytesOf(Uint16Array.from(new Uint32Array(values.buffer), (bits) => bits >>> 16)),
      1e-1,
    ],
    ['F64', (values: Float32Array) => bytesOf(Float64Array.from(values)), 0],
  ])('weights of %s', async (type, stored, tolerance) => {
    const plain = await convertedAnswers(checkpoint(config, tensors), config, fed);
    const folder = checkpoint(config, tensors);
    writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(tensors, type, stored));
    expect(distance((await convertedAnswers(folder, config, fed)).data, plain.data)).toBeLessThanOrEqual(tolerance);
  });
});

describe('files', () => {
  test('a folder without weights', () => {
    expect(failure(() => openCheckpoint(temporary())).code).toBe('MODEL_DAMAGED');
  });

  test.each([
    ['no JSON', '{', 'an index that is not JSON'],
    ['no map', '{}', 'an index without a weight_map'],
    ['a path', '{"weight_map":{"a":"../x"}}', 'names the shard "../x"'],
    ['a number', '{"weight_map":{"a":1}}', 'names the shard 1'],
    [
      'a shard that is not there',
      '{"weight_map":{"a":"x.safetensors"}}',
      'names the shard "x.safetensors", which is not there',
    ],
  ])('an index with %s', (_, index, message) => {
    const folder = temporary();
    writeFileSync(join(folder, 'model.safetensors.index.json'), index);
    expect(failure(() => openCheckpoint(folder)).message).toContain(message);
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['a length beyond the file', Buffer.from([255, 255, 255, 255, 255, 255, 255, 127])],
    ['no JSON', Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{x')])],
    ['a tensor beyond the file', headerOf({ a: { dtype: 'F32', shape: [9], data_offsets: [0, 36] } })],
    ['another size than its shape', headerOf({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, 4)],
    ['offsets the wrong way round', headerOf({ a: { dtype: 'F32', shape: [0], data_offsets: [4, 0] } }, 4)],
    ['an endless shape', headerOf({ a: { dtype: 'F32', shape: [1e300], data_offsets: [0, 4] } }, 4)],
  ])('safetensors: %s', (_, bytes) => {
    const folder = temporary();
    writeFileSync(join(folder, 'model.safetensors'), bytes);
    expect(failure(() => openCheckpoint(folder)).code).toBe('MODEL_DAMAGED');
  });

  test('safetensors that were cut short: where', () => {
    const folder = temporary();
    const bytes = headerOf({ a: { dtype: 'F32', shape: [9], data_offsets: [0, 36] } }, 30);
    writeFileSync(join(folder, 'model.safetensors'), bytes);
    const { message } = failure(() => openCheckpoint(folder));
    expect(message).toContain(
      `breaks off: its tensor "a" ends at byte ${bytes.length + 6}, the file at ${bytes.length}`,
    );
  });
});

test('a new head is drawn from its seed, and the encoder stays', async () => {
  const { random } = await import('../../../../src/core/random.js');
  const folder = checkpoint(config, tensors);
  const encoder = { ...config, architectures: ['BertModel'] };
  const drawn = (seed: number) =>
    convertCheckpoint(folder, encoder, { head: { labels: 3, random: random(seed, 'head') } });
  expect(drawn(1).fresh).toEqual(['classifier.weight', 'classifier.bias']);
  const [one, again, other] = await Promise.all([
    answers(drawn(1).model, fed),
    answers(drawn(1).model, fed),
    answers(drawn(2).model, fed),
  ]);
  expect(one.dims).toEqual([1, 3]);
  expect(one.data).toEqual(again.data);
  expect(one.data).not.toEqual(other.data);
});

function headerOf(header: Json, more = 0): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, Buffer.alloc(more)]);
}

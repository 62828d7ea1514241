/** @file Errors for files that are not checkpoints of a known family name the keys of the config, the tensors and the files. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../../test/refusal.js';
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

const refused = (changes: Json, code: string, changed: Tensors = tensors) =>
  refusal(() => convertCheckpoint(checkpoint({ ...config, ...changes }, changed), { ...config, ...changes }), code);

describe('config.json', () => {
  test.each([
    ['model_type', 'bret'],
    ['model_type', 5],
    ['model_type', undefined],
    ['auto_map', { AutoModelForSequenceClassification: 'mine.MyBert' }],
    ['hidden_act', 'prelu'],
    ['hidden_act', { fn: 'gelu' }],
    ['position_embedding_type', 'rotary'],
    ['num_attention_heads', 3],
    ['num_attention_heads', 0],
    ['num_hidden_layers', 1e9],
    ['num_hidden_layers', 1.5],
    ['hidden_size', '4'],
    ['layer_norm_eps', -1],
    ['is_decoder', true],
    ['pruned_heads', { 0: [1] }],
    ['embedding_size', 3],
  ])('%s %j', async (key, value) => {
    await refused({ [key]: value }, 'MODEL_UNSUPPORTED');
  });

  test('what a family does not read may be anything', () => {
    expect(convertCheckpoint(checkpoint(config, tensors), { ...config, tie_word_embeddings: 'no' }).task).toBe(
      'classify',
    );
  });

  test.each([
    ['big_bird', 'attention_type', { max_position_embeddings: 4096 }],
    ['big_bird', 'attention_type', { attention_type: 'sparse' }],
    ['xmod', 'default_language', { languages: ['en_XX', 'de_DE'] }],
    ['xmod', 'default_language', { languages: ['en_XX'], default_language: 'fr_XX' }],
    ['t5', 'is_encoder_decoder', { is_encoder_decoder: false, d_ff: 4, num_layers: 1 }],
    ['convbert', 'conv_kernel_size', { conv_kernel_size: 4, num_attention_heads: 2 }],
    ['nomic_bert', 'prenorm', { n_embd: 4, n_head: 2, n_layer: 1, n_inner: 4, prenorm: true }],
    ['eurobert', 'rope_type', { rope_scaling: { rope_type: 'spiral' } }],
  ])('%s: %s', async (model_type, _, changes) => {
    await refused({ model_type, ...changes }, 'MODEL_UNSUPPORTED');
  });

  test.each(['nomic_bert', 'eurobert'])('%s may name code of its own, which is not run', async (model_type) => {
    await refused({ model_type, auto_map: { AutoModelForSequenceClassification: 'mine.Mine' } }, 'MODEL_DAMAGED');
  });

  test.each([
    [['BertModel'], 'TASK_MISMATCH'],
    [['BertForQuestionAnswering'], 'TASK_MISMATCH'],
    [undefined, 'TASK_MISMATCH'],
    ['BertForSequenceClassification', 'TASK_MISMATCH'],
    [['BertLMHeadModel'], 'MODEL_UNSUPPORTED'],
  ])('architectures %j', async (architectures, code) => {
    await refused({ architectures }, code);
  });
});

describe('tensors', () => {
  const without = (name: string): Tensors => new Map([...tensors].filter(([key]) => key !== name));
  const and = (name: string, dims: readonly number[]): Tensors =>
    new Map([...tensors, [name, { dims, values: valuesOf(name, dims) }]]);

  test('missing, left over and misshapen ones are named with their shapes', async () => {
    await refused({}, 'MODEL_DAMAGED', without('classifier.bias'));
    await refused({}, 'MODEL_DAMAGED', and('bert.adapter.down', [2, 3]));
    await refused({ id2label: { 0: 'a', 1: 'b', 2: 'c' } }, 'MODEL_DAMAGED');
    await refused({ num_hidden_layers: 2 }, 'MODEL_DAMAGED');
  });

  test('buffers and heads of other tasks are left', () => {
    const more = new Map([...and('bert.embeddings.position_ids', [1, 7]), ...and('cls.predictions.bias', [9])]);
    expect(convertCheckpoint(checkpoint(config, more), config).model.graph.initializers.size).toBeGreaterThan(20);
  });

  test('a weight of whole numbers is refused', async () => {
    const folder = checkpoint(config, without('classifier.bias'));
    const odd = safetensorsBytes(new Map([['classifier.bias', { dims: [2], values: valuesOf('x', [2]) }]]), 'I32');
    writeFileSync(join(folder, 'model-2.safetensors'), odd);
    writeFileSync(join(folder, 'model-1.safetensors'), safetensorsBytes(without('classifier.bias')));
    rmSync(join(folder, 'model.safetensors'));
    const index = { weight_map: { a: 'model-1.safetensors', b: 'model-2.safetensors' } };
    writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify(index));
    await refusal(() => convertCheckpoint(folder, config));
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
  test('a folder without weights', () => refusal(() => openCheckpoint(temporary()), 'MODEL_DAMAGED'));

  test.each([
    ['no JSON', '{'],
    ['no map', '{}'],
    ['a path', '{"weight_map":{"a":"../x"}}'],
    ['a number', '{"weight_map":{"a":1}}'],
    ['a shard that is not there', '{"weight_map":{"a":"x.safetensors"}}'],
  ])('an index with %s', async (_, index) => {
    const folder = temporary();
    writeFileSync(join(folder, 'model.safetensors.index.json'), index);
    await refusal(() => openCheckpoint(folder), 'MODEL_DAMAGED');
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['a length beyond the file', Buffer.from([255, 255, 255, 255, 255, 255, 255, 127])],
    ['no JSON', Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{x')])],
    ['a tensor beyond the file', headerOf({ a: { dtype: 'F32', shape: [9], data_offsets: [0, 36] } })],
    ['another size than its shape', headerOf({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, 4)],
    ['offsets the wrong way round', headerOf({ a: { dtype: 'F32', shape: [0], data_offsets: [4, 0] } }, 4)],
    ['an endless shape', headerOf({ a: { dtype: 'F32', shape: [1e300], data_offsets: [0, 4] } }, 4)],
    ['cut short', headerOf({ a: { dtype: 'F32', shape: [9], data_offsets: [0, 36] } }, 30)],
  ])('safetensors: %s', async (_, bytes) => {
    const folder = temporary();
    writeFileSync(join(folder, 'model.safetensors'), bytes);
    await refusal(() => openCheckpoint(folder), 'MODEL_DAMAGED');
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

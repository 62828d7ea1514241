/** @file Decoders: every option of their configs that changes what they compute, against Hugging Face transformers; and their gradients. */
import { expect, test } from 'vitest';
import { ModelError } from '../../../../src/core/errors.js';
import { random } from '../../../../src/core/random.js';
import { onnxEngine } from '../../../../src/gradient/white-box/onnx-engine.js';
import type { Golden } from '../../../../test/model/goldens.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { readModel } from '../../src/graph/read.js';
import { writeModel } from '../../src/graph/write.js';
import { compare } from '../autodiff/held-against.js';
import {
  answersAsReferred,
  byFormula,
  type Configuration,
  checkpoint,
  checkpointOf,
  configurationsIn,
  convertedAnswers,
} from './checkpoints.js';

type Gradients = Pick<Golden['cases'][number], 'loss_mean' | 'grad_word_embedding_output' | 'grad_weights' | 'labels'>;

type Learnt = Configuration & Partial<Gradients>;

const cases = configurationsIn<Learnt>('decoders.json');

test.each(cases.map((each) => [each.name, each] as const))('%s', (_, one) => answersAsReferred(one));

const learnt = cases.filter(({ grad_weights }) => grad_weights !== undefined);

test('gradients of every family are compared', () => {
  expect(new Set(learnt.map(({ config }) => config.model_type)).size).toBe(11);
});

/** As the references of other families have a case, so that one comparison serves all. */
function goldenOf(one: Learnt, folder: string): Golden {
  const [rows, columns] = one.shape as [number, number];
  const logits = Array.from({ length: rows }, (_, row) => one.logits.slice(row * columns, (row + 1) * columns));
  const given = { texts: [], ...(one as Configuration & Gradients), logits };
  return {
    name: one.name,
    folder,
    task: 'single',
    inputs: [],
    word_embedding_modules: [],
    files: [],
    cases: [given],
  };
}

test.each(learnt.map((each) => [each.name, each] as const))('gradients of %s', async (_, one) => {
  const folder = checkpointOf(one);
  const { model } = convertCheckpoint(folder, one.config);
  const golden = goldenOf(one, folder);
  const read = readModel(writeModel(model), () => new Uint8Array());
  expect(await compare(onnxEngine(), golden, read, golden.cases)).toEqual([]);
});

const byName = (name: string): Learnt => cases.find((each) => each.name === name)!;

test.each([
  [
    'llama grouped',
    { rope_scaling: { type: 'spiral', factor: 2 } },
    'rope_scaling: rope_type: expected default, linear',
  ],
  ['llama grouped', { rope_parameters: { rope_type: 'linear', factor: 2, sections: [1] } }, 'sections: expected none'],
  ['llama grouped', { rope_parameters: { rope_type: 'linear' } }, 'factor: expected a number above 0'],
  ['llama grouped', { partial_rotary_factor: 0.5 }, 'partial_rotary_factor: expected 1, got 0.5'],
  ['llama grouped', { quantization_config: { quant_method: 'gptq' } }, 'quantization_config: expected none'],
  ['llama grouped', { num_key_value_heads: 3 }, 'num_key_value_heads: expected a divisor of 4 heads'],
  ['mistral window', { layer_types: ['sliding_attention', 'full_attention'] }, 'layer_types: expected none'],
  ['qwen3', { layer_types: ['sliding_attention', 'full_attention'] }, 'where use_sliding_window is off'],
  ['gemma', { use_bidirectional_attention: true }, 'use_bidirectional_attention: expected false'],
  ['gemma', { hidden_activation: 'silu' }, 'hidden_activation: expected "gelu_pytorch_tanh"'],
  ['gemma2', { layer_types: ['chunked_attention', 'full_attention'] }, 'layer_types: expected full_attention or'],
  ['gemma3', { rope_parameters: { rope_type: 'default' } }, 'an object for full_attention and one for'],
  ['phi3', { rope_scaling: { type: 'longrope', short_factor: [1], long_factor: [2, 2] } }, 'a list of 2 numbers'],
  ['opt', { is_causal: false }, 'is_causal: expected true'],
] as const)('%s refuses %j', (name, change, message) => {
  const { config, tensors } = byName(name);
  const changed = { ...config, ...change };
  const folder = checkpoint(changed, byFormula(tensors));
  expect(() => convertCheckpoint(folder, changed)).toThrow(
    expect.objectContaining({
      code: 'MODEL_UNSUPPORTED',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/ONNX/),
    }),
  );
});

test.each(['score', 'classifier'])(
  'a decoder that tags has the layer "%s", which answers for each token',
  async (layer) => {
    const one = byName('llama grouped');
    const { 'score.weight': _, ...rest } = one.tensors;
    const shapes = { ...rest, [`${layer}.weight`]: [3, Number(one.config.hidden_size)], [`${layer}.bias`]: [3] };
    const config = {
      ...one.config,
      architectures: ['LlamaForTokenClassification'],
      id2label: { 0: 'O', 1: 'B', 2: 'I' },
      transformers_version: '5.18.0',
    };
    const folder = checkpoint(config, byFormula(shapes));
    const { options } = convertCheckpoint(folder, config);
    expect(options.read).toContain('num_key_value_heads');
    expect(options.ignored).toContain('transformers_version');
    expect(options.ignored).not.toContain('architectures');
    const { dims } = await convertedAnswers(folder, config, one);
    expect(dims).toEqual([one.input_ids.length, one.input_ids[0]?.length, 3]);
  },
);

/** Odd values of a config. */
const ODD = [
  null,
  -1,
  0,
  1,
  3,
  1e9,
  0.5,
  '',
  'gelu',
  true,
  [],
  [2, 2],
  {},
  { rope_type: 'yarn' },
  { type: 'linear', factor: 0 },
];

test('of 4,000 changed configs each is drawn or refused as a model', () => {
  const stream = random(7, 'configs');
  let refused = 0;
  for (const one of cases.filter(({ name }) => !name.includes(' '))) {
    const folder = checkpointOf(one);
    const keys = [...Object.keys(one.config), 'rope_scaling', 'rope_parameters', 'head_dim', 'layer_types'];
    for (let round = 0; round < 500; round++) {
      const config = { ...one.config };
      for (let change = 0; change < 1 + stream.int(2); change++) {
        config[keys[stream.int(keys.length)]!] = ODD[stream.int(ODD.length)];
      }
      try {
        convertCheckpoint(folder, config);
      } catch (error) {
        expect(error).toBeInstanceOf(ModelError);
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(2000);
});

test.each(cases.filter(({ config }) => config.model_type === 'llama').slice(0, 1))(
  'padding below zero is none, as in transformers: $name',
  async ({ config: given, tensors }) => {
    const config = { ...given, architectures: ['LlamaForSequenceClassification'], pad_token_id: -1 };
    const folder = checkpoint(config, byFormula(tensors));
    const { continued } = convertCheckpoint(folder, config, { continued: true });
    expect(continued).toBeDefined();
    expect([...(continued?.metadata ?? [])]).toEqual([]);
  },
);

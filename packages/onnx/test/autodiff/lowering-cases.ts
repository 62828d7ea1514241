/** @file Cases of every compound operator: shapes, inputs left out, and every attribute at a value that is not its default. */
import { float, floats, type GraphBuilder } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import type { AttributeValue } from '../../src/graph/node-writer.js';
import { type Case, type Operand, on, op } from './numeric.js';

const domain = 'com.microsoft';
const apart = (_: () => number, i: number): number => (((i * 37) % 101) - 50) / 10;
const small = (normal: () => number): number => 0.5 * normal();
const positive = (normal: () => number): number => 0.5 + Math.abs(normal());
const awayFromZero = (normal: () => number): number => {
  const value = normal();
  return value + Math.sign(value);
};
const integers = (dims: Operand['dims'], value: (i: number) => number, type: number = DataType.int32): Operand => ({
  dims,
  type,
  value: (_, i) => value(i),
});

/** One operator on inputs in order; an empty name leaves one out. */
const contributed = (
  op: string,
  inputs: Record<string, Operand>,
  attributes: Record<string, AttributeValue> = {},
  {
    order = Object.keys(inputs),
    outputs = 1,
    result = 0,
  }: { order?: string[]; outputs?: number; result?: number } = {},
): Case => ({
  inputs,
  graph: (g) => g.ops(op, order, outputs, attributes, domain)[result]!,
});
const own = (
  op: string,
  dims: Operand['dims'],
  attributes: Record<string, AttributeValue> = {},
  value = apart,
): Case => ({
  inputs: { x: { dims, value } },
  graph: (g) => g.op(op, ['x'], attributes),
  step: 0.01,
});

const x: Operand = { dims: ['B', 'S', 4] };
const vector: Operand = { dims: [4] };
const norm = { x, skip: x, w: vector, b: vector, bias: vector };
const lengths = integers(['B'], (i) => [3, 4, 2][i]!);
const mask2 = integers(['B', 'S'], (i) => Number(i % 4 !== 3));
const attention = { x: { dims: ['B', 'S', 3], value: small }, w: { dims: [3, 12] }, b: { dims: [12] } } as const;
const heads = { num_heads: 2 };
const qkv = {
  query: { dims: ['B', 'S', 4] },
  key: { dims: ['B', 'T', 4] },
  value: { dims: ['B', 'T', 4] },
} as const;
const gemm = { a: { dims: ['B', 3] }, b: { dims: [3, 2] }, c: { dims: [2] } } as const;
const conv = { x: { dims: ['B', 2, 'T'] }, w: { dims: [3, 2, 3] }, b: { dims: [3] } } as const;
const channels = { dims: [3] } as const;

export const LOWERING_CASES: Readonly<Record<string, readonly Case[]>> = {
  '.MaxPool': [
    own('MaxPool', ['B', 2, 'T'], { kernel_shape: [3] }),
    own('MaxPool', ['B', 2, 'T'], { kernel_shape: [3], ceil_mode: 1 }),
    own('MaxPool', ['B', 2, 7], { kernel_shape: [3], strides: [2], ceil_mode: 1 }),
    own('MaxPool', ['B', 2, 'T'], { kernel_shape: [2], strides: [2], pads: [1, 1] }),
    own('MaxPool', ['B', 2, 'T'], { kernel_shape: [2], dilations: [3] }),
    own('MaxPool', ['B', 1, 'S', 'T'], { kernel_shape: [2, 3], strides: [1, 2] }),
    own('MaxPool', ['B', 3, 7], { kernel_shape: [7] }),
    own('MaxPool', ['B', 1, 'S'], { kernel_shape: [2], auto_pad: 'SAME_UPPER' }),
  ],
  '.AveragePool': [
    own('AveragePool', ['B', 2, 'T'], { kernel_shape: [3] }),
    own('AveragePool', ['B', 2, 'S'], { kernel_shape: [2], auto_pad: 'SAME_LOWER' }),
    own('AveragePool', ['B', 2, 7], { kernel_shape: [3], strides: [2], pads: [1, 1], ceil_mode: 1 }),
    { ...own('AveragePool', ['B', 2, 'T'], { kernel_shape: [2], dilations: [3], pads: [1, 1] }), opset: 19 },
    own('AveragePool', ['B', 2, 'T'], { kernel_shape: [3], pads: [1, 1] }),
    own('AveragePool', ['B', 2, 'T'], { kernel_shape: [3], pads: [1, 1], count_include_pad: 1, strides: [2] }),
    own('AveragePool', ['B', 3, 7], { kernel_shape: [7] }),
  ],
  '.GlobalMaxPool': [own('GlobalMaxPool', ['B', 2, 'S'])],
  '.GlobalAveragePool': [own('GlobalAveragePool', ['B', 2, 'S', 3])],
  '.BatchNormalization': [
    op(
      'BatchNormalization',
      {
        x: { dims: ['B', 3, 'S'] },
        w: channels,
        b: channels,
        mean: channels,
        variance: { dims: [3], value: positive },
      },
      { epsilon: float(1e-3) },
    ),
    op('BatchNormalization', {
      x: { dims: ['B', 3] },
      w: channels,
      b: channels,
      mean: channels,
      variance: { dims: [3], value: positive },
    }),
  ],
  '.InstanceNormalization': [
    op('InstanceNormalization', { x: { dims: ['B', 3, 'T'] }, w: channels, b: channels }, { epsilon: float(0.1) }),
  ],
  '.LpNormalization': [
    own('LpNormalization', ['B', 5], {}, awayFromZero),
    own('LpNormalization', ['B', 4, 'S'], { axis: 1, p: 1 }, awayFromZero),
  ],
  '.MeanVarianceNormalization': [
    own('MeanVarianceNormalization', ['B', 2, 'S', 3]),
    own('MeanVarianceNormalization', ['B', 6], { axes: [1] }),
  ],
  '.RMSNormalization': [op('RMSNormalization', { x, w: vector }, { axis: -1, epsilon: float(0.1) }, { opset: 23 })],
  '.SimplifiedLayerNormalization': [
    op('SimplifiedLayerNormalization', { x, w: vector }, { axis: -1, epsilon: float(1e-5) }),
  ],
  '.Sum': [op('Sum', { x, b: vector, c: { dims: ['S', 1] } })],
  '.Mean': [op('Mean', { x, b: vector })],
  '.HardSwish': [own('HardSwish', ['B', 3])],
  '.Softsign': [own('Softsign', ['B', 3], {}, awayFromZero)],
  '.PRelu': [
    op(
      'PRelu',
      { x: { dims: ['B', 3], value: awayFromZero }, a: { dims: [3] } },
      {},
      {
        step: 0.01,
      },
    ),
  ],
  '.Selu': [
    own('Selu', ['B', 3], {}, awayFromZero),
    own('Selu', ['B', 3], { alpha: float(0.7), gamma: float(1.3) }, awayFromZero),
  ],
  '.Gelu': [
    { ...own('Gelu', ['B', 3], {}, awayFromZero), opset: 20 },
    { ...own('Gelu', ['B', 3], { approximate: 'tanh' }, awayFromZero), opset: 20 },
  ],
  '.Mish': [{ ...own('Mish', ['B', 3], {}, awayFromZero), opset: 18 }],
  'com.microsoft.Gelu': [contributed('Gelu', { x })],
  'com.microsoft.BiasGelu': [contributed('BiasGelu', { x, b: vector })],
  'com.microsoft.FastGelu': [contributed('FastGelu', { x, b: vector }), contributed('FastGelu', { x })],
  'com.microsoft.QuickGelu': [contributed('QuickGelu', { x }, { alpha: float(1.5) })],
  'com.microsoft.FusedMatMul': [
    contributed(
      'FusedMatMul',
      { a: { dims: ['B', 3, 'S'] }, b: { dims: ['B', 2, 3] } },
      { transA: 1, transB: 1, alpha: float(0.5) },
    ),
    contributed('FusedMatMul', { a: { dims: ['B', 'S', 3] }, b: { dims: [3, 2] } }),
  ],
  'com.microsoft.FusedGemm': [
    contributed('FusedGemm', gemm, { activation: 'Tanh' }),
    contributed(
      'FusedGemm',
      { a: { dims: [3, 'B'] }, b: { dims: [2, 3] }, c: { dims: [2] } },
      {
        transA: 1,
        transB: 1,
        beta: float(2),
        activation: 'HardSigmoid',
        activation_alpha: float(0.1),
        activation_beta: float(0.4),
      },
    ),
    contributed('FusedGemm', gemm, { activation: 'LeakyRelu', activation_alpha: float(0.3), alpha: float(2) }),
  ].map((one) => ({ ...one, step: 0.005 })),
  'com.microsoft.FusedConv': [
    contributed('FusedConv', conv, { activation: 'Tanh', pads: [1, 1] }),
    contributed(
      'FusedConv',
      { x: { dims: ['B', 2, 'T'] }, w: { dims: [4, 1, 3] } },
      { activation: 'Tanh', kernel_shape: [3], group: 2, strides: [2], dilations: [2] },
    ),
    contributed('FusedConv', conv, { activation: 'Tanh', auto_pad: 'SAME_UPPER' }),
    {
      ...contributed('FusedConv', conv, { activation: 'LeakyRelu', activation_params: floats([0.3]) }),
      step: 0.002,
      atol: 5e-3,
    },
  ],
  'com.microsoft.SkipLayerNormalization': [
    contributed('SkipLayerNormalization', norm, { epsilon: float(1e-5) }),
    contributed('SkipLayerNormalization', { x, skip: x, w: vector }, { epsilon: float(1e-5) }),
    on(norm, normAndSum),
  ],
  'com.microsoft.SkipSimplifiedLayerNormalization': [
    contributed('SkipSimplifiedLayerNormalization', { x, skip: x, w: vector, bias: vector }, { epsilon: float(1e-5) }),
  ],
  'com.microsoft.EmbedLayerNormalization': [
    contributed(
      'EmbedLayerNormalization',
      {
        ids: integers(['B', 'S'], (i) => i % 5),
        types: integers(['B', 'S'], (i) => i % 2),
        words: { dims: [5, 4] },
        positions: { dims: [8, 4] },
        segments: { dims: [2, 4] },
        w: vector,
        b: vector,
        mask: mask2,
      },
      { epsilon: float(1e-5) },
      { outputs: 2 },
    ),
  ],
  'com.microsoft.Attention': [
    contributed('Attention', attention, heads),
    contributed('Attention', { ...attention, mask: mask2 }, heads),
    contributed('Attention', { ...attention, mask: mask2 }, { ...heads, mask_filter_value: float(-2) }),
    contributed('Attention', { ...attention, lengths }, heads),
    contributed('Attention', { ...attention, mask: integers(['B', 'S', 'S'], (i) => Number(i % 5 !== 4)) }, heads),
    contributed('Attention', attention, { ...heads, unidirectional: 1, scale: float(0.3) }),
    contributed('Attention', { ...attention, extra: { dims: ['B', 2, 'S', 'S'] } }, heads, {
      order: ['x', 'w', 'b', '', '', 'extra'],
    }),
    contributed(
      'Attention',
      { ...attention, w: { dims: [3, 14] }, b: { dims: [14] } },
      { ...heads, qkv_hidden_sizes: [4, 4, 6] },
    ),
  ],
  'com.microsoft.MultiHeadAttention': [
    contributed('MultiHeadAttention', qkv, heads),
    contributed('MultiHeadAttention', qkv, { ...heads, scale: float(0.3) }),
    contributed(
      'MultiHeadAttention',
      { query: qkv.query, key: { dims: ['B', 'S', 4] }, value: { dims: ['B', 'S', 4] } },
      { ...heads, unidirectional: 1 },
    ),
    contributed(
      'MultiHeadAttention',
      { ...qkv, mask: integers(['B', 'T'], (i) => Number(i % 3 !== 2)) },
      { ...heads, mask_filter_value: float(-2) },
      { order: ['query', 'key', 'value', '', 'mask'] },
    ),
    contributed('MultiHeadAttention', { ...qkv, b: { dims: [12] } }, heads),
    contributed('MultiHeadAttention', { ...qkv, mask: integers(['B', 'T'], (i) => Number(i % 3 !== 2)) }, heads, {
      order: ['query', 'key', 'value', '', 'mask'],
    }),
    contributed('MultiHeadAttention', { ...qkv, extra: { dims: [1, 2, 'S', 'T'] } }, heads, {
      order: ['query', 'key', 'value', '', '', 'extra'],
    }),
    contributed(
      'MultiHeadAttention',
      { query: qkv.query, key: { dims: ['B', 2, 'T', 2] }, value: { dims: ['B', 2, 'T', 2] } },
      heads,
    ),
  ],
};

/** The loss sees the normalised values and the sum they were made of. */
function normAndSum(g: GraphBuilder): string {
  const outputs = ['y', '', '', 'sum'];
  g.ops('SkipLayerNormalization', Object.keys(norm), outputs, { epsilon: float(1e-5) }, domain);
  return g.op('Add', ['y', 'sum']);
}

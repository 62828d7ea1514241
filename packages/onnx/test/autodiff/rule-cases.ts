/** @file Cases of every rule: shapes, opsets, and every attribute at a value that is not its default. */
import { float, floats, type GraphBuilder, strings } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import { type Case, type Operand, on, op } from './numeric.js';

const positive = (normal: () => number): number => 0.5 + Math.abs(normal());
/** Away from 0 by more than any step. */
const awayFromZero = (normal: () => number): number => {
  const value = normal();
  return value + Math.sign(value) * 0.2;
};
/** All different, by more than any step. */
const apart = (_: () => number, i: number): number => (((i * 37) % 101) - 50) / 10;

const x: Operand = { dims: ['B', 'S', 3] };
const kinked = { step: 0.01 } as const;
const unary = (op: string, attributes = {}, value?: Operand['value']): Case => ({
  inputs: { x: { dims: ['B', 3], ...(value && { value }) } },
  graph: (g) => g.op(op, ['x'], attributes),
  ...(value && kinked),
});
const binary = (op: string, a: Operand['dims'], b: Operand['dims'], value?: Operand['value']): Case => ({
  inputs: { a: { dims: a, ...(value && { value }) }, b: { dims: b, ...(value && { value }) } },
  graph: (g) => g.op(op, ['a', 'b']),
  ...(value && kinked),
});
const axesInput = (g: GraphBuilder, op: string, axes: number[], keepdims: number) =>
  g.op(op, ['x', g.ints(axes)], { keepdims });
const reduction = (op: string, value?: Operand['value']): Case[] => [
  {
    opset: 18,
    inputs: { x: { dims: ['B', 'S', 3], ...(value && { value }) } },
    graph: (g) => axesInput(g, op, [1], 0),
    ...kinked,
  },
  {
    opset: 11,
    inputs: { x: { dims: ['B', 'S', 3], ...(value && { value }) } },
    graph: (g) => g.op(op, ['x'], { axes: [-1, 0], keepdims: 1 }),
    ...kinked,
  },
  {
    opset: 17,
    inputs: { x: { dims: ['B', 3], ...(value && { value }) } },
    graph: (g) => g.op(op, ['x'], { keepdims: 0 }),
    ...kinked,
  },
  {
    opset: 18,
    inputs: { x: { dims: ['B', 'S', 3], ...(value && { value }) } },
    graph: (g) => g.op(op, ['x', g.ints([])], { noop_with_empty_axes: 1 }),
    ...kinked,
  },
  {
    opset: 18,
    inputs: { x: { dims: ['B', 3], ...(value && { value }) } },
    graph: (g) => g.op(op, ['x'], { noop_with_empty_axes: 1 }),
    ...kinked,
  },
];
const conv = (dims: Operand['dims'], weights: number[], attributes = {}, bias = true): Case => ({
  inputs: { x: { dims }, w: { dims: weights }, ...(bias && { b: { dims: [weights[0]!] } }) },
  graph: (g) => g.op('Conv', ['x', 'w', ...(bias ? ['b'] : [])], attributes),
});

const [I, H] = [3, 2];
const recurrent = (op: 'LSTM' | 'GRU', directions: 1 | 2, given: string[], attributes = {}, output = 0): Case => {
  const gates = { LSTM: 4, GRU: 3 }[op];
  const operands: Record<string, Operand> = {
    x: { dims: ['S', 'B', I] },
    w: { dims: [directions, gates * H, I] },
    r: { dims: [directions, gates * H, H] },
    b: { dims: [directions, 2 * gates * H] },
    lengths: { dims: ['B'], type: DataType.int32, value: (_, i) => [4, 2, 3][i]! },
    h0: { dims: [directions, 'B', H] },
    c0: { dims: [directions, 'B', H] },
  };
  const order = Object.keys(operands).slice(0, op === 'LSTM' ? 7 : 6);
  return {
    inputs: Object.fromEntries(given.map((name) => [name, operands[name]!])),
    graph: (g) => {
      const inputs = order.map((name) => (given.includes(name) ? name : ''));
      while (inputs.at(-1) === '') inputs.pop();
      const outputs = ['Y', 'Y_h', 'Y_c'].slice(0, op === 'LSTM' ? 3 : 2);
      g.ops(op, inputs, outputs, { hidden_size: H, ...attributes });
      if (output >= 0) return outputs[output]!;
      // The loss sees several outputs at once.
      return g.op('Add', [g.op('ReduceMean', ['Y'], { axes: [0], keepdims: 0 }), outputs.at(-1)!]);
    },
  };
};

export const RULE_CASES: Readonly<Record<string, readonly Case[]>> = {
  Add: [
    binary('Add', ['B', 'S', 3], [3]),
    binary('Add', ['B', 1, 3], [1, 'S', 1]),
    binary('Add', [2, 'S'], ['B', 1, 1]),
  ],
  Sub: [binary('Sub', ['B', 3], ['B', 3]), binary('Sub', [3], ['B', 'S', 1])],
  Mul: [binary('Mul', ['B', 3], ['S', 1, 3]), on({ x }, (g) => g.op('Mul', ['x', 'x']))],
  Div: [binary('Div', ['B', 3], ['B', 3], positive), binary('Div', ['B', 'S'], [1], positive)],
  Pow: [
    on({ x }, (g) => g.op('Pow', ['x', g.float(2)])),
    on({ x: { ...x, value: positive } }, (g) => g.op('Pow', ['x', g.float(-0.5)])),
    binary('Pow', ['B', 3], [3], positive),
  ],
  Max: [binary('Max', ['B', 9], [9], apart), op('Max', { x: { dims: ['B', 9], value: apart } })],
  Min: [binary('Min', ['B', 9], ['B', 1], apart)],
  Where: [
    op('Where', {
      m: { dims: ['B', 1], type: DataType.bool, value: (_, i) => i % 2 },
      a: { dims: ['B', 3] },
      b: { dims: [3] },
    }),
  ],
  Sqrt: [unary('Sqrt', {}, positive)],
  Reciprocal: [unary('Reciprocal', {}, positive)],
  Exp: [unary('Exp')],
  Log: [unary('Log', {}, positive)],
  Neg: [unary('Neg')],
  Abs: [unary('Abs', {}, awayFromZero)],
  Erf: [unary('Erf')],
  Sin: [unary('Sin')],
  Cos: [unary('Cos')],
  Sign: [on({ x }, (g) => g.op('Add', ['x', g.op('Sign', ['x'])]))],
  Floor: [on({ x: { ...x, value: () => 0.4 } }, (g) => g.op('Sub', ['x', g.op('Floor', ['x'])]))],
  Ceil: [on({ x: { ...x, value: () => 0.4 } }, (g) => g.op('Sub', ['x', g.op('Ceil', ['x'])]))],
  Round: [on({ x: { ...x, value: () => 0.4 } }, (g) => g.op('Sub', ['x', g.op('Round', ['x'])]))],
  Tanh: [unary('Tanh')],
  Sigmoid: [unary('Sigmoid')],
  HardSigmoid: [
    unary('HardSigmoid', { alpha: float(0.3) }, apart),
    unary('HardSigmoid', { alpha: float(0.3), beta: float(0.15) }, apart),
  ],
  Softplus: [unary('Softplus')],
  Relu: [unary('Relu', {}, awayFromZero)],
  LeakyRelu: [unary('LeakyRelu', { alpha: float(0.2) }, awayFromZero), unary('LeakyRelu', {}, awayFromZero)],
  Elu: [unary('Elu', { alpha: float(0.7) }, awayFromZero)],
  Hardmax: [
    { inputs: { x }, graph: (g) => g.op('Add', ['x', g.op('Hardmax', ['x'], { axis: 1 })]), ...kinked },
    { opset: 12, inputs: { x }, graph: (g) => g.op('Add', ['x', g.op('Hardmax', ['x'])]), ...kinked },
  ],
  Clip: [
    {
      inputs: { x: { dims: ['B', 20], value: apart } },
      graph: (g) => g.op('Clip', ['x', g.float(-1.05), g.float(2.05)]),
      ...kinked,
    },
  ],
  Softmax: [
    op('Softmax', { x }, { axis: -1 }),
    op('Softmax', { x }, { axis: 1 }),
    op('Softmax', { x }, { axis: 1 }, { opset: 11 }),
  ],
  LogSoftmax: [op('LogSoftmax', { x }), op('LogSoftmax', { x }, { axis: 1 }, { opset: 12 })],
  ReduceSum: [
    on({ x }, (g) => axesInput(g, 'ReduceSum', [-2], 0)),
    op('ReduceSum', { x }, { axes: [0, 1] }, { opset: 11 }),
    on({ x }, (g) => g.op('ReduceSum', ['x', g.ints([])], { noop_with_empty_axes: 1 })),
  ],
  ReduceMean: reduction('ReduceMean'),
  ReduceMax: reduction('ReduceMax', apart),
  ReduceMin: reduction('ReduceMin', apart),
  ReduceL1: reduction('ReduceL1', awayFromZero),
  ReduceL2: reduction('ReduceL2'),
  ReduceSumSquare: reduction('ReduceSumSquare'),
  ReduceLogSumExp: reduction('ReduceLogSumExp'),
  CumSum: [0, 1].flatMap((exclusive) =>
    [0, 1].map((reverse) =>
      on({ x }, (g: GraphBuilder) => g.op('CumSum', ['x', g.int(exclusive ? 1 : -1)], { exclusive, reverse })),
    ),
  ),
  Identity: [unary('Identity')],
  Dropout: [unary('Dropout')],
  Reshape: [
    on({ x }, (g) => g.op('Mul', [g.op('Reshape', ['x', g.ints([0, -1])]), g.op('Reshape', ['x', g.ints([0, -1])])])),
    on({ x: { dims: ['B', 'S', 'T', 2] } }, (g) => g.op('Reshape', ['x', g.ints([-1, 2])])),
    on({ x }, (g) => g.op('Reshape', ['x', g.ints([3, -1])], { allowzero: 1 })),
    {
      // Nothing but the zeros that allowzero lets stand.
      inputs: { x: { dims: ['B', 2] } },
      graph: (g) => {
        const none = g.op('Slice', ['x', g.ints([0]), g.ints([0]), g.ints([0])]);
        const still = g.op('Reshape', [none, g.ints([0, 2])], { allowzero: 1 });
        return g.op('Concat', ['x', still], { axis: 0 });
      },
    },
  ],
  Flatten: [op('Flatten', { x }, { axis: 2 })],
  Squeeze: [
    on({ x: { dims: ['B', 1, 3, 1] } }, (g) => g.op('Squeeze', ['x', g.ints([1])])),
    op('Squeeze', { x: { dims: ['B', 1, 3] } }, { axes: [1] }, { opset: 11 }),
  ],
  Unsqueeze: [
    op('Unsqueeze', { x }, { axes: [0, -1] }, { opset: 12 }),
    on({ x }, (g) => g.op('Unsqueeze', ['x', g.ints([0, -1])])),
  ],
  Cast: [unary('Cast', { to: DataType.float })],
  CastLike: [on({ x }, (g) => g.op('CastLike', ['x', g.float(1)]))],
  Transpose: [op('Transpose', { x }, { perm: [1, 2, 0] }), op('Transpose', { x })],
  Expand: [
    on({ x: { dims: ['B', 1, 3] }, s: { dims: ['S'] } }, (g) =>
      g.op('Add', [
        g.op('Expand', ['x', g.op('Concat', [g.ints([1]), g.op('Shape', ['s']), g.ints([1])], { axis: 0 })]),
        g.op('Unsqueeze', ['s', g.ints([1])]),
      ]),
    ),
  ],
  Tile: [on({ x }, (g) => g.op('Tile', ['x', g.ints([2, 1, 3])]))],
  Trilu: [op('Trilu', { x }), on({ x }, (g) => g.op('Trilu', ['x', g.int(-1)], { upper: 0 }))],
  ReverseSequence: [
    op(
      'ReverseSequence',
      { x, n: { dims: ['B'], type: DataType.int64, value: (_, i) => i + 1 } },
      { batch_axis: 0, time_axis: 1 },
    ),
  ],
  Gather: [
    on({ x }, (g) => g.op('Gather', ['x', g.int(0)], { axis: 1 })),
    on({ x }, (g) => g.op('Gather', ['x', g.int(-1)], { axis: -1 })),
    on({ x }, (g) => g.op('Gather', ['x', g.ints([1, 1, -2])], { axis: 1 })),
    on({ x }, (g) => g.op('Gather', ['x', g.ints([2, 0])], { axis: 2 })),
    op('Gather', {
      table: { dims: [6, 3] },
      ids: { dims: ['B', 'S'], type: DataType.int64, value: (_, i) => (i * 2) % 6 },
    }),
    op(
      'Gather',
      { x: { dims: ['B', 6, 2] }, ids: { dims: [2, 'S'], type: DataType.int64, value: (_, i) => i % 4 } },
      { axis: 1 },
    ),
  ],
  GatherElements: [
    op('GatherElements', { x, ids: { dims: ['B', 2, 3], type: DataType.int64, value: (_, i) => i % 3 } }, { axis: 1 }),
  ],
  GatherND: [op('GatherND', { x, ids: { dims: ['T', 2], type: DataType.int64, value: (_, i) => i % 2 } })],
  ScatterND: [
    on({ x, u: { dims: [2, 'S', 3] } }, (g) =>
      g.op('ScatterND', ['x', g.op('Unsqueeze', [g.ints([1, 0]), g.ints([1])]), 'u']),
    ),
  ],
  ScatterElements: [
    on(
      {
        x,
        u: { dims: ['B', 2, 3] },
        ids: { dims: ['B', 2, 3], type: DataType.int64, value: (_, i) => (i % 3) + (i % 6 > 2 ? 1 : 0) - 4 * (i % 2) },
      },
      (g) => g.op('ScatterElements', ['x', 'ids', 'u'], { axis: 1 }),
    ),
  ],
  TopK: [
    {
      inputs: { x: { dims: ['B', 9, 2], value: apart } },
      graph: (g) => g.ops('TopK', ['x', g.ints([2])], ['top', 'at'], { axis: -2, largest: 0 })[0]!,
      ...kinked,
    },
    {
      inputs: { x: { dims: ['B', 9], value: apart } },
      graph: (g) => g.ops('TopK', ['x', g.ints([3])], ['top', 'at'], { axis: 1 })[0]!,
      ...kinked,
    },
  ],
  Slice: [
    on({ x }, (g) => g.op('Slice', ['x', g.ints([1]), g.ints([1000]), g.ints([1])])),
    on({ x }, (g) => g.op('Slice', ['x', g.ints([0, 1]), g.ints([2, -1]), g.ints([2, 1])])),
    on({ x }, (g) => g.op('Slice', ['x', g.ints([-2]), g.ints([1000]), g.ints([1])])),
    on({ x }, (g) => g.op('Slice', ['x', g.ints([0, -1]), g.ints([1000, -1000]), g.ints([1, 2]), g.ints([2, -1])])),
    on({ x, n: { dims: [1], type: DataType.int64, value: () => 1 } }, (g) =>
      g.op('Slice', ['x', 'n', g.ints([4]), g.ints([1])]),
    ),
  ],
  Concat: [
    on({ x, b: { dims: ['B', 2, 3] } }, (g) => g.op('Concat', ['x', 'b', 'x'], { axis: 1 })),
    on({ x, b: { dims: ['B', 'S', 2] } }, (g) => g.op('Concat', ['b', 'x'], { axis: -1 })),
  ],
  Split: [
    on({ x }, (g) => g.ops('Split', ['x'], ['one', 'two'], { axis: -1, split: [2, 1] })[0]!, { opset: 11 }),
    on({ x: { dims: ['B', 5] } }, (g) => g.ops('Split', ['x'], 2, { axis: 1, num_outputs: 2 })[1]!, { opset: 18 }),
    on({ x }, (g) => g.ops('Split', ['x', g.ints([1, 2])], ['one', 'two'], { axis: 2 })[0]!),
    on({ x: { dims: ['B', 4] } }, (g) => {
      const [a, b] = g.ops('Split', ['x'], 2, { axis: 1 });
      return g.op('Mul', [a!, b!]);
    }),
  ],
  Pad: [
    on({ x }, (g) => g.op('Pad', ['x', g.ints([0, 2, 1, 0, 0, 3])])),
    on({ x }, (g) => g.op('Pad', ['x', g.ints([0, -1, 0, 0, 1, 0])])),
  ],
  MatMul: [
    binary('MatMul', ['B', 'S', 3], [3, 2]),
    binary('MatMul', ['B', 3], [3, 2]),
    binary('MatMul', ['B', 2, 'S', 3], ['B', 2, 3, 'T']),
    binary('MatMul', ['B', 1, 'S', 3], [2, 3, 4]),
    binary('MatMul', [4, 3], ['B', 3, 'S']),
    binary('MatMul', [3], ['B', 3, 2]),
    binary('MatMul', ['B', 'S', 3], [3]),
    binary('MatMul', [3], [3]),
  ],
  Gemm: [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ].map(([transA, transB]) =>
    op(
      'Gemm',
      { a: { dims: transA ? [3, 'B'] : ['B', 3] }, b: { dims: transB ? [2, 3] : [3, 2] }, c: { dims: [2] } },
      {
        transA: transA!,
        transB: transB!,
        alpha: float(transA ? 1 : 0.5),
        beta: float(2),
      },
    ),
  ),
  Einsum: [
    op('Einsum', { a: { dims: ['B', 'S', 2, 3] }, b: { dims: ['B', 'T', 2, 3] } }, { equation: 'bqhd,bkhd->bhqk' }),
    op('Einsum', { a: { dims: ['B', 'S', 3] }, b: { dims: [3, 2] } }, { equation: '...i, ij -> ...j' }),
    op('Einsum', { a: { dims: ['B', 'S', 3] }, b: { dims: [3] } }, { equation: 'bsi,i->b' }),
    op('Einsum', { a: { dims: ['B', 3] }, b: { dims: [3, 2] } }, { equation: 'bi,ij' }),
  ],
  LayerNormalization: [
    op(
      'LayerNormalization',
      { x: { dims: ['B', 'S', 5] }, w: { dims: [5] }, b: { dims: [5] } },
      { epsilon: float(1e-5) },
    ),
    op('LayerNormalization', { x: { dims: ['B', 3, 2] }, w: { dims: [3, 2] } }, { axis: 1 }),
  ],
  Conv: [
    conv(['B', 3, 'S'], [2, 3, 2]),
    conv(['B', 3, 'S'], [2, 3, 2], { kernel_shape: [2] }),
    conv(['B', 3, 'S'], [2, 3, 3], { pads: [1, 1] }),
    conv(['B', 2, 'T'], [3, 2, 2], { dilations: [3], pads: [3, 2] }),
    conv(['B', 2, 'T'], [3, 2, 3], { strides: [2] }),
    conv(['B', 2, 'T'], [3, 2, 2], { strides: [3], pads: [1, 2], dilations: [2] }),
    conv(['B', 4, 'S'], [6, 2, 2], { group: 2 }),
    conv(['B', 3, 'S'], [3, 1, 3], { group: 3, pads: [1, 1] }, false),
    conv(['B', 2, 'S'], [3, 2, 1], { pads: [1, 1] }),
    conv(['B', 1, 'S', 4], [2, 1, 2, 4]),
    conv(['B', 2, 'S'], [2, 2, 4], { auto_pad: 'SAME_UPPER' }),
    conv(['B', 2, 'S'], [2, 2, 4], { auto_pad: 'SAME_LOWER' }),
    conv(['B', 2, 7], [2, 2, 3], { auto_pad: 'SAME_UPPER', strides: [2] }),
    conv(['B', 2, 'S'], [2, 2, 2], { auto_pad: 'VALID' }),
  ],
  LSTM: [
    recurrent('LSTM', 1, ['x', 'w', 'r', 'b'], {}, 0),
    recurrent('LSTM', 1, ['x', 'w', 'r', 'h0', 'c0'], {}, 1),
    recurrent('LSTM', 1, ['x', 'w', 'r', 'b', 'h0', 'c0'], { direction: 'reverse' }, 2),
    recurrent('LSTM', 2, ['x', 'w', 'r', 'b', 'h0', 'c0'], { direction: 'bidirectional' }, -1),
    recurrent('LSTM', 1, ['x', 'w', 'r', 'b', 'lengths', 'h0', 'c0'], {}, -1),
    recurrent('LSTM', 2, ['x', 'w', 'r', 'b', 'lengths', 'h0', 'c0'], { direction: 'bidirectional' }, -1),
    {
      ...recurrent('LSTM', 1, ['x', 'w', 'r', 'b'], {
        activations: strings(['HardSigmoid', 'Tanh', 'Tanh']),
        activation_alpha: floats([0.1]),
        activation_beta: floats([0.5]),
      }),
      step: 0.005,
    },
    // The parameters go to the functions that have some, in order: here to those of the second direction.
    {
      ...recurrent('LSTM', 2, ['x', 'w', 'r', 'b'], {
        direction: 'bidirectional',
        activations: strings(['Sigmoid', 'Tanh', 'Tanh', 'HardSigmoid', 'Tanh', 'Tanh']),
        activation_alpha: floats([0.1]),
        activation_beta: floats([0.4]),
      }),
      step: 0.005,
    },
  ],
  GRU: [0, 1].flatMap((linear_before_reset) => [
    {
      ...recurrent('GRU', 2, ['x', 'w', 'r', 'b'], {
        linear_before_reset,
        direction: 'bidirectional',
        activations: strings(['HardSigmoid', 'Tanh', 'HardSigmoid', 'Tanh']),
        activation_alpha: floats([0.1, 0.3]),
        activation_beta: floats([0.5, 0.4]),
      }),
      step: 0.005,
    },
    recurrent('GRU', 1, ['x', 'w', 'r', 'b'], { linear_before_reset }, 0),
    recurrent('GRU', 1, ['x', 'w', 'r', 'h0'], { linear_before_reset, direction: 'reverse' }, 1),
    recurrent('GRU', 2, ['x', 'w', 'r', 'b', 'h0'], { linear_before_reset, direction: 'bidirectional' }, -1),
    recurrent('GRU', 2, ['x', 'w', 'r', 'b', 'lengths', 'h0'], { linear_before_reset, direction: 'bidirectional' }, -1),
  ]),
};

/**
 * @file Graph models of TF.js as ONNX graphs, compared with TF.js's executor: operators, generated graphs, whole models, refusals, damage.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { convertTfjs } from '../../src/convert/tfjs/index.js';
import { ModelError } from '../../src/core/errors.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';
import { OrtSession } from '../../src/model/workers/session.js';
import { DataType } from '../../src/onnx/data-type.js';
import type { Feed } from '../../src/onnx/tensor.js';
import { writeModel } from '../../src/onnx/write.js';
import { attr, type Fed, GraphModel } from './graph-models.js';
import { numbers } from './tfjs.js';

const root = mkdtempSync(join(tmpdir(), 'robust-graph-model-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const fresh = (): string => mkdtempSync(join(root, 'x-'));

/** The answers of the graph that is drawn, by what its inputs are fed. */
async function answers(folder: string, feeds: Readonly<Record<string, Fed>>, output = 'logits'): Promise<Fed> {
  const session = await OrtSession.open({ source: writeModel(convertTfjs(folder)) });
  try {
    const fed = session.ports.inputs.map(({ name, type }): [string, Feed] => {
      const { dims, values } = feeds[name] as Fed;
      if (type === 'int64') return [name, { type: DataType.int64, dims, data: BigInt64Array.from(values, BigInt) }];
      if (type === 'bool') return [name, { type: DataType.bool, dims, data: Uint8Array.from(values) }];
      return [name, { type: DataType.float, dims, data: Float32Array.from(values) }];
    });
    const found = (await session.run(new Map(fed))).get(output);
    return { dims: [...(found?.dims ?? [])], values: Array.from(found?.data as Float32Array, Number) };
  } finally {
    await session.release();
  }
}

async function expectSame(model: GraphModel, output: string, feeds: Readonly<Record<string, Fed>>): Promise<void> {
  const folder = fresh();
  model.write(folder, output);
  const found = await answers(folder, feeds);
  const wanted = await model.reference(output, feeds);
  expect(found.dims).toEqual(wanted.dims);
  expect(found.values).toHaveLength(wanted.values.length);
  for (const [at, value] of found.values.entries()) {
    const other = wanted.values[at] as number;
    expect(Math.abs(value - other), `place ${at}: ${value}, not ${other}`).toBeLessThan(1e-5 * (1 + Math.abs(other)));
  }
}

/** A case of one operator: x is a tensor [2, 6, 4] of numbers, ids one of whole numbers [2, 6]. */
type Draw = (m: GraphModel, x: string, ids: string) => string;
const X: Fed = { dims: [2, 6, 4], values: numbers(48, 5).map((value) => value * 3) };
const IDS: Fed = { dims: [2, 6], values: [3, 1, 0, 4, 2, 2, 0, 0, 5, 1, 3, 4] };

const unary = (op: string, of: 'x' | 'positive' | 'unit' = 'x', attributes = {}): [string, Draw] => [
  `${op} ${JSON.stringify(attributes)}`,
  (m, x) => {
    const positive = m.op('AddV2', [m.op('Square', [x]), m.constant([], [1.1])]);
    const unit = m.op('Tanh', [x]);
    return m.op(op, [{ x, positive, unit }[of]], attributes);
  },
];
const other = (m: GraphModel) =>
  m.constant(
    [6, 4],
    numbers(24, 9).map((value) => value * 2 + 0.01),
  );
const binary = (op: string): [string, Draw] => [op, (m, x) => m.op(op, [x, other(m)])];
const whole = (op: string): [string, Draw] => [
  `${op} of whole numbers`,
  (m, _, ids) => m.op(op, [m.op('Sub', [ids, m.int(3)]), m.ints(2, -3, 1, 2, -2, 3)], { T: attr.type('int32') }),
];
const compared = (op: string): [string, Draw] => [op, (m, _, ids) => m.op(op, [ids, m.ints(3, 1, 2, 2, 2, 0)])];
const reduced = (op: string, axes: number[], keep: boolean): [string, Draw] => [
  `${op} [${axes}] ${keep}`,
  (m, x) => m.op(op, [x, m.ints(...axes)], { keep_dims: attr.b(keep) }),
];
const strided = (
  title: string,
  [begin, end, strides]: [number[], number[], number[]],
  masks: Record<string, number> = {},
): [string, Draw] => [
  `StridedSlice ${title}`,
  (m, x) =>
    m.op(
      'StridedSlice',
      [x, m.ints(...begin), m.ints(...end), m.ints(...strides)],
      Object.fromEntries(Object.entries(masks).map(([name, mask]) => [`${name}_mask`, attr.i(mask)])),
    ),
];
/** [2, 6, 4] as pictures [2, 6, 4, 1] with 3 channels. */
const picture = (m: GraphModel, x: string) =>
  m.op('Mul', [m.op('ExpandDims', [x, m.int(-1)]), m.constant([3], [1, -0.5, 2])]);
const windows = (strides: number[], padding: string, more = {}) => ({
  strides: attr.ints([1, ...strides, 1]),
  padding: attr.s(padding),
  dilations: attr.ints([1, 1, 1, 1]),
  ...more,
});
const filters = (m: GraphModel, shape: number[]) =>
  m.constant(
    shape,
    numbers(
      shape.reduce((a, b) => a * b, 1),
      3,
    ),
  );
const sizeOf = (m: GraphModel, x: string, at: number) =>
  m.op('StridedSlice', [m.op('Shape', [x]), m.ints(at), m.ints(at + 1), m.ints(1)], { shrink_axis_mask: attr.i(1) });

const CASES: readonly [string, Draw][] = [
  ...['Abs', 'Atan', 'Ceil', 'Cos', 'Elu', 'Erf', 'Exp', 'Expm1', 'Floor', 'LogSoftmax', 'Neg', 'Relu', 'Relu6'].map(
    (op) => unary(op),
  ),
  ...['Selu', 'Sigmoid', 'Sign', 'Sin', 'Sinh', 'Softmax', 'Softplus', 'Square', 'Tan', 'Tanh', 'Cosh', 'Asinh'].map(
    (op) => unary(op),
  ),
  ...['Log', 'Log1p', 'Reciprocal', 'Rsqrt', 'Sqrt', 'Acosh', 'Round'].map((op) => unary(op, 'positive')),
  ...['Acos', 'Asin', 'Atanh'].map((op) => unary(op, 'unit')),
  unary('LeakyRelu', 'x', { alpha: attr.f(0.3) }),
  unary('LeakyRelu'),
  ...['Identity', 'Snapshot', 'StopGradient', 'ZerosLike', 'OnesLike'].map((op) => unary(op)),
  ...['Add', 'AddV2', 'Sub', 'Mul', 'RealDiv', 'Div', 'DivNoNan', 'FloorDiv', 'FloorMod', 'Mod'].map(binary),
  ...['Maximum', 'Minimum', 'SquaredDifference'].map(binary),
  ['Pow', (m, x) => m.op('Pow', [m.op('Exp', [x]), other(m)])],
  ['Prelu', (m, x) => m.op('Prelu', [x, other(m)])],
  ['DivNoNan by 0', (m, x) => m.op('DivNoNan', [x, m.constant([4], [0, 1, 0, 2])])],
  ...['Add', 'Sub', 'Mul', 'FloorDiv', 'FloorMod', 'Maximum', 'Minimum', 'SquaredDifference'].map(whole),
  ...['Equal', 'NotEqual', 'Greater', 'GreaterEqual', 'Less', 'LessEqual'].map(compared),
  ...(['LogicalAnd', 'LogicalOr'] as const).map((op): [string, Draw] => [
    op,
    (m, _, ids) =>
      m.op('LogicalNot', [m.op(op, [m.op('Less', [ids, m.int(2)]), m.op('Equal', [ids, m.ints(3, 1, 2, 2, 2, 0)])])]),
  ]),
  ['AddN', (m, x) => m.op('AddN', [x, x, m.op('Neg', [m.op('Sigmoid', [x])])])],
  ['BiasAdd', (m, x) => m.op('BiasAdd', [x, m.constant([4], [1, 2, 3, 4])])],
  ['ClipByValue', (m, x) => m.op('ClipByValue', [x, m.constant([], [-0.2]), m.constant([], [0.4])])],
  ['Cast to numbers', (m, _, ids) => m.op('Cast', [ids], { DstT: attr.type('float32') })],
  ['Cast to whole numbers', (m, x) => m.op('Cast', [m.op('Neg', [x])], { DstT: attr.type('int32') })],
  ['Cast to truth', (m, _, ids) => m.op('Cast', [ids], { DstT: attr.type('bool') })],
  [
    'SelectV2',
    (m, x, ids) => m.op('SelectV2', [m.op('ExpandDims', [m.op('Less', [ids, m.int(2)]), m.int(2)]), x, other(m)]),
  ],
  [
    'FusedBatchNormV3',
    (m, x) =>
      m.op(
        'FusedBatchNormV3',
        [
          picture(m, x),
          ...[
            [1, 2, 3],
            [0, -1, 1],
            [0.1, 0.2, 0.3],
            [1, 2, 0.5],
          ].map((each) => m.constant([3], each)),
        ],
        { epsilon: attr.f(0.01), is_training: attr.b(false) },
      ),
  ],
  ...['Sum', 'Mean', 'Max', 'Min', 'Prod', 'EuclideanNorm'].flatMap((op) => [
    reduced(op, [1], false),
    reduced(op, [-1, 0], true),
    ...(op === 'EuclideanNorm' ? [] : [reduced(op, [0, 1, 2], false)]),
  ]),
  reduced('Sum', [], false),
  ...['All', 'Any'].map((op): [string, Draw] => [
    op,
    (m, _, ids) => m.op(op, [m.op('Less', [ids, m.int(4)]), m.ints(1)]),
  ]),
  ...['ArgMax', 'ArgMin'].map((op): [string, Draw] => [op, (m, x) => m.op(op, [x, m.int(-1)])]),
  ...[0, 1, 2, 3].map((bits): [string, Draw] => [
    `Cumsum ${bits}`,
    (m, x) => m.op('Cumsum', [x, m.int(1)], { exclusive: attr.b(bits % 2 === 1), reverse: attr.b(bits > 1) }),
  ]),
  ['TopKV2', (m, x) => m.op('TopKV2', [x, m.int(2)], { sorted: attr.b(true) })],
  ['TopKV2, its places', (m, x) => `${m.op('TopKV2', [x, m.int(2)], { sorted: attr.b(true) })}:1`],
  ...[0, 1, 2, 3].map((bits): [string, Draw] => [
    `MatMul ${bits}`,
    (m, x) => {
      const [a, b] = [bits % 2 === 1, bits > 1];
      const rows = m.op('Reshape', [x, m.ints(12, 4)]);
      const left = a ? m.op('Transpose', [rows, m.ints(1, 0)]) : rows;
      const flags = { transpose_a: attr.b(a), transpose_b: attr.b(b) };
      return m.op('MatMul', [left, filters(m, b ? [5, 4] : [4, 5])], flags);
    },
  ]),
  ...[[], ['Relu'], ['Relu6'], ['Elu'], ['Sigmoid'], ['LeakyRelu']].map((more): [string, Draw] => [
    `_FusedMatMul ${more}`,
    (m, x) =>
      m.op('_FusedMatMul', [m.op('Reshape', [x, m.ints(-1, 4)]), filters(m, [4, 5]), filters(m, [5])], {
        fused_ops: attr.texts(['BiasAdd', ...more]),
        num_args: attr.i(1),
        leakyrelu_alpha: attr.f(0.3),
      }),
  ]),
  ...[0, 1, 2, 3].map((bits): [string, Draw] => [
    `BatchMatMulV2 ${bits}`,
    (m, x) => {
      const [a, b] = [bits % 2 === 1, bits > 1];
      const left = a ? m.op('Transpose', [x, m.ints(0, 2, 1)]) : x;
      return m.op('BatchMatMulV2', [left, filters(m, b ? [5, 4] : [4, 5])], { adj_x: attr.b(a), adj_y: attr.b(b) });
    },
  ]),
  ...['abc,cd->abd', 'abc,abd->acd', 'abc, adc -> abd'].map((equation): [string, Draw] => [
    `Einsum ${equation}`,
    (m, x) =>
      m.op('Einsum', [x, equation.includes('cd->abd') ? filters(m, [4, 5]) : x], { equation: attr.s(equation) }),
  ]),
  ...(['VALID', 'SAME'] as const).flatMap((padding) =>
    [1, 2].flatMap((step): [string, Draw][] => [
      [
        `Conv2D ${padding} ${step}`,
        (m, x) => m.op('Conv2D', [picture(m, x), filters(m, [3, 2, 3, 5])], windows([step, step], padding)),
      ],
      [
        `DepthwiseConv2dNative ${padding} ${step}`,
        (m, x) =>
          m.op('DepthwiseConv2dNative', [picture(m, x), filters(m, [3, 2, 3, 2])], windows([step, step], padding)),
      ],
      [
        `MaxPool ${padding} ${step}`,
        (m, x) => m.op('MaxPool', [picture(m, x)], windows([step, step], padding, { ksize: attr.ints([1, 3, 2, 1]) })),
      ],
      [
        `AvgPool ${padding} ${step}`,
        (m, x) => m.op('AvgPool', [picture(m, x)], windows([step, step], padding, { ksize: attr.ints([1, 3, 2, 1]) })),
      ],
    ]),
  ),
  [
    'Conv2D dilated',
    (m, x) =>
      m.op(
        'Conv2D',
        [picture(m, x), filters(m, [3, 2, 3, 5])],
        windows([1, 1], 'SAME', { dilations: attr.ints([1, 2, 1, 1]) }),
      ),
  ],
  [
    'Conv2D explicit',
    (m, x) =>
      m.op(
        'Conv2D',
        [picture(m, x), filters(m, [3, 2, 3, 5])],
        windows([1, 1], 'EXPLICIT', { explicit_paddings: attr.ints([0, 0, 2, 0, 0, 1, 0, 0]) }),
      ),
  ],
  [
    '_FusedConv2D',
    (m, x) =>
      m.op('_FusedConv2D', [picture(m, x), filters(m, [3, 2, 3, 5]), filters(m, [5])], {
        ...windows([1, 1], 'SAME'),
        fused_ops: attr.texts(['BiasAdd', 'Relu']),
        num_args: attr.i(1),
      }),
  ],
  [
    'a convolution over steps, as Keras writes Conv1D',
    (m, x) => {
      const wide = m.op('ExpandDims', [x, m.int(1)]);
      const y = m.op('Conv2D', [wide, m.op('ExpandDims', [filters(m, [3, 4, 5]), m.int(0)])], windows([1, 1], 'SAME'));
      return m.op('Squeeze', [y], { squeeze_dims: attr.ints([-3]) });
    },
  ],
  ['Shape', (m, x) => m.op('Shape', [x])],
  ['Rank', (m, x) => m.op('Rank', [x])],
  ['Size', (m, x) => m.op('Size', [x])],
  [
    'Reshape by a shape that is calculated',
    (m, x) => m.op('Reshape', [x, m.op('Pack', [sizeOf(m, x, 0), m.int(-1)], { axis: attr.i(0) })]),
  ],
  [
    'Reshape into heads, two sizes calculated',
    (m, x) => m.op('Reshape', [x, m.op('Pack', [sizeOf(m, x, 0), sizeOf(m, x, 1), m.int(2), m.int(2)])]),
  ],
  ['Transpose', (m, x) => m.op('Transpose', [x, m.ints(2, 0, 1)])],
  [
    'ExpandDims and Squeeze',
    (m, x) =>
      m.op('Squeeze', [m.op('ExpandDims', [m.op('ExpandDims', [x, m.int(0)]), m.int(-1)])], {
        squeeze_dims: attr.ints([0]),
      }),
  ],
  ...[0, 1, -1].map((axis): [string, Draw] => [
    `Pack ${axis}`,
    (m, x) => m.op('Pack', [x, m.op('Neg', [x])], { axis: attr.i(axis), N: attr.i(2) }),
  ]),
  ['Unpack', (m, x) => `${m.op('Unpack', [x], { axis: attr.i(1), num: attr.i(6) })}:2`],
  ['ConcatV2', (m, x) => m.op('ConcatV2', [x, m.op('Neg', [x]), m.int(-1)], { N: attr.i(2) })],
  ['Split', (m, x) => `${m.op('Split', [m.int(1), x], { num_split: attr.i(3) })}:1`],
  ['SplitV', (m, x) => `${m.op('SplitV', [x, m.ints(1, -1, 2), m.int(2)], { num_split: attr.i(3) })}:1`],
  ['Tile', (m, x) => m.op('Tile', [x, m.ints(2, 1, 3)])],
  ['Fill', (m, x) => m.op('Fill', [m.op('Shape', [x]), m.constant([], [0.5])])],
  ['BroadcastTo', (m, x) => m.op('BroadcastTo', [m.constant([4], [1, 2, 3, 4]), m.op('Shape', [x])])],
  ['Range', (m, x) => m.op('Range', [m.int(1), sizeOf(m, x, 1), m.int(2)])],
  ['Pad', (m, x) => m.op('Pad', [x, m.constant([3, 2], [0, 0, 1, 2, 0, 1], 'int32')])],
  ['PadV2', (m, x) => m.op('PadV2', [x, m.constant([3, 2], [0, 0, 1, 2, 0, 1], 'int32'), m.constant([], [7])])],
  ['Slice', (m, x) => m.op('Slice', [x, m.ints(0, 1, 2), m.ints(-1, 3, -1)])],
  [
    'Slice to a place that is calculated',
    (m, x) =>
      m.op('Slice', [
        x,
        m.ints(0, 1, 0),
        m.op('Pack', [m.int(-1), m.op('Sub', [sizeOf(m, x, 1), m.int(2)]), m.int(-1)]),
      ]),
  ],
  ['ReverseV2', (m, x) => m.op('ReverseV2', [x, m.ints(1, -1)])],
  strided('plain', [
    [0, 1, 0],
    [2, 5, 3],
    [1, 2, 1],
  ]),
  strided(
    'open',
    [
      [0, 1, 2],
      [0, 0, 0],
      [1, 1, 1],
    ],
    { begin: 1, end: 7 },
  ),
  strided(
    'backwards',
    [
      [0, 4],
      [0, -7],
      [1, -2],
    ],
    { begin: 1, end: 1 },
  ),
  strided(
    'backwards, open',
    [
      [0, 0],
      [0, 0],
      [1, -1],
    ],
    { begin: 3, end: 3 },
  ),
  strided(
    'one token',
    [
      [0, 0],
      [0, 1],
      [1, 1],
    ],
    { begin: 1, end: 1, shrink_axis: 2 },
  ),
  strided(
    'the last token',
    [
      [0, -1],
      [0, 0],
      [1, 1],
    ],
    { begin: 1, end: 1, shrink_axis: 2 },
  ),
  strided(
    'an ellipsis',
    [
      [0, 1],
      [0, 3],
      [1, 1],
    ],
    { ellipsis: 1 },
  ),
  strided(
    'an ellipsis within',
    [
      [0, 0, -1],
      [1, 0, 0],
      [1, 1, 1],
    ],
    { ellipsis: 2, shrink_axis: 5 },
  ),
  strided(
    'new axes',
    [
      [0, 0, 0, 0],
      [0, 0, 0, 3],
      [1, 1, 1, 1],
    ],
    { begin: 15, end: 7, new_axis: 5 },
  ),
  ['GatherV2', (m, _, ids) => m.op('GatherV2', [filters(m, [6, 3]), ids, m.int(0)])],
  ['GatherV2 along another axis', (m, x) => m.op('GatherV2', [x, m.ints(3, 0, 1), m.int(-1)])],
  [
    'GatherV2, each text its own',
    (m, x) => m.op('GatherV2', [x, m.constant([2, 2], [1, 5, 0, 2], 'int32'), m.int(1)], { batch_dims: attr.i(1) }),
  ],
  ['GatherNd', (m, x) => m.op('GatherNd', [x, m.constant([3, 2], [0, 1, 1, 5, 0, 0], 'int32')])],
  ...[-1, 2].map((axis): [string, Draw] => [
    `OneHot ${axis}`,
    (m, _, ids) =>
      m.op('OneHot', [m.op('Sub', [ids, m.int(1)]), m.int(4), m.constant([], [2]), m.constant([], [-1])], {
        axis: attr.i(axis),
      }),
  ]),
  ['Where', (m, _, ids) => m.op('Where', [m.op('Less', [ids, m.int(2)])])],
  [
    'SparseToDense',
    (m, x) =>
      m.op('SparseToDense', [
        m.constant([2, 2], [0, 1, 2, 0], 'int32'),
        m.ints(3, 2),
        m.op('GatherNd', [x, m.constant([2, 3], [0, 1, 2, 1, 5, 3], 'int32')]),
        m.constant([], [-1]),
      ]),
  ],
  [
    'TensorScatterUpdate',
    (m, x) => m.op('TensorScatterUpdate', [x, m.constant([1, 2], [1, 3], 'int32'), filters(m, [1, 4])]),
  ],
];

test.each(CASES)('%s', async (_, draw) => {
  const m = new GraphModel();
  const [x, ids] = [m.input('x', [-1, -1, 4], 'float32'), m.input('ids', [-1, -1])];
  await expectSame(m, draw(m, x, ids), { x: X, ids: IDS });
});

/** Chains of operators that keep [texts, tokens, width], as in layers of a network; what they are fed is as the graph would feed them. */
const KEEPING: readonly ((m: GraphModel, x: string, seed: number) => string)[] = [
  (m, x, seed) => m.op('AddV2', [x, m.constant([4], numbers(4, seed))]),
  (m, x, seed) => m.op('Mul', [x, m.constant([], [0.5 + (seed % 3)])]),
  (m, x) => m.op('Tanh', [x]),
  (m, x) => m.op('Mul', [x, m.op('Sigmoid', [x])]),
  (m, x) => m.op('Softmax', [x]),
  (m, x) => m.op('Sub', [x, m.op('Mean', [x, m.ints(-1)], { keep_dims: attr.b(true) })]),
  (m, x, seed) => m.op('BatchMatMulV2', [x, m.constant([4, 4], numbers(16, seed))]),
  (m, x, seed) => m.op('Einsum', [x, m.constant([4, 4], numbers(16, seed))], { equation: attr.s('abc,cd->abd') }),
  (m, x, seed) => {
    const rows = m.op('Reshape', [x, m.ints(-1, 4)]);
    const y = m.op('MatMul', [rows, m.constant([4, 4], numbers(16, seed))]);
    return m.op('Reshape', [y, m.op('Shape', [x])]);
  },
  (m, x) => {
    const [batch, length] = [sizeOf(m, x, 0), sizeOf(m, x, 1)];
    const heads = m.op('Reshape', [x, m.op('Pack', [batch, length, m.int(2), m.int(2)])]);
    const q = m.op('Transpose', [heads, m.ints(0, 2, 1, 3)]);
    const scores = m.op('Softmax', [m.op('BatchMatMulV2', [q, q], { adj_y: attr.b(true) })]);
    const back = m.op('Transpose', [m.op('BatchMatMulV2', [scores, q]), m.ints(0, 2, 1, 3)]);
    return m.op('Reshape', [back, m.op('Pack', [batch, m.int(-1), m.int(4)])]);
  },
  (m, x) => {
    const parts = m.op('Split', [m.int(-1), x], { num_split: attr.i(2) });
    return m.op('ConcatV2', [`${parts}:1`, parts, m.int(-1)]);
  },
  (m, x) => m.op('ReverseV2', [x, m.ints(-1)]),
  (m, x) => m.op('Maximum', [x, m.op('ReverseV2', [x, m.ints(1)])]),
  (m, x, seed) =>
    m.op(
      'Squeeze',
      [
        m.op(
          'Conv2D',
          [m.op('ExpandDims', [x, m.int(1)]), m.constant([1, 3, 4, 4], numbers(48, seed))],
          windows([1, 1], 'SAME'),
        ),
      ],
      { squeeze_dims: attr.ints([1]) },
    ),
];

test('graphs of these, one after the other, answer as TF.js does', async () => {
  const chain = fc.array(fc.tuple(fc.nat(KEEPING.length - 1), fc.nat(80)), { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(
      chain,
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, texts, length) => {
        const m = new GraphModel();
        const x = m.input('x', [-1, -1, 4], 'float32');
        const end = steps.reduce((y, [which, seed]) => (KEEPING[which] as (typeof KEEPING)[number])(m, y, seed), x);
        const pooled = m.op('Mean', [end, m.ints(1)], { keep_dims: attr.b(false) });
        await expectSame(m, pooled, { x: { dims: [texts, length, 4], values: numbers(texts * length * 4, length) } });
      },
    ),
    { numRuns: 40, seed: 16 },
  );
});

/** A transformer of one layer as an export of BERT spells it out, in the operators that TensorFlow has for it. */
function transformer(): { readonly m: GraphModel; readonly logits: string } {
  const m = new GraphModel();
  const [width, heads, places] = [8, 2, 128];
  const ids = m.input('input_ids', [-1, -1]);
  const mask = m.input('attention_mask', [-1, -1]);
  const types = m.input('token_type_ids', [-1, -1]);
  let seed = 1;
  const weight = (...dims: number[]) => {
    const size = dims.reduce((a, b) => a * b, 1);
    return m.constant(
      dims,
      numbers(size, seed++).map((value) => value * 0.8),
    );
  };
  const batch = sizeOf(m, ids, 0);
  const length = sizeOf(m, ids, 1);
  const norm = (x: string) => {
    const keep = { keep_dims: attr.b(true) };
    const mean = m.op('Mean', [x, m.ints(-1)], keep);
    const variance = m.op('Mean', [m.op('SquaredDifference', [x, m.op('StopGradient', [mean])]), m.ints(-1)], keep);
    const inverse = m.op('Rsqrt', [m.op('AddV2', [variance, m.constant([], [1e-5])])]);
    const factor = m.op('Mul', [inverse, weight(width)]);
    const shift = m.op('Sub', [weight(width), m.op('Mul', [mean, factor])]);
    return m.op('AddV2', [m.op('Mul', [x, factor]), shift]);
  };
  const dense = (x: string, from: number, to: number) => {
    const rows = m.op('MatMul', [m.op('Reshape', [x, m.ints(-1, from)]), weight(from, to)]);
    const biased = m.op('BiasAdd', [rows, weight(to)]);
    return m.op('Reshape', [biased, m.op('Pack', [batch, length, m.int(to)])]);
  };
  const split = (x: string) =>
    m.op('Transpose', [
      m.op('Reshape', [x, m.op('Pack', [batch, m.int(-1), m.int(heads), m.int(width / heads)])]),
      m.ints(0, 2, 1, 3),
    ]);
  const words = m.op('GatherV2', [weight(5, width), ids, m.int(0)]);
  const segments = m.op(
    'Einsum',
    [
      m.op('OneHot', [types, m.int(2), m.constant([], [1]), m.constant([], [0])], { axis: attr.i(-1) }),
      weight(2, width),
    ],
    { equation: attr.s('abc,cd->abd') },
  );
  const positions = m.op('StridedSlice', [weight(places, width), m.ints(0), m.op('Pack', [length]), m.ints(1)], {
    begin_mask: attr.i(1),
  });
  let x = norm(m.op('AddV2', [m.op('AddV2', [words, segments]), m.op('ExpandDims', [positions, m.int(0)])]));
  const floats = m.op(
    'Cast',
    [
      m.op('StridedSlice', [mask, m.ints(0, 0, 0, 0), m.ints(0, 0, 0, 0), m.ints(1, 1, 1, 1)], {
        begin_mask: attr.i(9),
        end_mask: attr.i(9),
        new_axis_mask: attr.i(6),
      }),
    ],
    { DstT: attr.type('float32') },
  );
  const bias = m.op('Mul', [m.op('Sub', [m.constant([], [1]), floats]), m.constant([], [-10000])]);
  const [q, k, v] = [
    split(dense(x, width, width)),
    split(dense(x, width, width)),
    split(dense(x, width, width)),
  ] as const;
  const scores = m.op('RealDiv', [m.op('BatchMatMulV2', [q, k], { adj_y: attr.b(true) }), m.constant([], [2])]);
  const seen = m.op('BatchMatMulV2', [m.op('Softmax', [m.op('AddV2', [scores, bias])]), v]);
  const joined = m.op('Reshape', [
    m.op('Transpose', [seen, m.ints(0, 2, 1, 3)]),
    m.op('Pack', [batch, length, m.int(width)]),
  ]);
  x = norm(m.op('AddV2', [x, dense(joined, width, width)]));
  const inner = dense(x, width, 12);
  const erf = m.op('Erf', [m.op('RealDiv', [inner, m.constant([], [Math.SQRT2])])]);
  const gelu = m.op('Mul', [m.op('Mul', [inner, m.constant([], [0.5])]), m.op('AddV2', [erf, m.constant([], [1])])]);
  x = norm(m.op('AddV2', [x, dense(gelu, 12, width)]));
  const first = m.op('StridedSlice', [x, m.ints(0, 0), m.ints(0, 1), m.ints(1, 1)], {
    begin_mask: attr.i(1),
    end_mask: attr.i(1),
    shrink_axis_mask: attr.i(2),
  });
  const fused = { fused_ops: attr.texts(['BiasAdd']), num_args: attr.i(1) };
  return { m, logits: m.op('_FusedMatMul', [first, weight(width, 3), weight(3)], fused) };
}

test('a transformer as exports of BERT spell it: answers, padding and types, a folder with a word index, its gradients', async () => {
  const { m, logits } = transformer();
  const dims = [2, 5];
  await expectSame(m, logits, {
    input_ids: { dims, values: [1, 2, 3, 4, 0, 2, 2, 1, 0, 0] },
    attention_mask: { dims, values: [1, 1, 1, 1, 1, 1, 1, 1, 0, 0] },
    token_type_ids: { dims, values: [0, 0, 0, 1, 1, 0, 0, 1, 1, 0] },
  });

  const folder = join(fresh(), 'mine');
  m.write(folder, logits);
  writeFileSync(join(folder, 'words.json'), JSON.stringify({ good: 1, bad: 2, film: 3, the: 4 }));
  const input = { kind: 'word-index', name: 'input_ids', vocabulary: 'words.json' };
  writeFileSync(join(folder, 'robust.json'), JSON.stringify({ labels: ['a', 'b', 'c'], input }));
  const model = await loadModel(folder, { workers: 1, hub: { cache: join(fresh(), 'hub') } });
  try {
    const [row] = await model.classify(['the good film']);
    const one = { dims: [1, 3], values: [4, 1, 3] };
    const same = (value: number) => ({ dims: [1, 3], values: [value, value, value] });
    const wanted = await m.reference(logits, { input_ids: one, attention_mask: same(1), token_type_ids: same(0) });
    const powers = wanted.values.map(Math.exp);
    const sum = powers.reduce((all, power) => all + power, 0);
    for (const [at, power] of powers.entries()) expect(row?.[at]).toBeCloseTo(power / sum, 5);

    const box = await openWhiteBox(model, { workers: 1 });
    try {
      const { tokens, embeddings, values } = await box.gradient('the good film', 1);
      const length = Math.hypot(...values);
      const lossAt = async (step: number) => {
        const moved = embeddings.map((value, at) => value + (step * (values[at] as number)) / length);
        return (await box.gradientAt(moved, tokens, 1)).loss;
      };
      // Along the gradient the loss rises by its length.
      const rise = ((await lossAt(1e-2)) - (await lossAt(-1e-2))) / 2e-2;
      expect(rise / length).toBeCloseTo(1, 2);
    } finally {
      await box.close();
    }
  } finally {
    await model.close();
  }
});

test('texts of several lengths in one row, as the Universal Sentence Encoder takes them, come as ids [texts, tokens]', async () => {
  const m = new GraphModel();
  const [indices, values] = [m.input('indices', [-1, 2]), m.input('values', [-1])];
  const rows = m.op('GatherV2', [m.constant([6, 3], numbers(18, 2)), values, m.int(0)]);
  // Scattered into [texts, tokens, 3]: the shape is one more than the last place.
  const last = m.op('AddV2', [m.op('Max', [indices, m.ints(0)], { keep_dims: attr.b(false) }), m.ints(1, 1)]);
  const number = m.op('Range', [m.int(0), sizeOf(m, values, 0), m.int(1)]);
  const places = m.op('SparseToDense', [indices, last, number, m.int(0)]);
  const dense = m.op('GatherV2', [rows, places, m.int(0)]);
  const scores = m.op('Mean', [dense, m.ints(1)]);
  const folder = fresh();
  m.write(folder, scores);
  const ids = [3, 1, 2, 5, 0, 4];
  const found = await answers(folder, { input_ids: { dims: [2, 3], values: ids } });
  const wanted = await m.reference(scores, {
    indices: { dims: [6, 2], values: [0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2] },
    values: { dims: [6], values: ids },
  });
  expect(found.dims).toEqual([2, 3]);
  for (const [at, value] of found.values.entries()) expect(value).toBeCloseTo(wanted.values[at] as number, 5);
});

test('several outputs keep the names of the signature; ids that Keras declares as numbers come as whole numbers', async () => {
  const m = new GraphModel();
  const ids = m.op('Cast', [m.input('dense_input', [-1, 4], 'float32')], { DstT: attr.type('int32') });
  const mean = m.op('Mean', [m.op('GatherV2', [m.constant([3, 2], [0, 1, 2, 3, 4, 5]), ids, m.int(0)]), m.ints(1)]);
  const folder = fresh();
  m.write(folder, mean, m.op('Sigmoid', [mean]));
  const model = convertTfjs(folder);
  expect(model.graph.outputs).toEqual([
    { name: 'out_0', type: DataType.float, dims: ['batch', 2] },
    { name: 'out_1', type: DataType.float, dims: ['batch', 2] },
  ]);
  expect(model.graph.inputs).toEqual([{ name: 'dense_input', type: DataType.int64, dims: ['batch', 4] }]);
  const feeds = { dense_input: { dims: [1, 4], values: [0, 1, 2, 2] } };
  expect((await answers(folder, feeds, 'out_0')).values).toEqual([2.5, 3.5]);
});

test.each<[string, (m: GraphModel, x: string) => string, string, RegExp, RegExp]>([
  [
    'operators, all at once',
    (m, x) => m.op('FFT', [m.op('LRN', [m.op('Relu', [x])])]),
    'CONVERT_UNSUPPORTED',
    /operators that can be converted, got FFT, LRN$/,
    /tf2onnx/,
  ],
  [
    'the loop of an LSTM',
    (m, x) => m.op('StatelessWhile', [m.op('TensorListReserve', [x])]),
    'CONVERT_UNSUPPORTED',
    /got StatelessWhile, TensorListReserve$/,
    /tfjs_layers_model/,
  ],
  [
    'axes that are calculated',
    (m, x) => m.op('Sum', [x, m.op('Cast', [m.op('Max', [x, m.ints(0, 1, 2)])], { DstT: attr.type('int32') })]),
    'CONVERT_UNSUPPORTED',
    /Sum "Sum_\d+": expected axes that the file says/,
    /tf2onnx/,
  ],
  [
    'a layout with channels first',
    (m, x) => m.op('BiasAdd', [x, m.constant([4], [1, 2, 3, 4])], { data_format: attr.s('NCHW') }),
    'CONVERT_UNSUPPORTED',
    /expected data_format NHWC, got NCHW/,
    /tf2onnx/,
  ],
  ['an input that is not there', (m) => m.op('Relu', ['gone']), 'CHECKPOINT_INVALID', /no node "gone"/, /Fetch/],
  ['an output that is not there', (m, x) => `${m.op('Relu', [x])}:3`, 'CHECKPOINT_INVALID', /no output 3/, /Fetch/],
  ['a cycle', (m, x) => m.op('Add', [x, `Add_${m.node.length}`]), 'CHECKPOINT_INVALID', /a cycle through/, /Fetch/],
  ['no inputs', (m) => m.op('Relu', [m.constant([1], [1])]), 'CONVERT_UNSUPPORTED', /a model with inputs/, /tf2onnx/],
])('refused by name: %s', (_, draw, code, message, hint) => {
  const m = new GraphModel();
  const folder = fresh();
  m.write(folder, draw(m, m.input('x', [-1, -1, 4], 'float32')));
  expect(() => convertTfjs(folder)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) }),
  );
});

test('a graph deeper than the stack of calls is drawn', () => {
  const m = new GraphModel();
  let x = m.input('x', [-1, 4], 'float32');
  for (let at = 0; at < 12_000; at++) x = m.op('Neg', [x]);
  const folder = fresh();
  m.write(folder, x);
  expect(convertTfjs(folder).graph.nodes).toHaveLength(12_001);
});

test('damaged files are refused in words, or drawn: never another error', () => {
  const { m, logits } = transformer();
  const folder = fresh();
  m.write(folder, logits);
  const text = readFileSync(join(folder, 'model.json'), 'utf8');
  const junk: readonly unknown[] = [null, -1, 3, 1e300, '', 'x', [], {}, [null], { i: 'x' }, { shape: 3 }, true];
  fc.assert(
    fc.property(fc.nat(), fc.nat(junk.length - 1), fc.nat(3), (place, which, way) => {
      const json = JSON.parse(text);
      const places: [Record<string, unknown>, string][] = [];
      const walk = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        for (const [key, child] of Object.entries(value)) {
          places.push([value as Record<string, unknown>, key]);
          walk(child);
        }
      };
      walk(json);
      const [holder, key] = places[place % places.length] as (typeof places)[number];
      const [, other] = places[(place * 7 + which) % places.length] as (typeof places)[number];
      if (way === 0) delete holder[key];
      else if (way === 1) holder[key] = junk[which];
      else if (way === 2) holder[key] = holder[other] ?? other;
      else if (Array.isArray(holder)) holder.splice(Number(key), 1);
      writeFileSync(join(folder, 'model.json'), JSON.stringify(json));
      try {
        writeModel(convertTfjs(folder));
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
      }
    }),
    { numRuns: 100, seed: 16 },
  );
});

/**
 * 16-bit and quantised graphs. Each case gives the graph and the real-valued one it rounds: the original computes nearly the
 * latter, and the gradient is exactly the latter's.
 */
import { expect, test } from 'vitest';
import { random } from '../../../../src/core/random.js';
import { onnxEngine } from '../../../../src/gradient/white-box/onnx-engine.js';
import { gradientOf } from '../../src/autodiff/gradient-graph.js';
import { simplify } from '../../src/autodiff/simplify/index.js';
import { GraphBuilder } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import type { Model } from '../../src/graph/model.js';
import { OPERATORS } from '../../src/graph/operators/index.js';
import type { Operator } from '../../src/graph/operators/operator.js';
import type { Feed } from '../../src/graph/tensor.js';
import { floatToHalf } from '../../src/half.js';

interface Rounded {
  /** Operators it shows. */
  readonly covers: readonly string[];
  readonly rounded: (g: GraphBuilder) => string;
  readonly real: (g: GraphBuilder) => string;
  /** Dimensions of x. @default ['batch', 4] */
  readonly dims?: readonly (number | string)[];
  /** Greatest difference, as a fraction of the greatest output. @default 0.03 */
  readonly tolerance?: number;
}

const domain = 'com.microsoft';
const draws = random(3, 'surrogate');
const bytes = (size: number) => Int8Array.from({ length: size }, () => draws.int(200) - 100);
const [W, CONV, TABLE, QKV] = [bytes(12), bytes(12), bytes(20), bytes(48)];
const SCALE = 0.02;
const scaled = (q: Int8Array, scale = SCALE, zero = 0) => Float32Array.from(q, (v) => (v - zero) * scale);
/** x -> uint8 with scale 0.03 around 128: covers [-3.8, 3.8]. */
const xScale = (g: GraphBuilder) => g.float(0.03);
const byte = (g: GraphBuilder, name: string, value: number) => g.initializer(name, [], Uint8Array.of(value));
const quantised = (g: GraphBuilder, x: string, zero: string) => g.op('QuantizeLinear', [x, xScale(g), zero]);
const bias = (g: GraphBuilder) => g.vector([0.5, -0.25, 1]);

const CASES: Record<string, Rounded> = {
  'dynamic quantisation, as quantize_dynamic writes it': {
    covers: ['DynamicQuantizeLinear', 'MatMulInteger'],
    rounded: (g) => {
      const [q, scale, zero] = g.ops('DynamicQuantizeLinear', ['x'], 3) as [string, string, string];
      const wZero = g.initializer('w zero', [], Int8Array.of(3));
      const product = g.op('MatMulInteger', [q, g.initializer('w', [4, 3], W), zero, wZero]);
      const factor = g.op('Mul', [scale, g.vector([SCALE])]);
      const real = g.op('Mul', [g.op('Cast', [product], { to: DataType.float }), factor]);
      return g.op('Tanh', [g.op('Add', [real, bias(g)])]);
    },
    real: (g) => {
      const product = g.op('MatMul', ['x', g.initializer('w', [4, 3], scaled(W, SCALE, 3))]);
      return g.op('Tanh', [g.op('Add', [product, bias(g)])]);
    },
  },
  'quantise-dequantise pairs, a scale for each column': {
    covers: ['QuantizeLinear', 'DequantizeLinear'],
    rounded: (g) => {
      const zero = byte(g, 'x zero', 128);
      const x = g.op('DequantizeLinear', [quantised(g, 'x', zero), xScale(g), zero]);
      const scales = g.vector([0.01, 0.02, 0.03]);
      const w = g.op(
        'DequantizeLinear',
        [g.initializer('w', [4, 3], W), scales, g.initializer('z', [3], new Int8Array(3))],
        { axis: 1 },
      );
      return g.op('Tanh', [g.op('MatMul', [x, w])]);
    },
    real: (g) => {
      const w = Float32Array.from(W, (v, i) => v * [0.01, 0.02, 0.03][i % 3]!);
      return g.op('Tanh', [g.op('MatMul', ['x', g.initializer('w', [4, 3], w)])]);
    },
    tolerance: 0.06,
  },
  'rows of a quantised table': {
    covers: ['DequantizeLinear'],
    rounded: (g) => {
      const rows = g.op('Gather', [g.initializer('table', [5, 4], TABLE), g.ints([1, 3])]);
      const zero = g.initializer('zero', [], Int8Array.of(0));
      return g.op('MatMul', ['x', g.op('Transpose', [g.op('DequantizeLinear', [rows, g.float(SCALE), zero])])]);
    },
    real: (g) => {
      const rows = g.op('Gather', [g.initializer('table', [5, 4], scaled(TABLE)), g.ints([1, 3])]);
      return g.op('MatMul', ['x', g.op('Transpose', [rows])]);
    },
  },
  DynamicQuantizeMatMul: {
    covers: ['DynamicQuantizeMatMul'],
    rounded: (g) => {
      const w = g.initializer('w', [4, 3], W);
      const zero = g.initializer('zero', [], Int8Array.of(0));
      return g.op('DynamicQuantizeMatMul', ['x', w, g.vector([SCALE]), zero, bias(g)], {}, domain);
    },
    real: (g) => g.op('Add', [g.op('MatMul', ['x', g.initializer('w', [4, 3], scaled(W))]), bias(g)]),
  },
  MatMulIntegerToFloat: {
    covers: ['MatMulIntegerToFloat', 'DynamicQuantizeLinear'],
    rounded: (g) => {
      const [q, scale, zero] = g.ops('DynamicQuantizeLinear', ['x'], 3) as [string, string, string];
      const w = g.initializer('w', [4, 3], W);
      const wZero = g.initializer('zero', [], Int8Array.of(0));
      return g.op('MatMulIntegerToFloat', [q, w, scale, g.vector([SCALE]), zero, wZero, bias(g)], {}, domain);
    },
    real: (g) => g.op('Add', [g.op('MatMul', ['x', g.initializer('w', [4, 3], scaled(W))]), bias(g)]),
  },
  QLinearMatMul: {
    covers: ['QLinearMatMul', 'QuantizeLinear', 'DequantizeLinear'],
    rounded: (g) => {
      const zero = byte(g, 'x zero', 128);
      const wZero = g.initializer('w zero', [], Int8Array.of(0));
      const inputs = [quantised(g, 'x', zero), xScale(g), zero, g.initializer('w', [4, 3], W), g.float(SCALE), wZero];
      const product = g.op('QLinearMatMul', [...inputs, g.float(0.1), zero]);
      return g.op('Tanh', [g.op('DequantizeLinear', [product, g.float(0.1), zero])]);
    },
    real: (g) => g.op('Tanh', [g.op('MatMul', ['x', g.initializer('w', [4, 3], scaled(W))])]),
    tolerance: 0.1,
  },
  ConvInteger: {
    covers: ['ConvInteger'],
    dims: ['batch', 2, 'sequence'],
    rounded: (g) => {
      const [q, scale, zero] = g.ops('DynamicQuantizeLinear', ['x'], 3) as [string, string, string];
      const w = g.initializer(
        'w',
        [3, 2, 2],
        Uint8Array.from(CONV, (v) => v + 128),
      );
      const product = g.op('ConvInteger', [q, w, zero, byte(g, 'w zero', 128)], { pads: [1, 0] });
      const real = g.op('Cast', [product], { to: DataType.float });
      return g.op('Mul', [g.op('Mul', [real, scale]), g.float(SCALE)]);
    },
    real: (g) => g.op('Conv', ['x', g.initializer('w', [3, 2, 2], scaled(CONV))], { pads: [1, 0] }),
  },
  QAttention: {
    covers: ['QAttention'],
    dims: ['batch', 'sequence', 4],
    rounded: (g) => {
      const zero = byte(g, 'x zero', 128);
      const w = g.initializer('w', [4, 12], QKV);
      const wZero = g.initializer('w zero', [], Int8Array.of(0));
      const inputs = [
        quantised(g, 'x', zero),
        w,
        g.vector(Array(12).fill(0.1)),
        xScale(g),
        g.float(SCALE),
        '',
        zero,
        wZero,
      ];
      return g.op('QAttention', inputs, { num_heads: 2 }, domain);
    },
    real: (g) => {
      const inputs = ['x', g.initializer('w', [4, 12], scaled(QKV)), g.vector(Array(12).fill(0.1))];
      return g.op('Attention', inputs, { num_heads: 2 }, domain);
    },
    tolerance: 0.1,
  },
  'weights stored at 16 bits': {
    covers: [],
    rounded: (g) => {
      const half = g.initializer('half', [4, 3], Uint16Array.from(scaled(W), floatToHalf), DataType.float16);
      return g.op('MatMul', ['x', g.ops('Cast', [half], ['w'], { to: DataType.float })[0]!]);
    },
    real: (g) => g.op('MatMul', ['x', g.initializer('w', [4, 3], halved(scaled(W)))]),
    tolerance: 1e-6,
  },
  'everything at 16 bits': {
    covers: [],
    rounded: (g) => {
      const half = g.initializer('half', [4, 3], Uint16Array.from(scaled(W), floatToHalf), DataType.float16);
      const x = g.op('Cast', ['x'], { to: DataType.float16 });
      const y = g.op('Tanh', [g.op('MatMul', [x, half])]);
      return g.op('Cast', [y], { to: DataType.float });
    },
    real: (g) => g.op('Tanh', [g.op('MatMul', ['x', g.initializer('w', [4, 3], halved(scaled(W)))])]),
    tolerance: 0.003,
  },
};

/** To 11 significant bits and back. */
const halved = (values: Float32Array): Float32Array =>
  values.map((value) => {
    const step = 2 ** (Math.floor(Math.log2(Math.abs(value) || 1)) - 10);
    return Math.round(value / step) * step;
  });

function modelOf(dims: readonly (number | string)[], write: (g: GraphBuilder) => string): Model {
  const g = new GraphBuilder();
  g.input('x', DataType.float, dims);
  g.output(g.ops('Identity', [write(g)], ['y'])[0]!);
  return g.model();
}

function feedOf(dims: readonly (number | string)[]): Map<string, Feed> {
  const sizes = dims.map((d) => (typeof d === 'number' ? d : 5));
  const stream = random(5, 'x');
  const data = Float32Array.from({ length: sizes.reduce((a, b) => a * b, 1) }, () => stream.normal());
  return new Map([['x', { type: DataType.float, dims: sizes, data }]]);
}

test('every quantised operator has a case', () => {
  const covered = new Set(Object.values(CASES).flatMap(({ covers }) => covers));
  const quantised = Object.values(OPERATORS).flatMap((table) =>
    Object.entries<Operator>(table).flatMap(([op, { gradient }]) => (gradient === 'surrogate' ? [op] : [])),
  );
  expect(quantised.filter((op) => !covered.has(op))).toEqual([]);
});

test.each(Object.entries(CASES))('%s', async (_, { rounded, real, dims = ['batch', 4], tolerance = 0.03 }) => {
  const engine = onnxEngine();
  const [from, to] = [modelOf(dims, rounded), modelOf(dims, real)];
  const feed = feedOf(dims);
  const gradientOfModel = async (model: Model) => {
    const g = new GraphBuilder({ base: model });
    g.output(g.ops('Mul', ['y', 'y'], ['loss'])[0]!);
    const runner = await engine.backward(g.model(), ['y'], [], 'loss', ['x']);
    const result = await runner.run(feed);
    return { y: result.get('y')!, gradient: result.get(gradientOf('x'))! };
  };
  const forward = await engine.forward(from, ['y']);
  const original = (await forward.run(feed)).get('y')!;
  const surrogate = await gradientOfModel(from);
  const expected = await gradientOfModel(to);
  const greatest = Math.max(...expected.y.map(Math.abs));
  original.forEach((value, i) => {
    expect(Math.abs(value - expected.y[i]!)).toBeLessThan(tolerance * greatest);
  });
  for (const key of ['y', 'gradient'] as const) {
    expect(surrogate[key].length).toBe(expected[key].length);
    surrogate[key].forEach((value, i) => {
      expect(Math.abs(value - expected[key][i]!), `${key} ${i}`).toBeLessThan(1e-4 + 1e-4 * Math.abs(value));
    });
  }
});

test('a 16-bit weight goes by the name it is used by', () => {
  const { graph } = simplify(modelOf(['batch', 4], CASES['weights stored at 16 bits']!.rounded));
  expect(graph.initializers.get('w')?.type).toBe(DataType.float);
  expect(graph.nodes.map(({ op }) => op)).toEqual(['MatMul', 'Identity']);
});

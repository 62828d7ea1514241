/** @file Elementwise operations: sums, functions, comparisons, choices. */
import { float } from '../../../../onnx/builder.js';
import type { DrawOp, OpCall } from '../op-call.js';
import { broadcast, CODES, type ElementType, type KnownElements, type TensorValue } from '../value.js';

type Function = (call: OpCall, x: string) => string;

const plain =
  (op: string): Function =>
  (call, x) =>
    call.g.op(op, [x]);

/** Functions of numbers, by their names in TensorFlow. */
export const FUNCTIONS: Readonly<Record<string, Function>> = {
  Abs: plain('Abs'),
  Acos: plain('Acos'),
  Acosh: plain('Acosh'),
  Asin: plain('Asin'),
  Asinh: plain('Asinh'),
  Atan: plain('Atan'),
  Atanh: plain('Atanh'),
  Ceil: plain('Ceil'),
  Cos: plain('Cos'),
  Cosh: plain('Cosh'),
  Elu: plain('Elu'),
  Erf: plain('Erf'),
  Exp: plain('Exp'),
  Expm1: (call, x) => call.g.sub(call.g.exp(x), call.g.float(1)),
  Floor: plain('Floor'),
  LeakyRelu: (call, x) => call.g.op('LeakyRelu', [x], { alpha: float(call.attributes.float('alpha', 0.2)) }),
  Log: plain('Log'),
  Log1p: (call, x) => call.g.op('Log', [call.g.add(x, call.g.float(1))]),
  LogSoftmax: (call, x) => call.g.op('LogSoftmax', [x], { axis: -1 }),
  Neg: plain('Neg'),
  Reciprocal: plain('Reciprocal'),
  Relu: plain('Relu'),
  Relu6: (call, x) => call.g.op('Clip', [x, call.g.float(0), call.g.float(6)]),
  Round: plain('Round'),
  Rsqrt: (call, x) => call.g.op('Reciprocal', [call.g.op('Sqrt', [x])]),
  Selu: plain('Selu'),
  Sigmoid: plain('Sigmoid'),
  Sign: plain('Sign'),
  Sin: plain('Sin'),
  Sinh: plain('Sinh'),
  Softmax: (call, x) => call.g.softmax(x),
  Softplus: plain('Softplus'),
  Sqrt: plain('Sqrt'),
  Square: (call, x) => call.g.mul(x, x),
  Tan: plain('Tan'),
  Tanh: plain('Tanh'),
};

/** Functions that ONNX also offers for integers. */
const OF_INTEGERS = new Set(['Abs', 'Neg', 'Sign', 'Square']);

const unary =
  (name: string): DrawOp =>
  (call) => {
    const x = call.input(0);
    if (x.type !== 'float' && !OF_INTEGERS.has(name)) throw call.refuse('floating-point numbers', x.type);
    const negated = name === 'Neg' ? x.known?.map((each) => each && -each) : undefined;
    return call.value(x.type, FUNCTIONS[name]!(call, x.name), x.dims, negated);
  };

type Pair = (call: OpCall, a: string, b: string, type: ElementType) => string;

const two =
  (op: string): Pair =>
  (call, a, b) =>
    call.g.op(op, [a, b]);

/** Rounded towards minus infinity, of whole numbers too, where ONNX rounds towards 0. */
const floorDivide: Pair = (call, a, b, type) =>
  type === 'float' ? call.g.op('Floor', [call.g.div(a, b)]) : call.g.div(call.g.sub(a, call.g.op('Mod', [a, b])), b);

const floorModulo: Pair = (call, a, b, type) =>
  type === 'float' ? call.g.sub(a, call.g.mul(call.g.op('Floor', [call.g.div(a, b)]), b)) : call.g.op('Mod', [a, b]);

/** TF.js divides whole numbers as it floors them. */
const divide: Pair = (call, a, b, type) => (type === 'float' ? call.g.div(a, b) : floorDivide(call, a, b, type));

const PAIRS: Readonly<Record<string, Pair>> = {
  Add: two('Add'),
  AddV2: two('Add'),
  Div: divide,
  DivNoNan: (call, a, b) => {
    const none = call.g.op('Equal', [b, call.g.float(0)]);
    const safe = call.g.where(none, call.g.float(1), b);
    return call.g.where(none, call.g.float(0), call.g.div(a, safe));
  },
  FloorDiv: floorDivide,
  FloorMod: floorModulo,
  Maximum: two('Max'),
  Minimum: two('Min'),
  Mod: floorModulo,
  Mul: two('Mul'),
  Pow: two('Pow'),
  Prelu: two('PRelu'),
  RealDiv: divide,
  SquaredDifference: (call, a, b) => {
    const difference = call.g.sub(a, b);
    return call.g.mul(difference, difference);
  },
  Sub: two('Sub'),
};

/** Sums and products of known sizes. */
const FOLLOWED: Readonly<Record<string, (a: number, b: number) => number>> = {
  Add: (a, b) => a + b,
  AddV2: (a, b) => a + b,
  FloorDiv: (a, b) => Math.floor(a / b),
  Maximum: Math.max,
  Minimum: Math.min,
  Mul: (a, b) => a * b,
  Sub: (a, b) => a - b,
};

function knownPair(name: string, { known: a }: TensorValue, { known: b }: TensorValue): KnownElements {
  const follow = FOLLOWED[name];
  if (a === undefined || b === undefined || follow === undefined) return undefined;
  if (a.length !== b.length && a.length !== 1 && b.length !== 1) return undefined;
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => {
    const [left, right] = [a[a.length === 1 ? 0 : at], b[b.length === 1 ? 0 : at]];
    const value = typeof left === 'number' && typeof right === 'number' ? follow(left, right) : null;
    return Number.isSafeInteger(value) ? value : null;
  });
}

const pair =
  (name: string): DrawOp =>
  (call) => {
    const [a, b] = [call.input(0), call.input(1)];
    if (a.type !== b.type || a.type === 'bool')
      throw call.refuse('two tensors of numbers of one type', `${a.type} and ${b.type}`);
    const drawn = PAIRS[name]!(call, a.name, b.name, a.type);
    return call.value(a.type, drawn, broadcast(a.dims, b.dims), knownPair(name, a, b));
  };

const compare =
  (op: string, not = false): DrawOp =>
  (call) => {
    const [a, b] = [call.input(0), call.input(1)];
    const found = call.g.op(op, [a.name, b.name]);
    return call.value('bool', not ? call.g.op('Not', [found]) : found, broadcast(a.dims, b.dims));
  };

const addAll: DrawOp = (call) => {
  const { type } = call.input(0);
  const sum = call.inputs.slice(1).reduce((all, { name }) => call.g.add(all, name), call.input(0).name);
  return call.value(type, sum, broadcast(...call.inputs.map(({ dims }) => dims)));
};

/** The bias lies along the last axis. */
const addBias: DrawOp = (call) => {
  const [x, bias] = [call.input(0), call.input(1)];
  const format = call.attributes.text('data_format', 'NHWC');
  if (format !== 'NHWC') throw call.refuse('data_format NHWC', format);
  return call.value(x.type, call.g.add(x.name, bias.name), x.dims);
};

const clip: DrawOp = (call) => {
  const [x, low, high] = [call.input(0), call.input(1), call.input(2)];
  return call.value(x.type, call.g.op('Min', [call.g.op('Max', [x.name, low.name]), high.name]), x.dims);
};

export function casted(call: OpCall, x: TensorValue, type: ElementType): string {
  return x.type === type ? x.name : call.g.cast(x.name, CODES[type]);
}

const cast: DrawOp = (call) => {
  const x = call.input(0);
  const type = call.attributes.type('DstT');
  if (type === undefined) throw call.refuse('numbers or truth values', call.attributes.typeName('DstT'));
  return call.value(type, casted(call, x, type), x.dims, x.known);
};

const select: DrawOp = (call) => {
  const [condition, a, b] = [call.input(0), call.input(1), call.input(2)];
  const name = call.g.where(condition.name, a.name, b.name);
  return call.value(a.type, name, broadcast(condition.dims, a.dims, b.dims));
};

/** In inference the mean and variance of training; the channels lie along the last axis. */
const batchNorm: DrawOp = (call) => {
  const [x, scale, offset, mean, variance] = [0, 1, 2, 3, 4].map((at) => call.input(at)) as [
    TensorValue,
    TensorValue,
    TensorValue,
    TensorValue,
    TensorValue,
  ];
  const format = call.attributes.text('data_format', 'NHWC');
  if (format !== 'NHWC') throw call.refuse('data_format NHWC', format);
  if (call.attributes.flag('is_training')) throw call.refuse('is_training false', 'true');
  const epsilon = call.g.float(call.attributes.float('epsilon', 1e-4));
  const deviation = call.g.op('Sqrt', [call.g.add(variance.name, epsilon)]);
  const factor = call.g.div(scale.name, deviation);
  const centred = call.g.sub(x.name, mean.name);
  return call.value('float', call.g.add(call.g.mul(centred, factor), offset.name), x.dims);
};

const same: DrawOp = ({ inputs }) => inputs;

export const ARITHMETIC: Readonly<Record<string, DrawOp>> = {
  ...Object.fromEntries(Object.keys(FUNCTIONS).map((name) => [name, unary(name)])),
  ...Object.fromEntries(Object.keys(PAIRS).map((name) => [name, pair(name)])),
  AddN: addAll,
  BiasAdd: addBias,
  Cast: cast,
  ClipByValue: clip,
  Equal: compare('Equal'),
  FusedBatchNorm: batchNorm,
  FusedBatchNormV2: batchNorm,
  FusedBatchNormV3: batchNorm,
  Greater: compare('Greater'),
  GreaterEqual: compare('GreaterOrEqual'),
  Identity: same,
  IdentityN: same,
  Less: compare('Less'),
  LessEqual: compare('LessOrEqual'),
  LogicalAnd: compare('And'),
  LogicalNot: (call) => call.value('bool', call.g.op('Not', [call.input(0).name]), call.input(0).dims),
  LogicalOr: compare('Or'),
  NotEqual: compare('Equal', true),
  Select: select,
  SelectV2: select,
  Snapshot: same,
  StopGradient: same,
};

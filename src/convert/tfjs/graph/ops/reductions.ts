/** @file Sums, means and greatest elements along axes. */
import type { DrawOp, OpCall } from '../op-call.js';
import type { Dims, ElementType, TensorValue } from '../value.js';
import { casted } from './arithmetic.js';

/** Shape without these axes, or with 1 for each. */
function reducedDims(dims: Dims, axes: readonly number[], keep: boolean): Dims {
  return dims?.flatMap((size, axis) => {
    if (!axes.includes(axis)) return [size];
    return keep ? [1] : [];
  });
}

/** ReduceSum takes its axes as an input in the opset we write, the others as an attribute. */
function reduce(call: OpCall, op: string, x: string, axes: readonly number[], keep: boolean): string {
  const keepdims = keep ? 1 : 0;
  return op === 'ReduceSum'
    ? call.g.op(op, [x, call.g.ints(axes)], { keepdims })
    : call.g.op(op, [x], { axes, keepdims });
}

/** `as`: what the numbers are turned into first. */
const reduction =
  (op: string, as?: ElementType): DrawOp =>
  (call) => {
    const x = call.input(0);
    const rank = call.rank(x);
    const axes = [...new Set(call.constants(1, 'axes').map((axis) => call.axis(axis, rank)))].sort((a, b) => a - b);
    const keep = call.attributes.flag('keep_dims');
    const type = as ?? x.type;
    const name = casted(call, x, type);
    const dims = reducedDims(x.dims, axes, keep);
    const known = rank === 1 && axes.length === 1 && type === 'int' ? followedReduction(op, x) : undefined;
    return call.value(type, axes.length === 0 ? name : reduce(call, op, name, axes, keep), dims, known);
  };

function followedReduction(op: string, { known }: TensorValue): number[] | undefined {
  if (known === undefined || known.some((each) => each === null)) return undefined;
  const values = known as number[];
  if (op === 'ReduceProd') return [values.reduce((all, each) => all * each, 1)];
  return op === 'ReduceSum' ? [values.reduce((all, each) => all + each, 0)] : undefined;
}

/** For truth values: whether all hold, or any. */
const truth =
  (op: string): DrawOp =>
  (call) => {
    const counted = reduction(op, 'int')(call) as TensorValue;
    return call.value('bool', casted(call, counted, 'bool'), counted.dims);
  };

const arg =
  (op: string): DrawOp =>
  (call) => {
    const x = call.input(0);
    const axis = call.axis(call.inputs.length > 1 ? call.constant(1, 'axis') : 0, call.rank(x));
    return call.value('int', call.g.op(op, [x.name], { axis, keepdims: 0 }), reducedDims(x.dims, [axis], false));
  };

const cumulative: DrawOp = (call) => {
  const x = call.input(0);
  const axis = call.axis(call.constant(1, 'axis'), call.rank(x));
  const attributes = {
    exclusive: call.attributes.flag('exclusive') ? 1 : 0,
    reverse: call.attributes.flag('reverse') ? 1 : 0,
  };
  return call.value(x.type, call.g.op('CumSum', [x.name, call.g.int(axis)], attributes), x.dims);
};

const top: DrawOp = (call) => {
  const [x, k] = [call.input(0), call.input(1)];
  const [values, places] = call.g.ops('TopK', [x.name, call.vector(k)], 2, { axis: -1 }) as [string, string];
  const dims = x.dims && [...x.dims.slice(0, -1), k.known?.[0] ?? null];
  return [call.value(x.type, values, dims), call.value('int', places, dims)];
};

export const REDUCTIONS: Readonly<Record<string, DrawOp>> = {
  All: truth('ReduceMin'),
  Any: truth('ReduceMax'),
  ArgMax: arg('ArgMax'),
  ArgMin: arg('ArgMin'),
  Cumsum: cumulative,
  EuclideanNorm: reduction('ReduceL2'),
  Max: reduction('ReduceMax'),
  Mean: reduction('ReduceMean', 'float'),
  Min: reduction('ReduceMin'),
  Prod: reduction('ReduceProd'),
  Sum: reduction('ReduceSum'),
  TopKV2: top,
};

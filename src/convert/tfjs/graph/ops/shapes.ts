/** @file Operations that move or create numbers: shapes, joins, splits, copies. */
import { DataType } from '../../../../onnx/data-type.js';
import type { DrawOp, OpCall } from '../op-call.js';
import { broadcast, type Dims, readDims, type TensorValue } from '../value.js';

const shapeOf = (call: OpCall, x: TensorValue): TensorValue => {
  const dims = x.dims && [x.dims.length];
  // All of it in the file: no need to ask.
  const fixed = x.dims?.every((size) => size !== null);
  const name = fixed ? call.g.ints(x.dims as number[]) : call.g.shape(x.name);
  return call.value('int', name, dims ?? [null], x.dims);
};

/** The elements of a scalar or vector stay what they are. */
const reshaped = (call: OpCall, x: TensorValue, name: string, dims: Dims): TensorValue =>
  call.value(x.type, name, dims, x.known);

/** As given by the vector, with -1 for the rest. */
const reshape: DrawOp = (call) => {
  const [x, shape] = [call.input(0), call.input(1)];
  const rank = shape.known?.length ?? shape.dims?.[0];
  let dims: Dims;
  if (shape.known) dims = shape.known.map((size) => (size === null || size < 0 ? null : size));
  else if (typeof rank === 'number') dims = Array.from({ length: rank }, () => null);
  if (dims?.filter((size) => size === null).length === 1 && x.dims?.every((size) => size !== null)) {
    const all = (x.dims as number[]).reduce((product, size) => product * size, 1);
    const rest = dims.reduce<number>((product, size) => product * (size ?? 1), 1);
    dims = dims.map((size) => (size === null && rest > 0 ? all / rest : size));
  }
  return reshaped(call, x, call.g.op('Reshape', [x.name, target(call, shape)], { allowzero: 1 }), dims);
};

/** One size that is not known may be left to the runtime: the others then are constants. */
function target(call: OpCall, shape: TensorValue): string {
  const { known } = shape;
  if (known?.filter((size) => size === null || size === -1).length === 1 && known.every((size) => size !== 0))
    return call.g.ints(known.map((size) => size ?? -1));
  return call.vector(shape);
}

const transpose: DrawOp = (call) => {
  const x = call.input(0);
  const perm = call.constants(1, 'axes');
  const axes = perm.map((axis) => call.axis(axis, perm.length));
  if (new Set(axes).size !== perm.length) throw call.refuse('each axis once', `[${perm}]`);
  const dims = x.dims?.length === perm.length ? axes.map((axis) => x.dims?.[axis] ?? null) : perm.map(() => null);
  return call.value(x.type, call.g.transpose(x.name, axes), dims);
};

const expandDims: DrawOp = (call) => {
  const x = call.input(0);
  const rank = call.rank(x);
  const axis = call.axis(call.constant(1, 'axis'), rank + 1);
  const name = call.g.unsqueeze(x.name, [axis]);
  return reshaped(call, x, name, [...(x.dims ?? []).slice(0, axis), 1, ...(x.dims ?? []).slice(axis)]);
};

const squeeze: DrawOp = (call) => {
  const x = call.input(0);
  const rank = call.rank(x);
  const said = call.attributes.ints('squeeze_dims');
  const given = (said.length > 0 ? said : call.attributes.ints('axis')).map((axis) => call.axis(axis, rank));
  const dims = x.dims!;
  if (given.length === 0 && dims.includes(null)) throw call.refuse('squeeze_dims', 'none');
  const axes = given.length > 0 ? given : dims.flatMap((size, axis) => (size === 1 ? [axis] : []));
  if (axes.length === 0) return x;
  const name = call.g.squeeze(x.name, [...new Set(axes)]);
  return reshaped(
    call,
    x,
    name,
    dims.filter((_, axis) => !axes.includes(axis)),
  );
};

const concatenated = (call: OpCall, parts: readonly TensorValue[], given: number): TensorValue => {
  const [first] = parts;
  if (first === undefined) throw call.refuse('tensors', 'none');
  const axis = call.axis(given, call.rank(first));
  const sizes = parts.map(({ dims }) => dims?.[axis] ?? null);
  const size = sizes.reduce<number | null>((sum, each) => (sum === null || each === null ? null : sum + each), 0);
  const dims = first.dims?.map((old, at) => (at === axis ? size : old));
  const known = parts.every((part) => part.known) ? parts.flatMap((part) => part.known ?? []) : undefined;
  if (parts.length === 1) return first;
  const name = call.g.op(
    'Concat',
    parts.map((part) => part.name),
    { axis },
  );
  return call.value(first.type, name, dims, known);
};

const pack: DrawOp = (call) => {
  const [first] = [call.input(0)];
  const axis = call.axis(call.attributes.int('axis', 0), call.rank(first) + 1);
  const parts = call.inputs.map((x) => {
    const dims = x.dims && [...x.dims.slice(0, axis), 1, ...x.dims.slice(axis)];
    return reshaped(call, x, call.g.unsqueeze(x.name, [axis]), dims);
  });
  return concatenated(call, parts, axis);
};

const unpack: DrawOp = (call) => {
  const x = call.input(0);
  const axis = call.axis(call.attributes.int('axis', 0), call.rank(x));
  const count = call.attributes.int('num', x.dims?.[axis] ?? 0);
  if (count < 1 || count > 4096) throw call.refuse('a number of parts', `${count}`);
  const dims = x.dims?.filter((_, at) => at !== axis);
  const known = x.known;
  return Array.from({ length: count }, (_, at) =>
    call.value(x.type, call.g.at(x.name, axis, at), dims, known && [known[at] ?? null]),
  );
};

function parts(
  call: OpCall,
  x: TensorValue,
  axis: number,
  sizes: readonly (number | null)[],
  given?: string,
): TensorValue[] {
  const names = call.g.ops('Split', given === undefined ? [x.name] : [x.name, given], sizes.length, { axis });
  return names.map((name, at) =>
    call.value(
      x.type,
      name,
      x.dims?.map((old, each) => (each === axis ? (sizes[at] ?? null) : old)),
    ),
  );
}

const split: DrawOp = (call) => {
  const x = call.input(1);
  const axis = call.axis(call.constant(0, 'axis'), call.rank(x));
  const count = call.attributes.int('num_split', 1);
  if (count < 1 || count > 4096) throw call.refuse('a number of parts', `${count}`);
  const all = x.dims?.[axis] ?? null;
  if (all !== null && all % count !== 0) throw call.refuse(`an axis of ${count} equal parts`, `${all}`);
  return parts(
    call,
    x,
    axis,
    Array.from({ length: count }, () => all && all / count),
  );
};

const splitSizes: DrawOp = (call) => {
  const x = call.input(0);
  const axis = call.axis(call.constant(2, 'axis'), call.rank(x));
  const given = call.constants(1, 'sizes');
  const all = x.dims?.[axis] ?? null;
  const rest = given.reduce((sum, size) => (size === -1 ? sum : sum - size), all ?? 0);
  if (given.includes(-1) && all === null) throw call.refuse('sizes of all parts', `[${given}]`);
  const sizes = given.map((size) => (size === -1 ? rest : size));
  return parts(call, x, axis, sizes, call.g.ints(sizes));
};

const tile: DrawOp = (call) => {
  const [x, repeats] = [call.input(0), call.input(1)];
  const dims = x.dims?.map((size, axis) => {
    const times = repeats.known?.[axis] ?? null;
    return size === null || times === null ? null : size * times;
  });
  return call.value(x.type, call.g.op('Tile', [x.name, call.vector(repeats)]), dims);
};

const fill: DrawOp = (call) => {
  const [shape, value] = [call.input(0), call.input(1)];
  const dims = readDims(shape);
  const one = value.known?.[0];
  const known = typeof one === 'number' && dims?.length === 1 && typeof dims[0] === 'number' && dims[0] <= 64;
  return call.value(
    value.type,
    call.g.expand(value.name, call.vector(shape)),
    dims,
    known ? Array.from({ length: dims[0]! }, () => one) : undefined,
  );
};

const broadcastTo: DrawOp = (call) => {
  const [x, shape] = [call.input(0), call.input(1)];
  return call.value(x.type, call.g.expand(x.name, call.vector(shape)), broadcast(x.dims, readDims(shape)));
};

const fillWith =
  (value: number): DrawOp =>
  (call) => {
    const x = call.input(0);
    const constant = x.type === 'bool' ? call.g.cast(call.g.int(value), DataType.bool) : call.scalar(x.type, value);
    const name = call.g.expand(constant, call.vector(shapeOf(call, x)));
    return call.value(
      x.type,
      name,
      x.dims,
      x.known?.map(() => value),
    );
  };

const range: DrawOp = (call) => {
  const [start, limit, delta] = [call.input(0), call.input(1), call.input(2)];
  const [from, to, by] = [start, limit, delta].map(({ known }) => known?.[0]);
  const count =
    typeof from === 'number' && typeof to === 'number' && typeof by === 'number' && by !== 0
      ? Math.max(0, Math.ceil((to - from) / by))
      : null;
  const known = count !== null && count <= 64 ? Array.from({ length: count }, (_, at) => from! + at * by!) : undefined;
  return call.value(start.type, call.g.op('Range', [start.name, limit.name, delta.name]), [count], known);
};

const rank: DrawOp = (call) => {
  const value = call.rank(call.input(0));
  return call.value('int', call.g.int(value), [], [value]);
};

const size: DrawOp = (call) => {
  const { dims, name } = call.input(0);
  const all = dims?.every((each) => each !== null)
    ? (dims as number[]).reduce((product, each) => product * each, 1)
    : null;
  return call.value('int', call.g.op('Size', [name]), [], [all]);
};

/** [before, after] of each axis. */
const pad: DrawOp = (call) => {
  const x = call.input(0);
  const pads = call.constants(1, 'paddings');
  const rank = call.rank(x);
  if (pads.length !== 2 * rank) throw call.refuse(`paddings of ${rank} axes`, `${pads.length / 2}`);
  const at = (axis: number, side: number) => pads[2 * axis + side]!;
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  const value = call.inputs.length > 2 ? call.input(2).name : call.scalar(x.type, 0);
  const given = call.g.ints([...axes.map((axis) => at(axis, 0)), ...axes.map((axis) => at(axis, 1))]);
  const dims = x.dims?.map((old, axis) => (old === null ? null : old + at(axis, 0) + at(axis, 1)));
  return call.value(x.type, call.g.op('Pad', [x.name, given, value]), dims);
};

export const SHAPES: Readonly<Record<string, DrawOp>> = {
  BroadcastTo: broadcastTo,
  Concat: (call) => concatenated(call, call.inputs.slice(1), call.constant(0, 'axis')),
  ConcatV2: (call) => concatenated(call, call.inputs.slice(0, -1), call.constant(-1, 'axis')),
  EnsureShape: ({ inputs }) => inputs,
  ExpandDims: expandDims,
  Fill: fill,
  OnesLike: fillWith(1),
  Pack: pack,
  Pad: pad,
  PadV2: pad,
  Range: range,
  Rank: rank,
  Reshape: reshape,
  Shape: (call) => shapeOf(call, call.input(0)),
  ShapeN: (call) => call.inputs.map((x) => shapeOf(call, x)),
  Size: size,
  Split: split,
  SplitV: splitSizes,
  Squeeze: squeeze,
  Tile: tile,
  Transpose: transpose,
  Unpack: unpack,
  ZerosLike: fillWith(0),
};

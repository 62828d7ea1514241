/** @file Parts of a tensor by their places along each axis. */
import type { DrawOp, OpCall } from '../op-call.js';
import type { KnownElements, TensorValue } from '../value.js';

/** As ONNX says "to the end", and with a step back "to the start". */
const [END, START] = [2 ** 53 - 1, -(2 ** 53 - 1)];

/** `size` -1 means all that is left. */
const slice: DrawOp = (call) => {
  const [x, begin, size] = [call.input(0), call.input(1), call.input(2)];
  const rank = call.rank(x);
  const from = begin.known ?? [];
  const sizes = size.known ?? [];
  const ends = Array.from({ length: rank }, (_, axis) => {
    const [first, count] = [from[axis], sizes[axis]];
    if (count === -1) return END;
    return typeof first === 'number' && typeof count === 'number' ? first + count : null;
  });
  const dims = ends.map((_, axis) => {
    const [first, count, all] = [from[axis], sizes[axis], x.dims?.[axis]];
    if (count !== -1) return count ?? null;
    return typeof all === 'number' && typeof first === 'number' ? all - first : null;
  });
  const end = ends.every((each) => each !== null)
    ? call.g.ints(ends)
    : openEnds(call, begin, size, sizes.length === rank ? sizes : undefined);
  const name = call.g.op('Slice', [x.name, call.vector(begin), end]);
  const [first, last] = [from[0], ends[0]];
  const known =
    rank === 1 && typeof first === 'number' && typeof last === 'number' ? x.known?.slice(first, last) : undefined;
  return call.value(x.type, name, dims, known);
};

/** Sums that are known as the graph runs, and the end where the size is -1. */
function openEnds(call: OpCall, begin: TensorValue, size: TensorValue, sizes: KnownElements): string {
  const vector = call.vector(size);
  const sum = call.g.add(call.vector(begin), vector);
  if (sizes && !sizes.includes(-1) && sizes.every((each) => each !== null)) return sum;
  return call.g.where(call.g.op('Equal', [vector, call.g.int(-1)]), call.g.int(END), sum);
}

const bit = (mask: number, at: number): boolean => Math.floor(mask / 2 ** at) % 2 === 1;

/** Where a slice of an axis begins and ends; null where the graph calculates that. */
interface SliceBounds {
  readonly first: number | null;
  readonly last: number | null;
  readonly stride: number;
}

/** A slice of an axis, by one entry of begin, end and strides. */
interface AxisCut extends SliceBounds {
  readonly axis: number;
  readonly at: number;
  readonly whole: boolean;
}

interface StridedParts {
  readonly cuts: readonly AxisCut[];
  /** Axes of which one element is taken, and by which entry. */
  readonly single: readonly { readonly axis: number; readonly at: number }[];
  /** Axes of the result that the input does not have. */
  readonly added: readonly number[];
  readonly dims: readonly (number | null)[];
}

/** Applies the masks to begin, end and strides, entry by entry (tensorflow/core/ops, StridedSlice). */
function stridedParts(call: OpCall, x: TensorValue): StridedParts {
  const strides = call.constants(3, 'strides');
  const maskOf = (name: string) => {
    const mask = call.attributes.int(`${name}_mask`, 0);
    return strides.map((_, at) => bit(mask, at));
  };
  const [fromStart, toEnd] = [maskOf('begin'), maskOf('end')];
  const [ellipsis, fresh, shrink] = [maskOf('ellipsis'), maskOf('new_axis'), maskOf('shrink_axis')];
  const rank = call.rank(x);
  const taking = strides.filter((_, at) => !ellipsis[at] && !fresh[at]).length;
  if (taking > rank || ellipsis.filter(Boolean).length > 1) throw call.refuse(`a part of ${rank} axes`, `${taking}`);

  const cutOf = (axis: number, at: number, stride: number): AxisCut => ({
    axis,
    at,
    stride,
    first: fromStart[at] ? (stride > 0 ? 0 : END) : entry(call.input(1), at),
    last: toEnd[at] ? (stride > 0 ? END : START) : entry(call.input(2), at),
    whole: fromStart[at] === true && toEnd[at] === true && stride === 1,
  });
  const cuts: AxisCut[] = [];
  const single: { axis: number; at: number }[] = [];
  const added: number[] = [];
  const dims: (number | null)[] = [];
  let axis = 0;
  const keep = (count: number): void => {
    for (let left = count; left > 0; left--) dims.push(x.dims?.[axis++] ?? null);
  };
  for (const [at, stride] of strides.entries()) {
    if (ellipsis[at]) keep(rank - taking);
    else if (fresh[at]) added.push(dims.push(1) - 1);
    else if (shrink[at]) single.push({ axis: axis++, at });
    else {
      const size = x.dims?.[axis] ?? null;
      const cut = cutOf(axis++, at, stride);
      dims.push(cut.whole ? size : sizeOf(size, cut));
      cuts.push(cut);
    }
  }
  keep(rank - axis);
  return { cuts, single, added, dims };
}

const entry = (vector: TensorValue, at: number): number | null => vector.known?.[at] ?? null;

const stridedSlice: DrawOp = (call) => {
  const [x, begin, end] = [call.input(0), call.input(1), call.input(2)];
  const parts = stridedParts(call, x);
  /** An entry as the graph calculates it. */
  const calculated = (vector: TensorValue, at: number) =>
    call.g.op('Slice', [vector.name, call.g.ints([at]), call.g.ints([at + 1])]);
  const cuts = parts.cuts.filter(({ whole }) => !whole);
  const fixed = cuts.every(({ first, last }) => first !== null && last !== null);
  const join = (vector: TensorValue, known: 'first' | 'last'): string => {
    if (fixed) return call.g.ints(cuts.map((cut) => cut[known]!));
    const names = cuts.map((cut) => (cut[known] === null ? calculated(vector, cut.at) : call.g.ints([cut[known]])));
    return names.length === 1 ? names[0]! : call.g.op('Concat', names, { axis: 0 });
  };
  let { name } = x;
  if (cuts.length > 0) {
    const [axes, steps] = [cuts.map((cut) => cut.axis), cuts.map((cut) => cut.stride)];
    name = call.g.op('Slice', [name, join(begin, 'first'), join(end, 'last'), call.g.ints(axes), call.g.ints(steps)]);
  }
  // From the last axis, so that the places of the others stay.
  for (const { axis, at } of parts.single.toReversed()) {
    const index = entry(begin, at);
    const scalar = index === null ? call.g.squeeze(calculated(begin, at), [0]) : call.g.int(index);
    name = call.g.op('Gather', [name, scalar], { axis });
  }
  if (parts.added.length > 0) name = call.g.unsqueeze(name, parts.added);
  return call.value(x.type, name, parts.dims, followedPart(x, begin, parts));
};

/** How many elements a slice keeps of `size`; null where that depends on the texts. */
const sizeOf = (size: number | null, bounds: SliceBounds): number | null =>
  size === null ? null : (places(size, bounds)?.length ?? null);

/** The places that a slice keeps; undefined where a bound is not known, or they are many. */
function places(size: number, { first, last, stride }: SliceBounds): number[] | undefined {
  if (first === null || last === null || stride === 0 || size > 2 ** 16) return undefined;
  const [low, high] = stride > 0 ? [0, size] : [-1, size - 1];
  const clamp = (bound: number) => Math.min(high, Math.max(low, bound < 0 && bound !== START ? bound + size : bound));
  const [from, to] = [clamp(first), clamp(last)];
  const found: number[] = [];
  for (let at = from; stride > 0 ? at < to : at > to; at += stride) found.push(at);
  return found;
}

/** Elements of a vector that is followed. */
function followedPart({ known }: TensorValue, begin: TensorValue, { cuts, single }: StridedParts): KnownElements {
  if (known === undefined || cuts.length + single.length !== 1) return undefined;
  const [one] = single;
  if (one === undefined) return places(known.length, cuts[0]!)?.map((at) => known[at] ?? null);
  const at = begin.known?.[one.at];
  return typeof at === 'number' ? [known.at(at) ?? null] : undefined;
}

/** The elements of these axes from the last to the first. */
const reverse: DrawOp = (call) => {
  const x = call.input(0);
  const axes = call.constants(1, 'axes').map((axis) => call.axis(axis, call.rank(x)));
  if (axes.length === 0) return x;
  const all = (value: number) => call.g.ints(axes.map(() => value));
  return call.value(x.type, call.g.op('Slice', [x.name, all(END), all(START), call.g.ints(axes), all(-1)]), x.dims);
};

export const SLICES: Readonly<Record<string, DrawOp>> = {
  ReverseV2: reverse,
  Slice: slice,
  StridedSlice: stridedSlice,
};

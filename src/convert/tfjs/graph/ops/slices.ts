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

/** What the masks make of the entries of begin, end and strides, entry by entry (tensorflow/core/ops, StridedSlice). */
const stridedSlice: DrawOp = (call) => {
  const [x, begin, end] = [call.input(0), call.input(1), call.input(2)];
  const strides = call.constants(3, 'strides');
  const mask = (name: string) => call.attributes.int(`${name}_mask`, 0);
  const [beginMask, endMask, ellipsis, fresh, shrink] = ['begin', 'end', 'ellipsis', 'new_axis', 'shrink_axis'].map(
    mask,
  ) as [number, number, number, number, number];
  const rank = call.rank(x);
  const spec = strides.map((_, at) => at);
  const taking = spec.filter((at) => !bit(ellipsis, at) && !bit(fresh, at)).length;
  if (taking > rank || spec.filter((at) => bit(ellipsis, at)).length > 1)
    throw call.refused(`a part of ${rank} axes`, `${taking}`);

  const entry = (vector: TensorValue, at: number): number | null => vector.known?.[at] ?? null;
  const cuts: { axis: number; at: number; stride: number; whole: boolean }[] = [];
  const single: { axis: number; at: number }[] = [];
  const added: number[] = [];
  const dims: (number | null)[] = [];
  let axis = 0;
  for (const at of spec) {
    const stride = strides[at]!;
    if (bit(ellipsis, at)) {
      for (let left = rank - taking; left > 0; left--) dims.push(x.dims?.[axis++] ?? null);
    } else if (bit(fresh, at)) {
      added.push(dims.length);
      dims.push(1);
    } else if (bit(shrink, at)) {
      single.push({ axis: axis++, at });
    } else {
      const whole = bit(beginMask, at) && bit(endMask, at) && stride === 1;
      dims.push(whole ? (x.dims?.[axis] ?? null) : sizeOf(x.dims?.[axis] ?? null, bounds(at, stride)));
      cuts.push({ axis: axis++, at, stride, whole });
    }
  }
  for (; axis < rank; axis++) dims.push(x.dims?.[axis] ?? null);

  function bounds(at: number, stride: number) {
    const first = bit(beginMask, at) ? (stride > 0 ? 0 : END) : entry(begin, at);
    const last = bit(endMask, at) ? (stride > 0 ? END : START) : entry(end, at);
    return { first, last, stride };
  }
  /** A bound as the graph calculates it. */
  const bound = (vector: TensorValue, at: number, known: number | null) =>
    known === null ? call.g.op('Slice', [vector.name, call.g.ints([at]), call.g.ints([at + 1])]) : call.g.ints([known]);
  const join = (names: readonly string[]) => (names.length === 1 ? names[0]! : call.g.op('Concat', names, { axis: 0 }));

  let name = x.name;
  const cut = cuts.filter(({ whole }) => !whole);
  if (cut.length > 0) {
    const all = cut.map(({ at, stride }) => bounds(at, stride));
    const fixed = all.every(({ first, last }) => first !== null && last !== null);
    const starts = fixed
      ? call.g.ints(all.map(({ first }) => first!))
      : join(cut.map(({ at }, index) => bound(begin, at, all[index]?.first ?? null)));
    const ends = fixed
      ? call.g.ints(all.map(({ last }) => last!))
      : join(cut.map(({ at }, index) => bound(end, at, all[index]?.last ?? null)));
    const [axes, steps] = [cut.map((each) => each.axis), cut.map((each) => each.stride)];
    name = call.g.op('Slice', [name, starts, ends, call.g.ints(axes), call.g.ints(steps)]);
  }
  // From the last axis, so that the places of the others stay.
  for (const { axis: place, at } of [...single].reverse()) {
    const index = entry(begin, at);
    const scalar = index === null ? call.g.squeeze(bound(begin, at, null), [0]) : call.g.int(index);
    name = call.g.op('Gather', [name, scalar], { axis: place });
  }
  if (added.length > 0) name = call.g.unsqueeze(name, added);
  return call.value(x.type, name, dims, followedPart(x, { begin, cuts, single, bounds }));
};

/** How many elements a slice keeps of `size`; null where that depends on the texts. */
function sizeOf(
  size: number | null,
  bounds: { first: number | null; last: number | null; stride: number },
): number | null {
  return size === null ? null : (places(size, bounds)?.length ?? null);
}

/** The places that a slice keeps; undefined where a bound is not known, or they are many. */
function places(
  size: number,
  { first, last, stride }: { first: number | null; last: number | null; stride: number },
): number[] | undefined {
  if (first === null || last === null || stride === 0 || size > 2 ** 16) return undefined;
  const [low, high] = stride > 0 ? [0, size] : [-1, size - 1];
  const clamp = (bound: number) => Math.min(high, Math.max(low, bound < 0 && bound !== START ? bound + size : bound));
  const [from, to] = [clamp(first), clamp(last)];
  const found: number[] = [];
  for (let at = from; stride > 0 ? at < to : at > to; at += stride) found.push(at);
  return found;
}

/** Elements of a vector that is followed. */
function followedPart(
  { known }: TensorValue,
  {
    begin,
    cuts,
    single,
    bounds,
  }: {
    begin: TensorValue;
    cuts: readonly { at: number; stride: number }[];
    single: readonly { at: number }[];
    bounds: (at: number, stride: number) => { first: number | null; last: number | null; stride: number };
  },
): KnownElements {
  if (known === undefined || cuts.length + single.length !== 1) return undefined;
  const [one] = single;
  if (one !== undefined) {
    const at = begin.known?.[one.at];
    return typeof at === 'number' ? [known.at(at) ?? null] : undefined;
  }
  const cut = cuts[0]!;
  return places(known.length, bounds(cut.at, cut.stride))?.map((at) => known[at] ?? null);
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

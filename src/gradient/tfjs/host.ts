/**
 * @file Integers and booleans of a graph (token ids, shapes, masks), kept as plain arrays on the host: they are never differentiated, and
 * shapes must be known before a TF.js op can be called.
 */

export interface HostArray {
  readonly dims: readonly number[];
  /** Row-major; booleans are 0 and 1. */
  readonly data: readonly number[];
}

export const sizeOf = (dims: readonly number[]): number => dims.reduce((n, d) => n * d, 1);
export const scalar = (value: number): HostArray => ({ dims: [], data: [value] });
export const vector = (values: readonly number[]): HostArray => ({ dims: [values.length], data: values });

/** Steps between neighbours of each dimension. */
function strides(dims: readonly number[]): number[] {
  const steps = new Array<number>(dims.length).fill(1);
  for (let i = dims.length - 2; i >= 0; i--) steps[i] = steps[i + 1]! * dims[i + 1]!;
  return steps;
}

/** The shape two arrays broadcast to (ONNX "Broadcasting"). Throws RangeError where they do not. */
export function broadcastDims(a: readonly number[], b: readonly number[]): number[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const x = a[i - rank + a.length] ?? 1;
    const y = b[i - rank + b.length] ?? 1;
    if (x !== y && x !== 1 && y !== 1) throw new RangeError(`[${a}] and [${b}] do not broadcast`);
    return x === 1 ? y : x;
  });
}

/** Reads `from` at every position of `dims`; `index` maps a position to one in `from`. */
function remap(
  from: HostArray,
  dims: readonly number[],
  index: (at: readonly number[]) => readonly number[],
): HostArray {
  const steps = strides(from.dims);
  const at = new Array<number>(dims.length).fill(0);
  const data = Array.from({ length: sizeOf(dims) }, () => {
    const value = from.data[index(at).reduce((sum, i, d) => sum + i * steps[d]!, 0)]!;
    for (let d = dims.length - 1; d >= 0; d--) {
      at[d] = at[d]! + 1;
      if (at[d]! < dims[d]!) break;
      at[d] = 0;
    }
    return value;
  });
  return { dims, data };
}

export function expand(a: HostArray, dims: readonly number[]): HostArray {
  const to = broadcastDims(a.dims, dims);
  const lead = to.length - a.dims.length;
  return remap(a, to, (at) => a.dims.map((d, i) => (d === 1 ? 0 : at[i + lead]!)));
}

export function zip(a: HostArray, b: HostArray, f: (x: number, y: number) => number): HostArray {
  const dims = broadcastDims(a.dims, b.dims);
  const [x, y] = [expand(a, dims), expand(b, dims)];
  return { dims, data: x.data.map((value, i) => f(value, y.data[i]!)) };
}

export const map = (a: HostArray, f: (x: number) => number): HostArray => ({ dims: a.dims, data: a.data.map(f) });

export function transpose(a: HostArray, perm: readonly number[]): HostArray {
  const dims = perm.map((p) => a.dims[p]!);
  return remap(a, dims, (at) => a.dims.map((_, d) => at[perm.indexOf(d)]!));
}

export function gather(a: HostArray, indices: HostArray, axis: number): HostArray {
  const dims = [...a.dims.slice(0, axis), ...indices.dims, ...a.dims.slice(axis + 1)];
  const inner = strides(indices.dims);
  const length = a.dims[axis]!;
  return remap(a, dims, (at) => {
    const position = indices.dims.reduce((sum, _, i) => sum + at[axis + i]! * inner[i]!, 0);
    const index = indices.data[position]!;
    return [...at.slice(0, axis), index < 0 ? index + length : index, ...at.slice(axis + indices.dims.length)];
  });
}

export function concat(parts: readonly HostArray[], axis: number): HostArray {
  const [first] = parts as [HostArray, ...HostArray[]];
  const outer = sizeOf(first.dims.slice(0, axis));
  const data: number[] = [];
  for (let o = 0; o < outer; o++) {
    for (const part of parts) {
      const run = sizeOf(part.dims.slice(axis));
      for (let at = o * run; at < (o + 1) * run; at++) data.push(part.data[at]!);
    }
  }
  const along = parts.reduce((sum, part) => sum + part.dims[axis]!, 0);
  return { dims: first.dims.with(axis, along), data };
}

export interface HostSlice {
  readonly start: number;
  readonly step: number;
  readonly length: number;
}

/** One dimension of ONNX Slice: negative positions count from the end, out-of-range ones are clamped. */
export function cut(size: number, start: number, end: number, step: number): HostSlice {
  const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x < 0 ? x + size : x, low), high);
  const from = step > 0 ? clamp(start, 0, size) : clamp(start, 0, size - 1);
  const to = step > 0 ? clamp(end, 0, size) : clamp(end, -1, size - 1);
  return { start: from, step, length: Math.max(0, Math.ceil((to - from) / step)) };
}

export function slice(a: HostArray, cuts: readonly HostSlice[]): HostArray {
  const dims = cuts.map((c) => c.length);
  return remap(a, dims, (at) => cuts.map((c, d) => c.start + at[d]! * c.step));
}

/** Running sum along an axis; `exclusive`: of those before, `reverse`: from the other end. */
export function cumulate(a: HostArray, axis: number, exclusive: boolean, reverse: boolean): HostArray {
  const inner = sizeOf(a.dims.slice(axis + 1));
  const length = a.dims[axis]!;
  const data = [...a.data];
  for (let start = 0; start < data.length; start += inner * length) {
    for (let i = start; i < start + inner; i++) {
      let sum = 0;
      for (let step = 0; step < length; step++) {
        const at = i + inner * (reverse ? length - 1 - step : step);
        const next = sum + a.data[at]!;
        data[at] = exclusive ? sum : next;
        sum = next;
      }
    }
  }
  return { dims: a.dims, data };
}

export function reduce(
  a: HostArray,
  axes: readonly number[],
  keep: boolean,
  f: (x: number, y: number) => number,
): HostArray {
  const kept = a.dims.map((d, i) => (axes.includes(i) ? 1 : d));
  const steps = strides(kept);
  const from = strides(a.dims);
  const data: number[] = [];
  for (const [i, value] of a.data.entries()) {
    let to = 0;
    for (const [d, size] of a.dims.entries()) {
      if (!axes.includes(d)) to += (Math.floor(i / from[d]!) % size) * steps[d]!;
    }
    const sofar = data[to];
    data[to] = sofar === undefined ? value : f(sofar, value);
  }
  return { dims: keep ? kept : a.dims.filter((_, i) => !axes.includes(i)), data };
}

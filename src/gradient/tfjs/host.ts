/** @file Integers and booleans (indices, shapes, masks), kept as plain arrays on the host: they are never differentiated. */

export interface HostArray {
  readonly dims: readonly number[];
  /** Row-major; booleans are 0 and 1. */
  readonly data: readonly number[];
}

export const sizeOf = (dims: readonly number[]): number => dims.reduce((n, d) => n * d, 1);

export const map = (a: HostArray, f: (x: number) => number): HostArray => ({ dims: a.dims, data: a.data.map(f) });

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

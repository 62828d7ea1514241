/** @file Shapes whose sizes may be symbols, and what broadcasting, reshaping and slicing make of them. */
import { product, quotient, type SymbolicDim, sum } from './symbolic-dim.js';

export type SymbolicShape = readonly SymbolicDim[];

export interface SymbolicShapes {
  /** Undefined where not even the rank is known. */
  shape(name: string): SymbolicShape | undefined;
  /** The elements of a small integer tensor as far as they are known: a constant, or computed from shapes. */
  values(name: string): readonly SymbolicDim[] | undefined;
}

/** Integer tensors of more elements are not followed: shapes, axes and indices have fewer. */
export const MAX_FOLLOWED_ELEMENTS = 16;

export const isNumber = (size: SymbolicDim): size is number => typeof size === 'number';

/** A size small enough to follow each element. A file may claim any number. */
export const isFew = (size: SymbolicDim): size is number =>
  isNumber(size) && Number.isInteger(size) && size >= 0 && size <= MAX_FOLLOWED_ELEMENTS;

/** Certainly equal. */
export const sameShape = (a: SymbolicShape, b: SymbolicShape | undefined): boolean =>
  a.length === b?.length && a.every((size, axis) => size !== undefined && size === b[axis]);

/** Undefined where a rank is unknown; a size that may be either is unknown. */
export function broadcast(a: SymbolicShape | undefined, b: SymbolicShape | undefined): SymbolicShape | undefined {
  if (a === undefined || b === undefined) return undefined;
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => broadcastDim(sizeAt(a, rank, axis), sizeAt(b, rank, axis)));
}

function broadcastDim(one: SymbolicDim, other: SymbolicDim): SymbolicDim {
  if (one === other || other === 1) return one;
  if (one === 1) return other;
  // A size above 1 stays what it is: the other is that or 1.
  return [one, other].find((size) => isNumber(size) && size > 1);
}

/** The size of an axis counted in a shape of a higher rank; 1 where it has none. */
export const sizeAt = (shape: SymbolicShape, rank: number, axis: number): SymbolicDim => {
  const own = axis - (rank - shape.length);
  return own < 0 ? 1 : shape[own];
};

/** The shape with its -1 worked out, where that is certain. */
export function reshaped(from: SymbolicShape, to: SymbolicShape): SymbolicShape {
  const free = to.indexOf(-1);
  return free === -1 ? to : to.with(free, quotient(product(from), product(to.toSpliced(free, 1))));
}

/** The number of elements from `start` to `end` of an axis of size `of`; an undefined end is the end of the axis. */
export function sliceLength(of: SymbolicDim, start: number, end: SymbolicDim): SymbolicDim {
  // A table of positions or a triangular mask, cut to the tokens: a text that is longer than it fits nowhere.
  if (typeof end === 'string') return isNumber(of) || of === end ? end : undefined;
  if (isNumber(of)) {
    const from = (bound: number): number => Math.min(Math.max(bound < 0 ? bound + of : bound, 0), of);
    return Math.max(0, from(end ?? of) - from(start));
  }
  if (end === undefined && start >= 0) return sum(of, -start);
  const to = end ?? 0;
  if (start === 0 && to < 0) return sum(of, to);
  // No axis of tokens is empty.
  return start <= 0 && to === start + 1 ? 1 : undefined;
}

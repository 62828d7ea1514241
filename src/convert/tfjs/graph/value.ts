/** @file A tensor of the graph as it is drawn, and what is known of it before it runs. */
import { DataType } from '../../../onnx/data-type.js';

/** TF.js has these three; whole numbers are of 64 bits in the graph, as ONNX wants them where they steer shapes. */
export type ElementType = 'float' | 'int' | 'bool';

export const CODES: Readonly<Record<ElementType, number>> = {
  float: DataType.float,
  int: DataType.int64,
  bool: DataType.bool,
};

/** Sizes, null where they depend on the texts; undefined where not even the rank is known. */
export type Dims = readonly (number | null)[] | undefined;
/** Elements of a small vector or scalar of whole numbers, null where they depend on the texts; undefined where nothing is known. */
export type KnownElements = readonly (number | null)[] | undefined;

/** Shapes, axes and places: no longer ones are followed. */
export const MOST_KNOWN = 64;

export interface TensorValue {
  readonly type: ElementType;
  readonly dims: Dims;
  readonly known: KnownElements;
  /** All whole numbers of a small weight of any shape. */
  readonly numbers?: readonly number[] | undefined;
  /** In the graph. A weight comes into it when somebody asks: most of those that steer shapes are never needed. */
  readonly name: string;
}

/** Whether a tensor's elements may be followed. */
export const followed = (type: ElementType, dims: Dims): boolean =>
  type === 'int' &&
  dims !== undefined &&
  dims.length <= 1 &&
  (dims.length === 0 || (typeof dims[0] === 'number' && dims[0] <= MOST_KNOWN));

/** The shape of what is made of tensors element by element, those of size 1 repeated; undefined where a rank is not known. */
export function broadcast(...shapes: readonly Dims[]): Dims {
  let all: (number | null)[] = [];
  for (const dims of shapes) {
    if (dims === undefined) return undefined;
    const rank = Math.max(all.length, dims.length);
    const at = (of: readonly (number | null)[], axis: number) => {
      const place = axis - (rank - of.length);
      return place < 0 ? 1 : (of[place] as number | null);
    };
    const before = all;
    all = Array.from({ length: rank }, (_, axis) => {
      const [a, b] = [at(before, axis), at(dims, axis)];
      return a === 1 || (a === null && b !== 1) ? b : a;
    });
  }
  return all;
}

/** The sizes in a vector; undefined if not even their number is known. */
export const readDims = ({ known, dims }: TensorValue): Dims => {
  const rank = dims?.[0];
  return known ?? (typeof rank === 'number' ? Array.from({ length: rank }, () => null) : undefined);
};

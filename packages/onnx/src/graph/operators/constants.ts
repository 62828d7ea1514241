/** @file Operators that make constants, shapes and indices, and control flow. Nothing of them has a gradient. */
import { DataType } from '../data-type.js';
import { isFew, MAX_FOLLOWED_ELEMENTS, type SymbolicShape } from '../symbolic-shape.js';
import type { Tensor } from '../tensor.js';
import { family, type NodeView, shapeOfFirst } from './operator.js';

const isInteger = ({ type }: Tensor): boolean => type === DataType.int32 || type === DataType.int64;

/** The elements of a small integer tensor. */
export const followedElements = (tensor: Tensor): readonly number[] | undefined =>
  tensor.size <= MAX_FOLLOWED_ELEMENTS && isInteger(tensor) ? tensor.integers() : undefined;

/** From opset 15 on a Shape may name some of the axes only. */
const partOfShape = ({ first, rank, attributes }: NodeView): SymbolicShape | undefined =>
  first?.slice(attributes.int('start', 0), attributes.int('end', rank));

function filledShape(at: NodeView): readonly number[] | undefined {
  const sizes = at.values(0);
  const fill = at.attributes.tensor('value');
  const [size] = sizes ?? [];
  if (sizes?.length !== 1 || !isFew(size) || (fill && !isInteger(fill))) return undefined;
  return Array<number>(size).fill(fill?.integers()[0] ?? 0);
}

function oneHotShape(at: NodeView): SymbolicShape | undefined {
  return at.first?.toSpliced(at.axis(-1, at.rank + 1), 0, at.values(1)?.[0]);
}

export const constantOperators = family({
  Constant: {
    shape: (at) => at.attributes.tensor('value')?.dims,
    values: (at) => {
      const tensor = at.attributes.tensor('value');
      return tensor && followedElements(tensor);
    },
    gradient: 'none',
  },
  ConstantOfShape: { shape: (at) => at.values(0), values: filledShape, gradient: 'none' },
  EyeLike: { shape: shapeOfFirst, gradient: 'none' },
  NonZero: { shape: (at) => at.first && [at.rank, undefined], gradient: 'none' },
  OneHot: { shape: oneHotShape, looksUp: 0 },
  Range: {
    shape: (at) => {
      const [start, limit, delta] = [0, 1, 2].map((input) => at.values(input)?.[0]);
      return [start === 0 && delta === 1 ? limit : undefined];
    },
  },
  Shape: {
    shape: (at) => {
      const part = partOfShape(at);
      return part && [part.length];
    },
    values: partOfShape,
    gradient: 'none',
  },
  Size: { shape: () => [], gradient: 'none' },
});

/** @file Operators that reshape, reorder, repeat and copy values. */
import { product, type SymbolicDim } from '../symbolic-dim.js';
import { broadcast, isFew, reshaped, type SymbolicShape } from '../symbolic-shape.js';
import { any, each, elementwise, family, fromFront, type NodeView, shapeOfFirst } from './operator.js';

const sameValues = (at: NodeView): readonly SymbolicDim[] | undefined => at.values(0);

function reshapeShape(at: NodeView): SymbolicShape | undefined {
  const [from, sizes] = [at.first, at.values(1)];
  // With `allowzero` a zero is a size, which no text has.
  const zeros = at.attributes.int('allowzero', 0) !== 0 && (sizes?.includes(0) || sizes?.includes(undefined));
  if (from === undefined || sizes === undefined || zeros) return undefined;
  return reshaped(
    from,
    sizes.map((size, axis) => (size === 0 ? from[axis] : size)),
  );
}

/** The order of the axes of a Transpose. */
export const permOf = (at: NodeView): readonly number[] | undefined =>
  at.attributes.ints('perm') ?? at.first?.map((_, axis) => at.rank - 1 - axis);

/** The elements of a small matrix, transposed. */
function transposedValues(at: NodeView): readonly SymbolicDim[] | undefined {
  const [rows, columns] = at.first ?? [];
  const elements = at.values(0);
  if (elements === undefined || at.rank !== 2 || !isFew(rows) || !isFew(columns)) return undefined;
  return permOf(at)?.[0] === 0
    ? elements
    : elements.map((_, place) => elements[(place % rows) * columns + Math.floor(place / rows)]);
}

function unsqueezedShape(at: NodeView): SymbolicShape | undefined {
  const given = at.list('axes', 1);
  if (at.first === undefined || given === undefined) return undefined;
  const rank = at.rank + given.length;
  const added = new Set(at.axes(1, rank));
  if (added.size !== given.length) return undefined;
  const rest = at.first.values();
  return Array.from({ length: rank }, (_, axis) => (added.has(axis) ? 1 : rest.next().value));
}

function squeezedShape(at: NodeView): SymbolicShape | undefined {
  const unnamed = !at.has(1) && !at.attributes.ints('axes');
  const sized = at.first?.every((size) => typeof size === 'number');
  const ones = sized ? at.first?.flatMap((size, axis) => (size === 1 ? [axis] : [])) : undefined;
  const dropped = unnamed ? ones : at.axes();
  return dropped && at.first?.filter((_, axis) => !dropped.includes(axis));
}

const copying = { ...elementwise, gradient: 'rule', moves: { how: 'copy' } } as const;
const reshaping = { gradient: 'rule', moves: { how: 'reshape' } } as const;

export const movements = family({
  Identity: { ...copying, values: sameValues },
  // How a number is cut to 8 bits or fewer, which no gradient passes.
  Cast: { ...copying, values: sameValues, attributes: { to: any, saturate: any, round_mode: any } },
  CastLike: { ...copying, attributes: { saturate: any, round_mode: any } },
  // Inference drops nothing.
  Dropout: { ...copying, attributes: { ratio: any, seed: any } },
  Reshape: {
    ...reshaping,
    shape: reshapeShape,
    values: sameValues,
    attributes: { allowzero: any },
  },
  Flatten: {
    ...reshaping,
    shape: ({ first, rank, attributes }) => {
      const axis = fromFront(attributes.int('axis', 1), rank);
      return first && [product(first.slice(0, axis)), product(first.slice(axis))];
    },
    attributes: { axis: any },
  },
  Squeeze: { ...reshaping, shape: squeezedShape, values: sameValues, attributes: { axes: any } },
  Unsqueeze: { ...reshaping, shape: unsqueezedShape, values: sameValues, attributes: { axes: any } },
  Transpose: {
    shape: (at) => at.first && permOf(at)?.map((axis) => at.first?.[axis]),
    values: transposedValues,
    moves: { how: 'reorder' },
    gradient: 'rule',
    attributes: { perm: any },
  },
  ReverseSequence: {
    shape: shapeOfFirst,
    moves: { how: 'reorder' },
    gradient: 'rule',
    attributes: { batch_axis: any, time_axis: any },
  },
  Expand: { shape: (at) => broadcast(at.first, at.values(1)), moves: { how: 'mix', inputs: [0] }, gradient: 'rule' },
  Tile: {
    shape: (at) => {
      const repeats = at.values(1);
      return repeats && at.first?.map((size, axis) => product([size, repeats[axis]]));
    },
    moves: { how: 'mix', inputs: [0] },
    gradient: 'rule',
  },
  Trilu: { shape: shapeOfFirst, gradient: 'rule', attributes: { upper: any } },
});

export const contributedMovements = family({ ...each(['Trilu'], { shape: shapeOfFirst }) });

/** @file Operators that reshape, reorder, repeat and copy values. */
import { type Node, node } from '../model.js';
import { product, type SymbolicDim } from '../symbolic-dim.js';
import { broadcast, isFew, reshaped, type SymbolicShape, sameShape } from '../symbolic-shape.js';
import { TEXTS_AND_TOKENS } from '../text-shape.js';
import {
  any,
  each,
  elementwise,
  family,
  fromFront,
  type NodeView,
  type RowInputs,
  type RowQuery,
  shapeOfFirst,
} from './operator.js';

const [, TOKENS] = TEXTS_AND_TOKENS;

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

/** The row stays a row where as many elements come before it as did, in whatever axes. */
function rowOfReshaped({ first: from = [] }: NodeView, { row, output }: RowQuery): RowInputs | undefined {
  const before = product(output.slice(0, row.axis));
  const own = from.findIndex(
    (size, axis) => size === TOKENS && before !== undefined && product(from.slice(0, axis)) === before,
  );
  if (own === -1) return undefined;
  const inputs = [{ axis: own, index: row.index }, null];
  const sizesWhere = (kept: (axis: number) => boolean): readonly number[] | undefined => {
    const sizes = output.map((size, axis) =>
      axis === row.axis ? 1 : typeof size === 'number' ? size : kept(axis) ? 0 : -1,
    );
    return sizes.filter((size) => size === -1).length > 1 ? undefined : sizes;
  };
  const direct = sizesWhere((axis) => axis !== own && output[axis] !== undefined && from[axis] === output[axis]);
  if (direct !== undefined) {
    return {
      inputs,
      nodes: ([data = ''], name, g) => [node('Reshape', [data, g.constant(`${name}/shape`, direct)], name)],
    };
  }
  // Otherwise what comes before the row is made one axis first, or as many.
  const flat = row.axis === 1 ? sizesWhere((axis) => axis === 0) : undefined;
  const sameRest = output.length - row.axis === from.length - own && sameShape(from.slice(own), output.slice(row.axis));
  const sizes = flat ?? (sameRest && row.axis > own ? sizesWhere((axis) => axis > row.axis) : undefined);
  if (sizes === undefined) return undefined;
  return {
    inputs,
    nodes: ([data = ''], name, g): readonly Node[] => {
      const shape = g.constant(`${name}/shape`, sizes);
      const aligned = flat
        ? node('Flatten', [data], `${name}/aligned`, { axis: { kind: 'int', value: own } })
        : g.unsqueezed(data, `${name}/aligned`, own, row.axis - own);
      return [aligned, node('Reshape', [...aligned.outputs, shape], name)];
    },
  };
}

const permOf = (at: NodeView): readonly number[] | undefined =>
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
    rows: rowOfReshaped,
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
    rows: (at, { row }) => {
      const axis = permOf(at)?.[row.axis];
      return axis === undefined ? undefined : { inputs: [{ axis, index: row.index }] };
    },
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

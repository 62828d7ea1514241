/** @file How an operator computes one row of its output by itself: the rows of its inputs that it needs. */
import { type Node, node } from '../../../packages/onnx/src/graph/model.js';
import { operatorOf } from '../../../packages/onnx/src/graph/operators/index.js';
import { permOf } from '../../../packages/onnx/src/graph/operators/movement.js';
import type { NodeView } from '../../../packages/onnx/src/graph/operators/operator.js';
import { isPointwise } from '../../../packages/onnx/src/graph/operators/product.js';
import { reducedAxes } from '../../../packages/onnx/src/graph/operators/reduction.js';
import { product } from '../../../packages/onnx/src/graph/symbolic-dim.js';
import { type SymbolicShape, sameShape, sizeAt } from '../../../packages/onnx/src/graph/symbolic-shape.js';
import { TEXTS_AND_TOKENS } from './text-shape.js';

const [, TOKENS] = TEXTS_AND_TOKENS;

/** From opset 13 on a softmax is along one axis; before, along all from one on. */
const SINGLE_AXIS_SOFTMAX_OPSET = 13;

/** One row of an axis. */
export interface TakenRow {
  readonly axis: number;
  /** Counted from the end where negative. */
  readonly index: number;
}

/** Query to a row rule: how to compute this row of the tokens, for an output of this shape. */
interface RowQuery {
  readonly row: TakenRow;
  readonly output: SymbolicShape;
  readonly opset: number;
}

/** Appends nodes to the graph that is pruned. */
export interface RowWriter {
  /** The name of a new constant of 64-bit integers. */
  constant(name: string, values: readonly number[]): string;
  /** The data with `count` axes of size 1 more, from `axis` on. */
  unsqueezed(data: string, name: string, axis: number, count: number): Node;
}

/** How a node computes one row of its output: the row of each input that it needs, undefined where it needs the whole, null where none. */
interface RowInputs {
  readonly inputs: readonly (TakenRow | undefined | null)[];
  /** New nodes in its place, from the names of the inputs and the output; the same node otherwise. */
  readonly nodes?: (inputs: readonly string[], output: string, g: RowWriter) => readonly Node[];
}

type RowRule = (at: NodeView, query: RowQuery) => RowInputs | undefined;

/** The output with one row needs that row of the first input, and the others whole. */
const rowOfFirst = ({ node }: NodeView, { row }: RowQuery): RowInputs => ({
  inputs: node.inputs.map((_, input) => (input === 0 ? row : undefined)),
});

/** As `rowOfFirst`, for operators that work on each element of an input of the output's shape. */
const rowByElement = (at: NodeView, query: RowQuery): RowInputs | undefined =>
  at.rank === query.output.length ? rowOfFirst(at, query) : undefined;

/** As `rowOfFirst`, where the operator works along other axes than the row's. */
const rowUnless =
  (along: (at: NodeView, query: RowQuery) => boolean) =>
  (at: NodeView, query: RowQuery): RowInputs | undefined =>
    along(at, query) ? undefined : rowOfFirst(at, query);

/** Each input with the row's axis gives that row, one that is broadcast along it stays whole. */
function rowOfEach(at: NodeView, { row: { axis, index }, output }: RowQuery): RowInputs | undefined {
  const rank = output.length;
  const inputs: (TakenRow | undefined)[] = [];
  for (const shape of at.shapes()) {
    const size = shape && sizeAt(shape, rank, axis);
    if (shape === undefined || (size !== 1 && size !== TOKENS)) return undefined;
    inputs.push(size === 1 ? undefined : { axis: axis - (rank - shape.length), index });
  }
  return { inputs };
}

/** Each row of a product is that of its left side, whose batch is its own. */
function rowOfLeft({ rank, first }: NodeView, { row, output }: RowQuery): RowInputs | undefined {
  const own = rank - (output.length - row.axis);
  return row.axis === output.length - 2 && first?.[own] === TOKENS
    ? { inputs: [{ axis: own, index: row.index }, undefined] }
    : undefined;
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

const softmax = rowUnless((at, { row, opset }) =>
  opset < SINGLE_AXIS_SOFTMAX_OPSET ? row.axis >= at.axis(1) : row.axis === at.axis(-1),
);

/** A norm along the axes from one on. */
const alongLast = rowUnless((at, { row }) => row.axis >= at.axis(-1));

/** The sum of the first two inputs is normed along the last axis. */
const skipped: RowRule = (at, { row, output }) =>
  row.axis === output.length - 1 || !sameShape(at.first ?? [], at.shape(1))
    ? undefined
    : { inputs: at.node.inputs.map((_, input) => (input < 2 ? row : undefined)) };

const reduction = rowUnless(
  (at, { row }) => at.attributes.int('keepdims', 1) !== 1 || reducedAxes(at)?.includes(row.axis) !== false,
);

/** Of the operators that do not work element by element. */
const RULES: ReadonlyMap<string, RowRule> = new Map([
  ...['LogSoftmax', 'Softmax', 'Hardmax'].map((op) => [op, softmax] as const),
  ...['LayerNormalization', 'RMSNormalization', 'SimplifiedLayerNormalization'].map((op) => [op, alongLast] as const),
  ...['SkipLayerNormalization', 'SkipSimplifiedLayerNormalization'].map((op) => [op, skipped] as const),
  ...['L1', 'L2', 'LogSumExp', 'Max', 'Mean', 'Min', 'Sum', 'SumSquare'].map(
    (op) => [`Reduce${op}`, reduction] as const,
  ),
  ['MatMul', rowOfLeft],
  ['Conv', rowUnless((at, { row }) => row.axis < 2 || !isPointwise(at, at.shape(1) ?? []))],
  ['Reshape', rowOfReshaped],
  [
    'Transpose',
    (at, { row }) => {
      const axis = permOf(at)?.[row.axis];
      return axis === undefined ? undefined : { inputs: [{ axis, index: row.index }] };
    },
  ],
  [
    'Concat',
    (at, { row }) => {
      const all = at.shapes().every((shape) => shape?.[row.axis] === TOKENS);
      return at.axis(0) !== row.axis && all ? { inputs: at.node.inputs.map(() => row) } : undefined;
    },
  ],
  [
    'GatherElements',
    // Both are of one rank; along other axes an element is picked from the row it is put into.
    (at, { row }) => (row.axis !== at.axis(0) && at.first?.[row.axis] === TOKENS ? { inputs: [row, row] } : undefined),
  ],
]);

/** How a node computes one row of its output; undefined where that depends on other rows. */
export function rowInputs(at: NodeView, query: RowQuery): RowInputs | undefined {
  const elementwise = operatorOf(at.node)?.elementwise;
  if (elementwise !== undefined) return elementwise === 'first' ? rowByElement(at, query) : rowOfEach(at, query);
  return operatorOf(at.node) && RULES.get(at.node.op)?.(at, query);
}

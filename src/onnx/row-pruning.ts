/**
 * @file A classifier's head reads one token of the last layer; its last block computes all of them. This rewrite computes the one: what
 * takes a row of an axis (Gather of a constant index, a Slice of one) is moved up through everything that works on each row by itself.
 * In a transformer's last block the queries, the attention's products, the output projection and the feed-forward part are then those of
 * one token; keys and values stay those of all. The answers are the same but for the kernels that a product of fewer rows may take (2e-6).
 */
import { attributesOf } from './attributes.js';
import { DataType } from './data-type.js';
import { prune, withGraph } from './edit.js';
import { type Dimension, type Graph, type Model, type Node, node, opsetOf, subgraphs } from './model.js';
import { product } from './symbolic-dim.js';
import {
  BROADCAST,
  isPointwise,
  KNOWN_DOMAINS,
  type SymbolicShape,
  type SymbolicShapes,
  sizeAt,
  sliceOf,
  symbolicShapes,
} from './symbolic-shapes.js';
import { Tensor } from './tensor.js';
import { TEXTS_AND_TOKENS } from './text-shape.js';

/** One row of an axis. */
interface TakenRow {
  readonly axis: number;
  /** Counted from the end where negative. */
  readonly index: number;
}

/** How a node computes one row of its output: the row of each input that it needs, undefined where it needs the whole, null where none. */
interface RowOf {
  readonly inputs: readonly (TakenRow | undefined | null)[];
  /** A new node in its place, from the names of the inputs and the output; the same one otherwise. */
  readonly node?: (inputs: readonly string[], output: string) => readonly Node[];
}

const [TEXTS, TOKENS] = TEXTS_AND_TOKENS;

/** From opset 13 on a softmax is along one axis; before, along all from one on. */
const SINGLE_AXIS_SOFTMAX_OPSET = 13;
/** From which on Unsqueeze takes its axes as an input. */
const AXES_AS_INPUT_OPSET = 13;

/**
 * The model with its last block computed for the rows that are read, or undefined where that saves nothing: no single row of the tokens is
 * read, or no product stands before it. For graphs whose inputs are all [texts, tokens], but for real-valued ones (the masks of dropout)
 * that call these dimensions as the others do; its outputs keep names and shapes.
 */
export function withPrunedRows(model: Model): Model | undefined {
  const { graph } = model;
  const inputs = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  const symbols = new Map<Dimension, string>();
  for (const { type, dims = [] } of inputs) {
    if (type === DataType.float) continue;
    dims.forEach((dim, axis) => {
      if (typeof dim === 'string') symbols.set(dim, axis === 0 ? TEXTS : TOKENS);
    });
  }
  const given: [string, (number | string)[]][] = [];
  for (const { name, type, dims = [] } of inputs) {
    const shape = dims.map((dim) => (typeof dim === 'number' && dim > 0 ? dim : symbols.get(dim)));
    if (dims.length === 2) given.push([name, [sized(dims[0], TEXTS), sized(dims[1], TOKENS)]]);
    else if (type === DataType.float && shape.every((size) => size !== undefined)) given.push([name, shape]);
    else return undefined;
  }
  const shapes = symbolicShapes(graph, new Map(given));
  const rows = new RowPruner(graph, shapes, opsetOf(model));
  const nodes = rows.nodes();
  if (rows.products === 0) return undefined;
  const initializers = new Map([
    ...graph.initializers,
    ...rows.constants.map((tensor) => [tensor.name, tensor] as const),
  ]);
  // An input that is not needed any more is still fed.
  return withGraph(model, { ...prune({ ...graph, nodes, initializers, valueInfos: [] }), inputs: graph.inputs });
}

const sized = (dim: unknown, symbol: string): number | string => (typeof dim === 'number' && dim > 0 ? dim : symbol);

class RowPruner {
  /** Products that are computed for one row now. */
  products = 0;
  readonly constants: Tensor[] = [];
  /** Tensor -> the row of it that is read; absent where all of it is, too. */
  readonly #row = new Map<string, TakenRow>();
  readonly #whole = new Set<string>();
  readonly #graph: Graph;
  readonly #shapes: SymbolicShapes;
  readonly #opset: number;

  constructor(graph: Graph, shapes: SymbolicShapes, opset: number) {
    this.#graph = graph;
    this.#shapes = shapes;
    this.#opset = opset;
  }

  /** The nodes in an order in which they can run. */
  nodes(): Node[] {
    const { nodes, outputs } = this.#graph;
    for (const { name } of outputs) this.#whole.add(name);
    // From the end: what reads a tensor is known before what makes it.
    const rewritten: Node[][] = [];
    for (const each of nodes.toReversed()) rewritten.push(this.#rewrite(each));
    const made = new Set(nodes.flatMap(({ outputs }) => outputs));
    const taken = [...this.#row].filter(([name]) => !made.has(name)).flatMap(([name, row]) => this.#take(name, row));
    return [...taken, ...rewritten.toReversed().flat()];
  }

  #rewrite(each: Node): Node[] {
    const [output = ''] = each.outputs;
    const row = this.#row.get(output);
    const others = each.outputs.slice(1).some((name) => this.#whole.has(name) || this.#row.has(name));
    if (row !== undefined && !this.#whole.has(output) && !others) {
      const one = this.#rowOf(each, row);
      if (one !== undefined) {
        const inputs = each.inputs.map((name, at) => this.#read(name, one.inputs[at]));
        if (each.op === 'MatMul' || each.op === 'Conv') this.products++;
        const name = named(output, row);
        return [...(one.node?.(inputs, name) ?? [{ ...each, name, inputs, outputs: [name] }])];
      }
    }
    if (!each.outputs.some((name) => this.#whole.has(name) || this.#row.has(name))) return [each];
    const reader = this.#reader(each);
    if (reader !== undefined && this.#whole.has(output) && row === undefined) return [reader];
    for (const name of [...each.inputs, ...subgraphs(each).flatMap(mentioned)]) this.#whole.add(name);
    return [each, ...each.outputs.flatMap((name) => this.#take(name, this.#row.get(name)))];
  }

  /** A tensor that will be read, whole or a row of it: what it is then called. */
  #read(name: string, row: TakenRow | undefined | null): string {
    if (row === null) return name;
    const asked = this.#row.get(name);
    if (name === '' || row === undefined || (asked && (asked.axis !== row.axis || asked.index !== row.index))) {
      if (name !== '') this.#whole.add(name);
      return name;
    }
    this.#row.set(name, row);
    return named(name, row);
  }

  /** The row of a tensor that is computed whole. */
  #take(name: string, row: TakenRow | undefined): Node[] {
    if (row === undefined || name === '') return [];
    const index = this.#constant(`${named(name, row)}/index`, [row.index]);
    return [node('Gather', [name, index], named(name, row), { axis: { kind: 'int', value: row.axis } })];
  }

  /** What takes one row of the tokens, reading a tensor that has that row alone. Undefined for any other node. */
  #reader(each: Node): Node | undefined {
    const [data = '', second = ''] = each.inputs;
    const shape = this.#shapes.shape(data);
    if (!KNOWN_DOMAINS.has(each.domain) || shape === undefined || shape.length < 2) return undefined;
    if (each.op === 'Gather') {
      const index = this.#shapes.values(second);
      const axis = positive(attributesOf(each).int('axis', 0), shape.length);
      if (index?.length !== 1 || typeof index[0] !== 'number' || shape[axis] !== TOKENS) return undefined;
      const own = this.#shapes.shape(second) as readonly number[];
      const first = this.#constant(`${each.outputs[0]}/first`, [0], own);
      const read = this.#read(data, { axis, index: index[0] });
      return read === data ? undefined : { ...each, inputs: [read, first] };
    }
    if (each.op !== 'Slice') return undefined;
    const slices = sliceOf(each, this.#shapes) ?? [];
    const [slice] = slices;
    if (slice === undefined || slices.length !== 1) return undefined;
    const axis = positive(slice.axis, shape.length);
    if (shape[axis] !== TOKENS || slice.size(TOKENS) !== 1) return undefined;
    const read = this.#read(data, { axis, index: slice.start });
    return read === data ? undefined : node('Identity', [read], each.outputs[0] as string);
  }

  #constant(name: string, values: readonly number[], dims: readonly number[] = [values.length]): string {
    this.constants.push(Tensor.of(name, dims, BigInt64Array.from(values, BigInt)));
    return name;
  }

  /** With so many axes of size 1 more, from `axis` on. */
  #unsqueezed(data: string, name: string, axis: number, count: number): Node {
    const axes = Array.from({ length: count }, (_, at) => axis + at);
    return this.#opset < AXES_AS_INPUT_OPSET
      ? node('Unsqueeze', [data], name, { axes: { kind: 'ints', value: axes } })
      : node('Unsqueeze', [data, this.#constant(`${name}/axes`, axes)], name);
  }

  #rowOf(each: Node, row: TakenRow): RowOf | undefined {
    const { op, inputs, outputs } = each;
    const output = this.#shapes.shape(outputs[0] as string);
    const [first = '', second = ''] = inputs;
    const a = this.#shapes.shape(first);
    if (a === undefined || output === undefined || output[row.axis] !== TOKENS) return undefined;
    const rank = output.length;
    const value = attributesOf(each);
    const alike: RowOf = { inputs: inputs.map((_, at) => (at === 0 ? row : undefined)) };
    if (BY_ELEMENT.has(op)) return a.length === rank ? alike : undefined;
    if (BROADCAST.has(op)) {
      const needed = inputs.map((name) => part(this.#shapes.shape(name), rank, row));
      return needed.includes('unknown') ? undefined : { inputs: needed as (TakenRow | undefined)[] };
    }
    switch (op) {
      case 'SkipLayerNormalization':
        return row.axis === rank - 1 || !same(a, this.#shapes.shape(second))
          ? undefined
          : { inputs: inputs.map((_, at) => (at < 2 ? row : undefined)) };
      case 'LayerNormalization':
      case 'SimplifiedLayerNormalization':
        return row.axis < positive(value.int('axis', -1), rank) ? alike : undefined;
      case 'Softmax':
      case 'LogSoftmax': {
        const along = positive(value.int('axis', this.#opset < SINGLE_AXIS_SOFTMAX_OPSET ? 1 : -1), rank);
        const other = this.#opset < SINGLE_AXIS_SOFTMAX_OPSET ? row.axis < along : row.axis !== along;
        return other ? alike : undefined;
      }
      case 'ReduceMean':
      case 'ReduceSum':
      case 'ReduceMax':
      case 'ReduceL2': {
        const axes = value.ints('axes') ?? (second === '' ? undefined : this.#shapes.values(second));
        if (value.int('keepdims', 1) !== 1 || axes === undefined) return undefined;
        const reduced = axes.every((axis) => typeof axis === 'number' && positive(axis, rank) !== row.axis);
        return reduced ? alike : undefined;
      }
      case 'MatMul': {
        // Each row of a product is that of its left side, whose batch is its own.
        const own = a.length - (rank - row.axis);
        return row.axis === rank - 2 && a[own] === TOKENS
          ? { inputs: [{ axis: own, index: row.index }, undefined] }
          : undefined;
      }
      case 'Transpose': {
        const order = value.ints('perm') ?? a.map((_, axis) => rank - 1 - axis);
        return { inputs: [{ axis: order[row.axis] as number, index: row.index }] };
      }
      case 'Conv':
        return row.axis >= 2 && isPointwise(each, this.#shapes.shape(second) ?? []) ? alike : undefined;
      case 'GatherElements':
        // Both are of one rank; along other axes an element is picked from the row it is put into.
        return row.axis !== positive(value.int('axis', 0), rank) && a[row.axis] === TOKENS
          ? { inputs: [row, row] }
          : undefined;
      case 'Reshape': {
        // The row stays a row where as many elements come before it as did, in whatever axes.
        const before = product(output.slice(0, row.axis));
        const own = a.findIndex(
          (size, axis) => size === TOKENS && before !== undefined && product(a.slice(0, axis)) === before,
        );
        if (own === -1) return undefined;
        const written = (kept: (axis: number) => boolean): readonly number[] | undefined => {
          const sizes = output.map((size, axis) =>
            axis === row.axis ? 1 : typeof size === 'number' ? size : kept(axis) ? 0 : -1,
          );
          return sizes.filter((size) => size === -1).length > 1 ? undefined : sizes;
        };
        const direct = written((axis) => axis !== own && output[axis] !== undefined && a[axis] === output[axis]);
        const rest = output.length - row.axis === a.length - own && same(a.slice(own), output.slice(row.axis));
        // Else what comes before the row is made one axis first, or as many.
        const first = row.axis === 1 ? written((axis) => axis === 0) : undefined;
        const last = rest && row.axis > own ? written((axis) => axis > row.axis) : undefined;
        const sizes = direct ?? first ?? last;
        if (sizes === undefined) return undefined;
        return {
          inputs: [{ axis: own, index: row.index }, null],
          node: ([data = ''], name) => {
            const shape = this.#constant(`${name}/shape`, sizes);
            if (direct) return [node('Reshape', [data, shape], name)];
            const aligned = first
              ? node('Flatten', [data], `${name}/aligned`, { axis: { kind: 'int', value: own } })
              : this.#unsqueezed(data, `${name}/aligned`, own, row.axis - own);
            return [aligned, node('Reshape', [...aligned.outputs, shape], name)];
          },
        };
      }
      case 'Concat': {
        const other = positive(value.int('axis', 0), rank) !== row.axis;
        const all = inputs.every((name) => this.#shapes.shape(name)?.[row.axis] === TOKENS);
        return other && all ? { inputs: inputs.map(() => row) } : undefined;
      }
      default:
        return undefined;
    }
  }
}

/** Operators that work on each element of their first input by itself. */
const BY_ELEMENT = new Set(
  'Abs Cast Clip Cos Elu Erf Exp FastGelu Gelu HardSigmoid Identity LeakyRelu Log Neg Not QuickGelu Reciprocal Relu Selu Sigmoid Sign Sin Softplus Sqrt Tanh BiasGelu'.split(
    ' ',
  ),
);

const named = (name: string, { axis, index }: TakenRow): string => `${name}/row ${index} of axis ${axis}`;

const positive = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

/** Equal for certain. */
const same = (a: SymbolicShape, b: SymbolicShape | undefined): boolean =>
  a.length === b?.length && a.every((size, axis) => size !== undefined && size === b[axis]);

/** The row of an input that is broadcast: the whole where it is the same for all rows. */
function part(
  shape: SymbolicShape | undefined,
  rank: number,
  { axis, index }: TakenRow,
): TakenRow | undefined | 'unknown' {
  if (shape === undefined) return 'unknown';
  const size = sizeAt(shape, rank, axis);
  if (size === 1) return undefined;
  return size === TOKENS ? { axis: axis - (rank - shape.length), index } : 'unknown';
}

/** Every name a subgraph uses. */
function mentioned(graph: Graph): string[] {
  return [
    ...graph.nodes.flatMap((each) => [...each.inputs, ...subgraphs(each).flatMap(mentioned)]),
    ...graph.outputs.map(({ name }) => name),
  ];
}

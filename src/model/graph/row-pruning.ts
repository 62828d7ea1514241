/**
 * @file A classifier's head reads one token of the last layer, but its last block computes all of them. This rewrite computes only that
 * one: the operator that takes a row of an axis (Gather with a constant index, a Slice of one) is moved up through all row-wise operators.
 * In a transformer's last block, the queries, the attention's products, the output projection and the feed-forward part are then computed
 * for one token; keys and values are still computed for all. The answers are equal, except for other kernels for products of fewer rows
 * (2e-6).
 */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { prune, withGraph } from '../../../packages/onnx/src/graph/edit.js';
import {
  type Dimension,
  type Graph,
  type Model,
  type Node,
  node,
  opsetOf,
  subgraphs,
} from '../../../packages/onnx/src/graph/model.js';
import { operatorOf } from '../../../packages/onnx/src/graph/operators/index.js';
import { NodeView } from '../../../packages/onnx/src/graph/operators/operator.js';
import { slicedAxes } from '../../../packages/onnx/src/graph/operators/selection.js';
import type { SymbolicShapes } from '../../../packages/onnx/src/graph/symbolic-shape.js';
import { symbolicShapes } from '../../../packages/onnx/src/graph/symbolic-shapes.js';
import { Tensor } from '../../../packages/onnx/src/graph/tensor.js';
import { must } from '../../core/errors.js';
import { type RowWriter, rowInputs, type TakenRow } from './row-rules.js';
import { TEXTS_AND_TOKENS } from './text-shape.js';

const [TEXTS, TOKENS] = TEXTS_AND_TOKENS;

/** From which on Unsqueeze takes its axes as an input. */
const AXES_AS_INPUT_OPSET = 13;

/**
 * The model with its last block restricted to the rows that are read, or undefined if that saves nothing: no single row of the tokens is
 * read, or no product precedes it. For graphs whose inputs are all [texts, tokens], except for real-valued ones (dropout masks) with the
 * same names of dimensions; its outputs keep names and shapes.
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

class RowPruner implements RowWriter {
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
    const wanted = (name: string): boolean => this.#whole.has(name) || this.#row.has(name);
    if (!each.outputs.some(wanted)) return [each];
    const [output = '', ...others] = each.outputs;
    const row = this.#row.get(output);
    const whole = this.#whole.has(output);
    const nodes =
      row === undefined ? whole && this.#reader(each) : !whole && !others.some(wanted) && this.#oneRow(each, row);
    if (nodes) return [...nodes];
    for (const name of [...each.inputs, ...subgraphs(each).flatMap(mentioned)]) this.#whole.add(name);
    return [each, ...each.outputs.flatMap((name) => this.#take(name, this.#row.get(name)))];
  }

  /** The node computing one row of its output, where it can. */
  #oneRow(each: Node, row: TakenRow): readonly Node[] | undefined {
    const operator = operatorOf(each);
    const at = new NodeView(each, this.#shapes);
    const output = this.#shapes.shape(must(each.outputs[0]));
    if (at.first === undefined || output?.[row.axis] !== TOKENS) return undefined;
    const one = rowInputs(at, { row, output, opset: this.#opset });
    if (one === undefined) return undefined;
    const inputs = each.inputs.map((name, input) => this.#read(name, one.inputs[input]));
    if (operator?.linear) this.products++;
    const name = named(must(each.outputs[0]), row);
    return one.nodes?.(inputs, name, this) ?? [{ ...each, name, inputs, outputs: [name] }];
  }

  /** A tensor that will be read, whole or a row of it: what it is then called. */
  #read(name: string, row: TakenRow | undefined | null): string {
    if (row === null) return name;
    const entry = this.#row.get(name);
    if (name === '' || row === undefined || (entry && (entry.axis !== row.axis || entry.index !== row.index))) {
      if (name !== '') this.#whole.add(name);
      return name;
    }
    this.#row.set(name, row);
    return named(name, row);
  }

  /** The row of a tensor that is computed whole. */
  #take(name: string, row: TakenRow | undefined): Node[] {
    if (row === undefined || name === '') return [];
    const index = this.constant(`${named(name, row)}/index`, [row.index]);
    return [node('Gather', [name, index], named(name, row), { axis: { kind: 'int', value: row.axis } })];
  }

  /** A node that takes one row of the tokens, reading a tensor that has that row alone. Undefined for any other node. */
  #reader(each: Node): readonly Node[] | undefined {
    const at = new NodeView(each, this.#shapes);
    if (operatorOf(each) === undefined || at.rank < 2) return undefined;
    if (each.op === 'Gather') return this.#gatherOfRow(each, at);
    const slices = each.op === 'Slice' ? slicedAxes(at) : undefined;
    const [slice] = slices ?? [];
    if (slice === undefined || slices?.length !== 1) return undefined;
    if (at.first?.[slice.axis] !== TOKENS || slice.size(TOKENS) !== 1) return undefined;
    const [data] = each.inputs as [string];
    const read = this.#read(data, { axis: slice.axis, index: slice.start });
    return read === data ? undefined : [node('Identity', [read], must(each.outputs[0]))];
  }

  #gatherOfRow(each: Node, at: NodeView): readonly Node[] | undefined {
    const [data] = each.inputs as [string];
    const [index, ...others] = at.values(1) ?? [];
    const axis = at.axis(0);
    if (others.length > 0 || typeof index !== 'number' || at.first?.[axis] !== TOKENS) return undefined;
    const first = this.constant(`${each.outputs[0]}/first`, [0], at.shape(1) as readonly number[]);
    const read = this.#read(data, { axis, index });
    return read === data ? undefined : [{ ...each, inputs: [read, first] }];
  }

  constant(name: string, values: readonly number[], dims: readonly number[] = [values.length]): string {
    this.constants.push(Tensor.of(name, dims, BigInt64Array.from(values, BigInt)));
    return name;
  }

  unsqueezed(data: string, name: string, axis: number, count: number): Node {
    const axes = Array.from({ length: count }, (_, at) => axis + at);
    return this.#opset < AXES_AS_INPUT_OPSET
      ? node('Unsqueeze', [data], name, { axes: { kind: 'ints', value: axes } })
      : node('Unsqueeze', [data, this.constant(`${name}/axes`, axes)], name);
  }
}

const named = (name: string, { axis, index }: TakenRow): string => `${name}/row ${index} of axis ${axis}`;

/** Every name a subgraph uses. */
function mentioned(graph: Graph): string[] {
  return [
    ...graph.nodes.flatMap((each) => [...each.inputs, ...subgraphs(each).flatMap(mentioned)]),
    ...graph.outputs.map(({ name }) => name),
  ];
}

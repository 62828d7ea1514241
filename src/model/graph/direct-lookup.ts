/**
 * @file One look-up where a graph has a roundabout one, or several of one table. Exporters reshape or transpose ids before they look
 * them up (GPT-2, XLNet), and a decoder looks up the same ids shifted by one, behind a token of its own (BART). Rewritten, the ids
 * are looked up as they are, once, and each former look-up is made of those rows: so that there is one tensor of embeddings to
 * differentiate by, and to feed in place of looked-up ones.
 */
import { attributesOf } from '../../../packages/onnx/src/graph/attributes.js';
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { producers } from '../../../packages/onnx/src/graph/edit.js';
import { type Graph, type Model, type Node, node as newNode } from '../../../packages/onnx/src/graph/model.js';
import { isCopy, keepsOrder, operatorOf } from '../../../packages/onnx/src/graph/operators/index.js';
import { must } from '../../core/errors.js';

const CONSTANTS = new Set(['Constant', 'ConstantOfShape']);

/** The inputs whose values a node moves, changing none; undefined where it computes. */
const movedInputs = (node: Node): readonly string[] | undefined => {
  const moves = node.domain === '' ? operatorOf(node)?.moves : undefined;
  if (moves === undefined) return undefined;
  const { inputs = [0] } = moves;
  return inputs === 'all' ? node.inputs : inputs.map((at) => node.inputs[at] ?? '').filter(Boolean);
};

/** Origin of a tensor of ids: the input, constants, or both. */
interface Origin {
  readonly ids: boolean;
  readonly constants: boolean;
  /** The nodes on the way that move ids. */
  readonly path: ReadonlySet<Node>;
}

/** Where every tensor's ids come from; undefined for one that is computed otherwise. */
function originsOf(graph: Graph, input: string): (name: string) => Origin | undefined {
  const made = producers(graph);
  const known = new Map<string, Origin | undefined>();
  const find = (name: string): Origin | undefined => {
    if (name === input) return { ids: true, constants: false, path: new Set() };
    const node = made.get(name);
    if (graph.initializers.has(name) || (node && CONSTANTS.has(node.op))) {
      return { ids: false, constants: true, path: new Set() };
    }
    const parts = node && movedInputs(node)?.map(origin);
    if (node === undefined || parts === undefined || !parts.every((part) => part !== undefined)) return undefined;
    const ids = parts.some((part) => part.ids);
    const path = new Set(parts.flatMap((part) => [...part.path]));
    return { ids, constants: parts.some((part) => part.constants), path: ids ? path.add(node) : path };
  };
  const origin = (name: string): Origin | undefined => {
    if (!known.has(name)) {
      // A cycle is no graph; until a tensor's origin is known it has none.
      known.set(name, undefined);
      known.set(name, find(name));
    }
    return known.get(name);
  };
  return origin;
}

/**
 * The model with one look-up of `input` where it has several of one table, or a roundabout one; unchanged where it has one, none,
 * or look-ups of different tables.
 */
export function withDirectLookup(model: Model, input: string): Model {
  const { graph } = model;
  const declared = graph.inputs.find(({ name }) => name === input);
  const origin = originsOf(graph, input);
  const lookups = graph.nodes.filter((node) => {
    const [table = '', ids = ''] = node.inputs;
    const tensor = graph.initializers.get(table);
    const embeds = node.op === 'Gather' && node.domain === '' && attributesOf(node).int('axis', 0) === 0;
    return embeds && tensor?.dims.length === 2 && tensor.type === DataType.float && origin(ids)?.ids === true;
  });
  const table = graph.initializers.get(lookups[0]?.inputs[0] ?? '');
  const straight = lookups.every((node) => [...(origin(must(node.inputs[1]))?.path ?? [])].every(isCopy));
  if (table === undefined || declared === undefined || (lookups.length === 1 && straight)) return model;
  if (lookups.some((node) => node.inputs[0] !== table.name)) return model;

  const g = new GraphBuilder({ base: model });
  const integer = declared.type === DataType.int64 || declared.type === DataType.int32;
  const ids = integer ? input : g.cast(input, DataType.int64);
  const rows = g.gather(table.name, ids); // [batch, tokens, width]
  const first = g.take();
  const constants = lookups.some((node) => origin(must(node.inputs[1]))?.constants);
  const rewriter = new RowMover(g, graph, { input, ids, rows, table: table.name, dims: table.dims, constants });
  const nodes = graph.nodes.flatMap((node) => {
    if (!lookups.includes(node)) return [node];
    const [output] = node.outputs as [string];
    const from = must(node.inputs[1]);
    const moved = rewriter.move(from, must(origin(from)));
    return [...g.take(), newNode('Identity', [moved], output)];
  });
  const built = g.model();
  return { ...built, graph: { ...built.graph, nodes: [...first, ...nodes] } };
}

const permOf = (node: Node): readonly number[] | undefined =>
  node.op === 'Transpose' ? attributesOf(node).ints('perm') : undefined;

interface Lookup {
  readonly input: string;
  /** The ids as integers. */
  readonly ids: string;
  /** Looked up by them. */
  readonly rows: string;
  readonly table: string;
  /** The shape of the table. */
  readonly dims: readonly number[];
  /** On some way constant ids come in between. */
  readonly constants: boolean;
}

/** Writes former look-ups as movements of the rows. */
class RowMover {
  readonly #g: GraphBuilder;
  readonly #graph: Graph;
  readonly #lookup: Lookup;
  /** Tensors of the way -> the same of positions, in place of ids. */
  readonly #placed = new Map<string, string>();

  constructor(g: GraphBuilder, graph: Graph, lookup: Lookup) {
    this.#g = g;
    this.#graph = graph;
    this.#lookup = lookup;
  }

  /** The rows of the ids that `name` holds, [...its shape, width]. */
  move(name: string, { path }: Origin): string {
    const nodes = this.#graph.nodes.filter((node) => path.has(node));
    const turns = nodes.every((node) => keepsOrder(node) || permOf(node) !== undefined);
    return turns ? this.#transpose(name, nodes) : this.#picked(name, nodes);
  }

  /** Where ids are only reshaped and transposed, so are the rows. */
  #transpose(name: string, path: readonly Node[]): string {
    let rows = this.#lookup.rows;
    let shaped = true;
    for (const node of path) {
      const perm = permOf(node);
      if (perm === undefined) shaped = false;
      else {
        if (!shaped) rows = this.#shaped(rows, must(node.inputs[0]));
        rows = this.#g.transpose(rows, [...perm, perm.length]);
        shaped = true;
      }
    }
    return shaped ? rows : this.#shaped(rows, name);
  }

  #shaped(rows: string, like: string): string {
    return this.#g.reshape(rows, this.#with(like, must(this.#lookup.dims[1])));
  }

  /** A tensor's shape and one more dimension. */
  #with(name: string, size: number): string {
    const g = this.#g;
    return g.concat([g.shape(name), g.ints([size])], 0);
  }

  /**
   * Handles any movement: positions are moved like the ids, and pick rows at the end. Positions are counted from the end of the vocabulary,
   * which distinguishes them from constant ids on the path; those are looked up in the table.
   */
  #picked(name: string, path: readonly Node[]): string {
    const g = this.#g;
    const { table, rows, dims, constants } = this.#lookup;
    const offset = g.int(constants ? must(dims[0]) : 0);
    this.#place(offset);
    for (const node of path) this.#copy(node);
    const places = g.cast(must(this.#placed.get(name)), DataType.int64);
    const flat = g.reshape(rows, [-1, must(dims[1])]); // [batch * tokens, width]
    if (!constants) return g.gather(flat, places);
    const known = g.op('Less', [places, offset]);
    const zero = g.int(0);
    const own = g.gather(flat, g.where(known, zero, g.sub(places, offset)));
    const constant = g.gather(table, g.where(known, places, zero));
    return g.where(g.reshape(known, this.#with(places, 1)), constant, own);
  }

  /** Positions in the shape and type of the ids. */
  #place(offset: string): void {
    const { input, ids } = this.#lookup;
    if (this.#placed.has(input)) return;
    const g = this.#g;
    const shape = g.shape(ids);
    const count = g.op('ReduceProd', [shape], { keepdims: 0 });
    const numbers = g.add(g.op('Range', [g.int(0), count, g.int(1)]), offset);
    const type = this.#graph.inputs.find((declared) => declared.name === input)?.type ?? DataType.int64;
    this.#placed.set(input, g.cast(g.reshape(numbers, shape), type));
  }

  #copy(node: Node): void {
    if (node.outputs.some((name) => this.#placed.has(name))) return;
    const moved = new Set(movedInputs(node));
    const inputs = node.inputs.map((name) => (moved.has(name) ? (this.#placed.get(name) ?? name) : name));
    const attributes = Object.fromEntries(node.attributes);
    const outputs = this.#g.ops(node.op, inputs, node.outputs.length, attributes);
    for (const [at, name] of node.outputs.entries()) if (name !== '') this.#placed.set(name, must(outputs[at]));
  }
}

/**
 * @file A graph written as code: for architectures, tests, benchmarks, and for what is appended to someone else's graph.
 *
 *     const g = new GraphBuilder({ opset: 17 });
 *     const ids = g.input('input_ids', DataType.int64, ['batch', 'sequence']);
 *     const table = g.initializer('embeddings', [8000, 256], values);
 *     g.output(g.op('Gather', [table, ids]), DataType.float, ['batch', 'sequence', 256]);
 *     const bytes = g.build();
 */
import type { TypedArray } from './data-type.js';
import { type Attribute, type Dimension, feeds, type Graph, type Model, type Node, type ValueInfo } from './model.js';
import { type Attributes, type AttributeValue, NodeWriter } from './node-writer.js';
import { Tensor } from './tensor.js';
import { writeModel } from './write.js';

export const float = (value: number): Attribute => ({ kind: 'float', value });
export const floats = (value: readonly number[]): Attribute => ({ kind: 'floats', value });
export const strings = (value: readonly string[]): Attribute => ({ kind: 'strings', value });
export const graph = (value: Graph): Attribute => ({ kind: 'graph', value });

export interface BuilderOptions {
  readonly opset?: number;
  readonly irVersion?: number;
  readonly base?: Model;
  readonly prefix?: string;
}

export class GraphBuilder extends NodeWriter {
  readonly opset: number;
  readonly #base: Model;
  readonly #prefix: string;
  readonly #nodes: Node[] = [];
  readonly #initializers = new Map<string, Tensor>();
  readonly #inputs: ValueInfo[] = [];
  readonly #outputs: ValueInfo[] = [];
  readonly #opsets: Map<string, number>;
  readonly #names = new Set<string>();
  /** The names of the base's nodes: a node of ours is named as its output, and no two may have one name. */
  readonly #nodeNames: ReadonlySet<string>;
  /** Content of a constant -> its name. */
  readonly #constants = new Map<string, string>();
  #count = 0;

  /**
   * An empty graph, or one that starts with another model's (`base`), whose outputs stay. `prefix` starts the names it makes up:
   * a subgraph's must differ from those around it.
   */
  constructor({ opset = 17, irVersion = 8, base, prefix = '' }: BuilderOptions = {}) {
    super();
    this.#prefix = prefix;
    this.#base = base === undefined ? emptyModel(opset, irVersion) : modern(base);
    this.#opsets = new Map(this.#base.opsets);
    this.opset = this.#opsets.get('') ?? opset;
    const { nodes, initializers, inputs } = this.#base.graph;
    this.#nodeNames = new Set(nodes.map(({ name }) => name));
    for (const name of initializers.keys()) this.#names.add(name);
    for (const { name } of inputs) this.#names.add(name);
    for (const node of nodes) for (const name of node.outputs) this.#names.add(name);
  }

  /** Declares an input and returns its name. Throws RangeError for a name already taken. */
  input(name: string, type: number, dims: readonly Dimension[]): string {
    this.#inputs.push({ name: this.#claim(name), type, dims });
    return name;
  }

  /** Adds a parameter and returns its name. Throws RangeError for a name already taken or the wrong number of elements. */
  initializer(name: string, dims: readonly number[], data: TypedArray, type?: number): string {
    this.#initializers.set(this.#claim(name), Tensor.of(name, dims, data, type));
    return name;
  }

  /** Adds a parameter under its own name unless it is there already (by this call), and returns the name. */
  shared(tensor: Tensor): string {
    if (!this.#initializers.has(tensor.name)) this.#initializers.set(this.#claim(tensor.name), tensor);
    return tensor.name;
  }

  /** A constant single-precision scalar; equal ones are stored once. */
  float(value: number): string {
    return this.#constant(`float ${Object.is(value, -0) ? '-0' : value}`, [], Float32Array.of(value));
  }

  /** A constant single-precision vector; equal ones are stored once. */
  vector(values: readonly number[]): string {
    return this.#constant(`floats ${values}`, [values.length], Float32Array.from(values));
  }

  /** A constant vector of 64-bit integers; equal ones are stored once. */
  ints(values: readonly number[]): string {
    return this.#constant(`ints ${values}`, [values.length], BigInt64Array.from(values, BigInt));
  }

  /** A constant 64-bit integer scalar. */
  int(value: number): string {
    return this.#constant(`int ${value}`, [], BigInt64Array.of(BigInt(value)));
  }

  ops(
    op: string,
    inputs: readonly string[],
    outputs: number | readonly string[],
    attributes: Attributes = {},
    domain = '',
  ): string[] {
    const names =
      typeof outputs === 'number'
        ? Array.from({ length: outputs }, () => this.#claim(this.#free(op)))
        : outputs.map((name) => (name === '' ? '' : this.#claim(name)));
    if (!this.#opsets.has(domain)) this.#opsets.set(domain, 1);
    this.#nodes.push({
      op,
      domain,
      name: names.find((name) => name !== '') ?? '',
      inputs: [...inputs],
      outputs: names,
      attributes: new Map(Object.entries(attributes).map(([key, value]) => [key, attribute(key, value)])),
    });
    return names;
  }

  /** Declares a tensor an output; type and dimensions are inferred by the runtime where left out. */
  output(name: string, type = 0, dims?: readonly Dimension[]): string {
    this.#outputs.push({ name, type, dims });
    return name;
  }

  /** The nodes appended since the last call, no longer part of the graph: for callers that order them themselves. */
  take(): Node[] {
    return this.#nodes.splice(0);
  }

  /** The graph so far. A base graph's nodes come first, its outputs too. */
  graph(): Graph {
    const { graph } = this.#base;
    return {
      ...graph,
      nodes: [...graph.nodes, ...this.#nodes],
      initializers: new Map([...graph.initializers, ...this.#initializers]),
      inputs: [...graph.inputs, ...this.#inputs],
      outputs: [...graph.outputs, ...this.#outputs],
    };
  }

  model(): Model {
    return { ...this.#base, opsets: this.#opsets, graph: this.graph() };
  }

  /** The bytes of the model file. */
  build(): Uint8Array {
    return writeModel(this.model());
  }

  #constant(key: string, dims: readonly number[], data: TypedArray): string {
    let name = this.#constants.get(key);
    if (name === undefined) {
      name = this.#names.has(key) ? this.#free(key) : key;
      this.initializer(name, dims, data);
      this.#constants.set(key, name);
    }
    return name;
  }

  #claim(name: string): string {
    if (name === '' || this.#names.has(name)) throw new RangeError(`tensor name "${name}" is empty or taken`);
    this.#names.add(name);
    return name;
  }

  #free(op: string): string {
    let name: string;
    do name = `${this.#prefix}${op}_${this.#count++}`;
    while (this.#names.has(name) || this.#nodeNames.has(name));
    return name;
  }
}

/** Below IR version 4 every initializer must be an input too; from 4 on that would mean "may be fed", so the inputs go. */
function modern(model: Model): Model {
  if (model.irVersion >= 4) return model;
  return { ...model, irVersion: 4, graph: { ...model.graph, inputs: feeds(model.graph) } };
}

function emptyModel(opset: number, irVersion: number): Model {
  return {
    irVersion,
    opsets: new Map([['', opset]]),
    metadata: new Map(),
    producer: 'robust-text',
    graph: { name: 'main', nodes: [], initializers: new Map(), inputs: [], outputs: [], valueInfos: [] },
  };
}

function attribute(key: string, value: AttributeValue): Attribute {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) throw new RangeError(`attribute "${key}": expected an integer or float(${value})`);
    return { kind: 'int', value };
  }
  if (typeof value === 'string') return { kind: 'string', value };
  if (value instanceof Tensor) return { kind: 'tensor', value };
  if ('kind' in value) return value;
  return { kind: 'ints', value };
}

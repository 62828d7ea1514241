/** @file A graph model of TF.js (a graph of TensorFlow), which can be run from any of its nodes on. */
import type { GraphModel as Converted } from '@tensorflow/tfjs-converter';
import type { NamedTensorMap, Tensor } from '@tensorflow/tfjs-core';
import { must, UnsupportedOpError } from '../core/errors.js';
import { isObject, type JsonObject } from '../core/json.js';
import { noLookup, type TfjsHead, type TfjsModel, type TfjsPort, type TfjsRun } from './model.js';
import type { TF } from './tf.js';

interface GraphNode {
  readonly name: string;
  readonly op: string;
  /** Names of nodes or of their outputs ("name:1"). */
  readonly input: readonly string[];
  readonly attr: JsonObject;
}

/** An input as the model takes it. */
interface Placeholder extends TfjsPort {
  /** Keras declares ids as floating-point numbers and casts them. */
  readonly fed: TfjsPort['type'];
}

const nodeOf = (tensor: string): string => tensor.replace(/^\^/, '').replace(/:\d+$/, '');

/** Operators that keep ids as they are, and their order. */
const MOVES = new Set(['Identity', 'Cast', 'Reshape', 'ExpandDims', 'Squeeze', 'StopGradient', 'Snapshot']);

export class GraphModel implements TfjsModel {
  readonly inputs: readonly TfjsPort[];
  readonly outputs: readonly TfjsPort[];
  readonly #tf: TF;
  readonly #model: Converted;
  readonly #nodes: ReadonlyMap<string, GraphNode>;
  /** Output -> its tensor. */
  readonly #tensors: ReadonlyMap<string, string>;
  readonly #placeholders: readonly Placeholder[];
  /** Two inputs of whole numbers, places [n, 2] and ids [n]: texts of several lengths in a row, as the Universal Sentence Encoder has them. */
  readonly #ragged: { readonly indices: string; readonly values: string } | undefined;
  /** It has loops, or sizes that only a run knows. */
  #stepwise = false;
  /** Where `table` has found the lookup. */
  #cut: GraphNode | undefined;

  constructor(tf: TF, model: Converted, json: JsonObject) {
    this.#tf = tf;
    this.#model = model;
    const nodes = (json.modelTopology as { node: Partial<GraphNode>[] }).node;
    this.#nodes = new Map(
      nodes.map(({ name = '', op = '', input = [], attr = {} }) => [name, { name, op, input, attr }]),
    );
    const keys = signed(json, 'inputs');
    this.#placeholders = model.inputs.map(({ name, dtype, shape }) => {
      const fed = dtype === 'int32' || dtype === 'bool' || dtype === 'string' ? dtype : 'float32';
      const readers = [...this.#nodes.values()].filter(({ input }) => input.some((each) => nodeOf(each) === name));
      const cast = ({ op, attr }: GraphNode) =>
        op === 'Cast' && /INT|^[39]$/.test(String((attr.DstT as JsonObject)?.type));
      const asIds = fed === 'float32' && readers.length > 0 && readers.every(cast);
      const key = [...keys].find(([, tensor]) => nodeOf(tensor) === name)?.[0];
      return { name: key ?? name, type: asIds ? 'int32' : fed, fed, shape: sizes(shape ?? [-1, -1]) };
    });
    this.#ragged = raggedPair(this.#placeholders);
    this.inputs = this.#ragged
      ? [{ name: 'input_ids', type: 'int32', shape: ['batch', 'sequence'] }]
      : this.#placeholders;
    const outputs = signed(json, 'outputs');
    this.#tensors = outputs.size > 0 ? outputs : new Map(model.outputs.map(({ name }) => [name, name]));
    this.outputs = Array.from(this.#tensors.keys(), (name) => ({ name, type: 'float32', shape: [] }));
  }

  head(output: string): TfjsHead | undefined {
    return this.#headOf(must(this.#tensors.get(output)));
  }

  run(feeds: NamedTensorMap, output: string, { rows, logits = false }: TfjsRun = {}): Tensor | Promise<Tensor> {
    const given = this.#ragged === undefined ? this.#cast(feeds) : this.#inOneRow(this.#ragged, feeds);
    const tensor = must(this.#tensors.get(output));
    const wanted = logits ? must(this.#before(tensor).input[0]) : tensor;
    if (rows === undefined) return this.#execute(given, wanted);
    const { name, input } = must(this.#cut);
    const ids = this.#model.execute(given, input[1]) as Tensor;
    const looked = this.#tf.reshape(rows, [...ids.shape, must(rows.shape.at(-1))]);
    return this.#model.execute({ ...given, [name]: looked }, wanted) as Tensor;
  }

  table(input: string): Tensor {
    if (this.#stepwise)
      throw new UnsupportedOpError('expected a graph that TF.js runs at once, got one with loops or sizes of its own', {
        code: 'GRADIENTS_UNSUPPORTED',
        hint: 'TF.js has no gradients of these. Save the Keras model as a layers model (--output_format tfjs_layers_model); attacks without gradients run on it as it is.',
      });
    const [found, ...others] = this.#lookups(input);
    if (found === undefined || others.length > 0) throw noLookup(input, found === undefined ? 0 : 1 + others.length);
    this.#cut = found;
    return this.#model.execute({}, found.input[0]) as Tensor;
  }

  dispose(): void {
    this.#model.dispose();
  }

  #execute(given: NamedTensorMap, wanted: string): Tensor | Promise<Tensor> {
    if (!this.#stepwise) {
      try {
        return this.#model.execute(given, wanted) as Tensor;
      } catch (error) {
        // TF.js says so where a graph must be run step by step.
        if (!String(error).includes('executeAsync')) throw error;
        this.#stepwise = true;
      }
    }
    return this.#model.executeAsync(given, wanted) as Promise<Tensor>;
  }

  #cast(feeds: NamedTensorMap): NamedTensorMap {
    return Object.fromEntries(this.#placeholders.map(({ name, fed }) => [name, this.#tf.cast(must(feeds[name]), fed)]));
  }

  /** Texts of one length, their ids in a row and the place of each. */
  #inOneRow(
    { indices, values }: { indices: string; values: string },
    { input_ids: ids }: NamedTensorMap,
  ): NamedTensorMap {
    const [texts = 0, length = 0] = must(ids).shape;
    const places = Int32Array.from({ length: 2 * texts * length }, (_, at) =>
      at % 2 === 1 ? (at >> 1) % length : Math.floor((at >> 1) / length),
    );
    return {
      [indices]: this.#tf.tensor2d(places, [texts * length, 2], 'int32'),
      [values]: this.#tf.reshape(must(ids), [-1]),
    };
  }

  /** Where rows of a constant table are gathered by the ids of an input. */
  #lookups(input: string): GraphNode[] {
    const fed = this.#ragged ? this.#ragged.values : input;
    const place = this.#model.inputs[this.#placeholders.findIndex(({ name }) => name === fed)]?.name;
    return [...this.#nodes.values()].filter(({ op, input: [table = '', ids = '', axis] }) => {
      const first = axis === undefined || this.#model.weights[nodeOf(axis)]?.[0]?.dataSync()[0] === 0;
      const isTable = this.#model.weights[this.#source(table)]?.[0]?.rank === 2;
      return ['GatherV2', 'Gather', 'ResourceGather'].includes(op) && first && isTable && this.#source(ids) === place;
    });
  }

  /** The node whose values a tensor has, in the same order. */
  #source(tensor: string): string {
    let node = this.#nodes.get(nodeOf(tensor));
    for (let steps = 0; node !== undefined && MOVES.has(node.op) && steps < this.#nodes.size; steps++)
      node = this.#nodes.get(nodeOf(node.input[0] ?? ''));
    return node?.name ?? '';
  }

  /** The node that makes a tensor, behind those that only pass it on. */
  #before(tensor: string): GraphNode {
    let node = this.#nodes.get(nodeOf(tensor));
    for (let steps = 0; node?.op === 'Identity' && steps < this.#nodes.size; steps++)
      node = this.#nodes.get(nodeOf(node.input[0] ?? ''));
    return node ?? { name: '', op: '', input: [], attr: {} };
  }

  #headOf(tensor: string, depth = 0): TfjsHead | undefined {
    const { op, input, attr } = this.#before(tensor);
    if (op === 'Softmax') return { scores: 'distribution', by: op, activation: 'softmax' };
    if (op === 'Sigmoid') return { scores: 'probabilities', by: op, activation: 'sigmoid' };
    if (op === 'LogSoftmax') return { scores: 'log-distribution', by: op };
    const fused = ((attr.fused_ops as JsonObject)?.list as { s?: unknown[] })?.s?.length ?? 1;
    if (/^(Batch)?MatMul(V2|V3)?$/.test(op) || (op === '_FusedMatMul' && fused === 1))
      return { scores: 'logits', by: op };
    if (!['BiasAdd', 'Add', 'AddV2'].includes(op) || depth > 8) return undefined;
    const moving = input.filter((each) => this.#before(each).op !== 'Const');
    const head = moving.length === 1 ? this.#headOf(must(moving[0]), depth + 1) : undefined;
    return head?.scores === 'logits' ? head : undefined;
  }
}

/** The names of a signature and their tensors. */
function signed(json: JsonObject, side: 'inputs' | 'outputs'): Map<string, string> {
  const own = isObject(json.userDefinedMetadata) ? json.userDefinedMetadata.signature : undefined;
  const signature = json.signature ?? own;
  const entries = isObject(signature) && isObject(signature[side]) ? Object.entries(signature[side]) : [];
  return new Map(
    entries.flatMap(([key, value]) => (isObject(value) && typeof value.name === 'string' ? [[key, value.name]] : [])),
  );
}

function raggedPair(placeholders: readonly Placeholder[]): { indices: string; values: string } | undefined {
  if (placeholders.length !== 2 || placeholders.some(({ fed }) => fed !== 'int32')) return undefined;
  const indices = placeholders.find(({ shape }) => shape.length === 2 && shape[0] === 'batch' && shape[1] === 2);
  const values = placeholders.find(({ shape }) => shape.length === 1 && shape[0] === 'batch');
  return indices && values && { indices: indices.name, values: values.name };
}

const sizes = (shape: readonly number[]): (number | string)[] =>
  shape.map((size, at) => (size >= 0 ? size : (['batch', 'sequence'][at] ?? `size ${at}`)));

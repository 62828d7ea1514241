/**
 * @file An ONNX graph run with TF.js ops, so that `tf.grad` and `tf.variableGrads` differentiate it: the second, independent
 * gradient engine. Floating-point tensors are TF.js tensors; integers and booleans are host arrays.
 */
import type { Tensor } from '@tensorflow/tfjs-core';
import { UnsupportedOpError } from '../../core/errors.js';
import { type Graph, type Model, type Node, opsetOf } from '../../onnx/model.js';
import type { Tensor as OnnxTensor } from '../../onnx/tensor.js';
import type { TF } from './backend.js';
import type { HostArray } from './host.js';
import { type Op, ops, type Value } from './ops.js';

export type { Value } from './ops.js';

const FLOATING = new Set([1, 10, 11, 16]);

/** A constant of the graph as a value: floating-point ones on the backend, the rest on the host. */
function constant(tf: TF, tensor: OnnxTensor): Value {
  if (FLOATING.has(tensor.type)) return tf.tensor(tensor.floats(), [...tensor.dims], 'float32');
  return { dims: tensor.dims, data: tensor.integers() } satisfies HostArray;
}

export class Interpreter {
  readonly tf: TF;
  readonly #graph: Graph;
  readonly #opset: number;
  readonly #constants = new Map<string, Value>();
  readonly #steps: readonly (readonly [Node, Op])[];

  /**
   * Throws UnsupportedOpError naming every op this engine does not know. `wanted` limits the graph to what these tensors need;
   * the initialisers `fed` come with every run, so no copy of them is kept.
   */
  constructor(tf: TF, model: Model, wanted: readonly string[], fed: readonly string[] = []) {
    this.tf = tf;
    this.#graph = model.graph;
    this.#opset = opsetOf(model);
    const needed = ancestors(model.graph, wanted);
    const table = ops(tf);
    const unknown = new Set(
      needed.filter((node) => !knows(table, node)).map((node) => `${node.domain || 'ai.onnx'} ${node.op}`),
    );
    if (unknown.size > 0) {
      throw new UnsupportedOpError(
        `the TF.js engine cannot run ${[...unknown].sort().join(', ')} (opset ${this.#opset})`,
        { code: 'OP_UNSUPPORTED', hint: 'Use --engine onnx, or attacks that need no gradients.' },
      );
    }
    for (const [name, tensor] of model.graph.initializers) {
      if (!fed.includes(name)) this.#constants.set(name, constant(tf, tensor));
    }
    for (const node of needed) {
      const value = node.op === 'Constant' ? node.attributes.get('value') : undefined;
      if (value?.kind === 'tensor') this.#constants.set(node.outputs[0] as string, constant(tf, value.value));
    }
    this.#steps = needed
      .filter((node) => !this.#constants.has(node.outputs[0] as string))
      .map((node) => [node, table[node.op] as Op] as const);
  }

  /** Value of a constant or initializer. */
  constant(name: string): Value | undefined {
    return this.#constants.get(name);
  }

  /**
   * Runs the graph and gives the named tensors. `given` holds the inputs, and may hold intermediates and initializers, which
   * then take the place of what the graph would compute: that is how embeddings and variables come in. `added` is added to
   * intermediates when they are computed: the gradient of a zero added is the gradient of the intermediate.
   */
  run(given: ReadonlyMap<string, Value>, wanted: readonly string[], added?: ReadonlyMap<string, Tensor>): Value[] {
    const values = new Map<string, Value>([...this.#constants, ...given]);
    for (const [node, op] of this.#steps) {
      if (node.outputs.every((output) => output === '' || given.has(output))) continue;
      const inputs = node.inputs.map((name) => (name === '' ? undefined : values.get(name)));
      const results = op({ node, inputs, opset: this.#opset });
      for (const [i, output] of node.outputs.entries()) {
        const result = results[i];
        if (output === '' || given.has(output) || result === undefined) continue;
        const more = added?.get(output);
        values.set(output, more === undefined ? result : this.tf.add(result as Tensor, more));
      }
    }
    return wanted.map((name) => values.get(name) as Value);
  }

  /** Frees the constants on the backend. */
  dispose(): void {
    for (const value of this.#constants.values())
      if (!('data' in value && Array.isArray(value.data))) (value as Tensor).dispose();
    this.#constants.clear();
  }

  get graph(): Graph {
    return this.#graph;
  }
}

function knows(table: Readonly<Record<string, Op>>, node: Node): boolean {
  return (
    (node.domain === '' || node.domain === 'ai.onnx' || node.domain === 'com.microsoft') &&
    (node.op === 'Constant' || Object.hasOwn(table, node.op))
  );
}

/** The nodes some tensors depend on, in graph order (which ONNX requires to be topological). */
function ancestors(graph: Graph, wanted: readonly string[]): Node[] {
  const needed = new Set(wanted);
  const kept: Node[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some((output) => needed.has(output))) continue;
    kept.push(node);
    for (const input of node.inputs) needed.add(input);
  }
  return kept.reverse();
}

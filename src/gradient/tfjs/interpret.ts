/**
 * @file The part of an ONNX graph that gradients pass through, run with TF.js ops, so that `tf.grad` differentiates it: the second,
 * independent gradient engine. What else the graph computes (shapes, masks, constants) is given to every run.
 */
import type { Tensor } from '@tensorflow/tfjs-core';
import { whyNotLowered } from '../../../packages/onnx/src/autodiff/lower/index.js';
import {
  Unsupported,
  type UnsupportedNode,
  unsupportedAttribute,
  unsupportedOps,
} from '../../../packages/onnx/src/autodiff/unsupported.js';
import { reads } from '../../../packages/onnx/src/graph/edit.js';
import { type Graph, type Model, type Node, opsetOf, subgraphs } from '../../../packages/onnx/src/graph/model.js';
import { operatorOf } from '../../../packages/onnx/src/graph/operators/index.js';
import type { Tensor as OnnxTensor } from '../../../packages/onnx/src/graph/tensor.js';
import { ModelError, messageOf, must, RobustError } from '../../core/errors.js';
import type { TF } from '../../tfjs/tf.js';
import { ops } from './ops/index.js';
import { type Call, type Op, type Ops, onHost, type Value } from './ops/kernel-context.js';
import { isReal } from './ops/shape.js';

/** Outputs and gradients to compute from a graph. */
export interface Purpose {
  /** The tensors to compute. */
  readonly wanted: readonly string[];
  /** The tensors to differentiate by. */
  readonly wrt: readonly string[];
  /** Initialisers that come with every run, so that no copy of them is kept. */
  readonly fed?: readonly string[];
}

export class Interpreter {
  readonly tf: TF;
  /** Tensors of the graph that every run must be given, besides the inputs and what is fed. */
  readonly needed: readonly string[];
  /** Tensors in `wrt` that are computed from other tensors in it. */
  readonly computed: readonly string[];
  readonly #model: Model;
  readonly #constants: ReadonlyMap<string, Value>;
  readonly #steps: readonly { readonly node: Node; readonly op: Op }[];
  /** Tensors that depend on `wrt` and have a derivative. */
  readonly #dependent: ReadonlySet<string>;

  /** Throws UnsupportedOpError that lists every operator and attribute this engine does not cover. */
  constructor(tf: TF, model: Model, { wanted, wrt, fed = [] }: Purpose) {
    this.tf = tf;
    this.#model = model;
    const { graph } = model;
    const { nodes, dependent } = dependents(graph, wrt);
    const kept = ancestors(nodes, [...wanted, ...wrt]);
    const table = ops(tf);
    const unsupportedNodes = kept.flatMap((node): UnsupportedNode[] => {
      const reason = whyUnsupported(table, node);
      return reason === undefined ? [] : [{ node, reason }];
    });
    if (unsupportedNodes.length > 0) throw unsupportedOps('tfjs', model, unsupportedNodes);
    this.#dependent = dependent;
    this.#steps = kept.map((node) => ({ node, op: must(table[node.op]) }));
    const computed = new Set(kept.flatMap((node) => node.outputs).filter((name) => dependent.has(name)));
    this.computed = wrt.filter((name) => computed.has(name));
    const leaves = new Set([...kept.flatMap((node) => node.inputs), ...wanted, ...wrt].filter(Boolean));
    const fromElsewhere = new Set([...computed, ...fed, ...graph.inputs.map((input) => input.name)]);
    const missing = Array.from(leaves).filter((name) => !fromElsewhere.has(name));
    this.#constants = new Map(
      missing.flatMap((name) => {
        const tensor = graph.initializers.get(name);
        return tensor === undefined ? [] : [[name, constant(tf, tensor)] as const];
      }),
    );
    this.needed = missing.filter((name) => !this.#constants.has(name));
  }

  /** Value of a constant or initializer. */
  constant(name: string): Value | undefined {
    return this.#constants.get(name);
  }

  /**
   * Runs the graph and gives the named tensors. `given` holds the inputs and what is `needed`. `added` is added to
   * intermediates when they are computed: the gradient of a zero added is the gradient of the intermediate.
   */
  run(given: ReadonlyMap<string, Value>, wanted: readonly string[], added?: ReadonlyMap<string, Tensor>): Value[] {
    const values = new Map<string, Value>([...this.#constants, ...given]);
    for (const { node, op } of this.#steps) {
      const inputs = node.inputs.map((name) => (name === '' ? undefined : values.get(name)));
      const depends = node.inputs.map((name) => this.#dependent.has(name));
      const results = this.#perform(op, { node, inputs, depends, opset: opsetOf(this.#model) });
      for (const [i, result] of results.entries()) {
        const output = node.outputs[i] ?? '';
        const more = added?.get(output);
        values.set(output, more === undefined ? result : this.tf.add(result, more));
      }
    }
    return wanted.map((name) => must(values.get(name)));
  }

  #perform(op: Op, call: Call): readonly Tensor[] {
    const { node } = call;
    try {
      return op(call);
    } catch (error) {
      if (error instanceof Unsupported) throw unsupportedOps('tfjs', this.#model, [{ node, reason: error.message }]);
      if (error instanceof RobustError) throw error;
      throw new ModelError(`the tfjs engine cannot run ${node.op} "${node.name}": ${messageOf(error)}`, {
        code: 'GRADIENTS_UNSUPPORTED',
        hint: 'Use --runtime engine=onnx, or attacks that need no gradients.',
        cause: error,
      });
    }
  }

  /** Frees the constants on the backend. */
  dispose(): void {
    for (const value of this.#constants.values()) if (!onHost(value)) value.dispose();
  }
}

/** A constant of the graph as a value: floating-point ones on the backend, the rest on the host. */
function constant(tf: TF, tensor: OnnxTensor): Value {
  if (isReal(tensor.type)) return tf.tensor(tensor.floats(), [...tensor.dims], 'float32');
  return { dims: tensor.dims, data: tensor.integers() };
}

/** Why this engine does not cover a node, or undefined where it does. */
function whyUnsupported(table: Ops, node: Node): string | undefined {
  if (node.domain !== '' || !Object.hasOwn(table, node.op)) {
    return subgraphs(node).length > 0 ? 'control flow' : (whyNotLowered(node) ?? 'no op of TF.js');
  }
  return unsupportedAttribute(node);
}

/** Operators whose second output holds integers or booleans. */
const SECOND_IS_DISCRETE: ReadonlySet<string> = new Set(['Dropout', 'MaxPool', 'TopK']);

/** The tensors that depend on some others with a derivative, and the nodes that compute them. */
function dependents(graph: Graph, wrt: readonly string[]): { nodes: Node[]; dependent: Set<string> } {
  const dependent = new Set(wrt);
  const nodes = graph.nodes.filter((node) => {
    if (!reads(node).some((name) => dependent.has(name)) || isDiscrete(node)) return false;
    for (const [i, output] of node.outputs.entries()) {
      if (output !== '' && !(i === 1 && SECOND_IS_DISCRETE.has(node.op))) dependent.add(output);
    }
    return true;
  });
  return { nodes, dependent };
}

/** Does no gradient pass through a node? */
function isDiscrete(node: Node): boolean {
  if (node.domain === '' && node.op === 'Cast') {
    const to = node.attributes.get('to');
    return to?.kind === 'int' && !isReal(Number(to.value));
  }
  return operatorOf(node)?.gradient === 'none';
}

/** The nodes that tensors depend on. `nodes` is in graph order, which ONNX requires to be topological. */
function ancestors(nodes: readonly Node[], wanted: readonly string[]): Node[] {
  const needed = new Set(wanted);
  const kept: Node[] = [];
  for (const node of nodes.toReversed()) {
    if (!node.outputs.some((output) => needed.has(output))) continue;
    kept.push(node);
    for (const input of reads(node)) needed.add(input);
  }
  return kept.reverse();
}

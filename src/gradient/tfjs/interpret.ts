/**
 * @file An ONNX graph run with TF.js ops, so that `tf.grad` and `tf.variableGrads` differentiate it: the second, independent
 * gradient engine. Floating-point tensors are TF.js tensors; integers and booleans are host arrays.
 */
import type { Tensor } from '@tensorflow/tfjs-core';
import { ModelError, RobustError } from '../../core/errors.js';
import { reads } from '../../onnx/edit.js';
import { type Graph, type Model, type Node, opsetOf, subgraphs } from '../../onnx/model.js';
import type { Tensor as OnnxTensor } from '../../onnx/tensor.js';
import { whyNotLowered } from '../autodiff/lower/index.js';
import { liftConstants } from '../autodiff/simplify/constants.js';
import { Unsupported, type UnsupportedNode, unsupportedAttribute, unsupportedOps } from '../autodiff/unsupported.js';
import type { HostArray } from './host.js';
import { ops } from './ops/index.js';
import { type Call, type Op, type Ops, onHost, type Value } from './ops/kernel-context.js';
import { isReal } from './ops/shape.js';
import type { TF } from './tf.js';

/** A constant of the graph as a value: floating-point ones on the backend, the rest on the host. */
function constant(tf: TF, tensor: OnnxTensor): Value {
  if (isReal(tensor.type)) return tf.tensor(tensor.floats(), [...tensor.dims], 'float32');
  return { dims: tensor.dims, data: tensor.integers() } satisfies HostArray;
}

/** What a graph is interpreted for. */
export interface Purpose {
  /** The tensors to compute: nothing else of the graph is looked at. */
  readonly wanted: readonly string[];
  /** Initialisers that come with every run, so that no copy of them is kept. */
  readonly fed?: readonly string[];
  /** What is differentiated by. */
  readonly wrt?: readonly string[];
}

export class Interpreter {
  readonly tf: TF;
  readonly #model: Model;
  readonly #constants = new Map<string, Value>();
  readonly #steps: readonly PlannedNode[];
  readonly #wrt: readonly string[];

  /** Throws UnsupportedOpError that lists every operator and attribute this engine does not cover. */
  constructor(tf: TF, model: Model, { wanted, fed = [], wrt = [] }: Purpose) {
    this.tf = tf;
    this.#model = model;
    this.#wrt = wrt;
    const needed = ancestors(model.graph, wanted);
    const table = ops(tf);
    const unsupportedNodes = whatUnsupported(table, needed);
    if (unsupportedNodes.length > 0) throw unsupportedOps('tfjs', model, unsupportedNodes);
    this.#steps = this.#stepsOf(table, needed);
    this.#keep(model.graph, fed);
  }

  /** Each node with its op; an If with the steps of its branches, whose constants are kept with the graph's own. */
  #stepsOf(table: Ops, nodes: readonly Node[]): PlannedNode[] {
    return nodes.map((node): PlannedNode => {
      if (node.op !== 'If') return { node, op: table[node.op]! };
      const branch = (name: string): Branch => {
        const attribute = node.attributes.get(name) as { readonly kind: 'graph'; readonly value: Graph };
        const graph = liftConstants(attribute.value);
        this.#keep(graph, []);
        return { steps: this.#stepsOf(table, graph.nodes), outputs: graph.outputs.map((output) => output.name) };
      };
      return { node, yes: branch('then_branch'), no: branch('else_branch') };
    });
  }

  #keep(graph: Graph, fed: readonly string[]): void {
    for (const [name, tensor] of graph.initializers) {
      if (!fed.includes(name)) this.#constants.set(name, constant(this.tf, tensor));
    }
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
    /** Real numbers that depend on what is differentiated by. */
    const dependent = new Set(this.#wrt);
    this.#go(this.#steps, { values, dependent, given, added });
    return wanted.map((name) => values.get(name)!);
  }

  #go(steps: readonly PlannedNode[], state: State): void {
    const { values, given } = state;
    for (const step of steps) {
      const { node } = step;
      if (node.outputs.every((output) => output === '' || given.has(output))) continue;
      const inputs = node.inputs.map((name) => (name === '' ? undefined : values.get(name)));
      const missing = node.inputs.findIndex((name, i) => name !== '' && inputs[i] === undefined);
      if (missing >= 0) throw this.#refuse(node, `its input ${missing} is an output we do not compute`);
      if ('op' in step) this.#compute(step, inputs, state);
      else this.#take(step, inputs[0], state);
    }
  }

  /** Runs one branch of an If. */
  #take({ node, yes, no }: PlannedIf, condition: Value | undefined, state: State): void {
    if (!onHost(condition)) throw this.#refuse(node, 'its condition is a real number');
    const branch = condition.data[0] ? yes : no;
    this.#go(branch.steps, state);
    for (const [i, output] of node.outputs.entries()) {
      const name = branch.outputs[i]!;
      if (state.dependent.has(name)) state.dependent.add(output);
      state.values.set(output, state.values.get(name)!);
    }
  }

  #compute({ node, op }: PlannedOp, inputs: Call['inputs'], { values, dependent, given, added }: State): void {
    const depends = node.inputs.map((name) => dependent.has(name));
    const results = this.#perform(op, { node, inputs, depends, opset: opsetOf(this.#model) });
    for (const [i, output] of node.outputs.entries()) {
      const result = results[i];
      if (output === '' || given.has(output) || result === undefined) continue;
      if (!onHost(result) && depends.includes(true)) dependent.add(output);
      const more = added?.get(output);
      values.set(output, more === undefined ? result : this.tf.add(result as Tensor, more));
    }
  }

  #perform(op: Op, call: Call): readonly Value[] {
    const { node } = call;
    try {
      return op(call);
    } catch (error) {
      if (error instanceof Unsupported) throw this.#refuse(node, error.message);
      if (error instanceof RobustError) throw error;
      throw new ModelError(`the tfjs engine cannot run ${node.op} "${node.name}": ${(error as Error).message}`, {
        code: 'MODEL_RUN_FAILED',
        hint: 'Use --engine onnx, or attacks that need no gradients.',
        cause: error,
      });
    }
  }

  #refuse(node: Node, reason: string): RobustError {
    return unsupportedOps('tfjs', this.#model, [{ node, reason }]);
  }

  /** Frees the constants on the backend. */
  dispose(): void {
    for (const value of this.#constants.values()) if (!onHost(value)) value.dispose();
    this.#constants.clear();
  }
}

/** A node and what computes it. */
interface PlannedOp {
  readonly node: Node;
  readonly op: Op;
}

/** An If with its branches. */
interface PlannedIf {
  readonly node: Node;
  readonly yes: Branch;
  readonly no: Branch;
}

type PlannedNode = PlannedOp | PlannedIf;

interface Branch {
  readonly steps: readonly PlannedNode[];
  readonly outputs: readonly string[];
}

interface State {
  readonly values: Map<string, Value>;
  /** Real numbers that depend on what is differentiated by. */
  readonly dependent: Set<string>;
  readonly given: ReadonlyMap<string, Value>;
  readonly added: ReadonlyMap<string, Tensor> | undefined;
}

/** The nodes this engine does not cover, those of branches included. */
function whatUnsupported(table: Ops, nodes: readonly Node[]): UnsupportedNode[] {
  return nodes.flatMap((node): UnsupportedNode[] => {
    if (node.domain === '' && node.op === 'If') {
      return subgraphs(node).flatMap((graph) => whatUnsupported(table, liftConstants(graph).nodes));
    }
    const reason = whyUnsupported(table, node);
    return reason === undefined ? [] : [{ node, reason }];
  });
}

/** Why this engine does not cover a node, or undefined where it does. */
function whyUnsupported(table: Ops, node: Node): string | undefined {
  if (node.domain !== '' || !Object.hasOwn(table, node.op)) {
    return subgraphs(node).length > 0 ? 'control flow' : (whyNotLowered(node) ?? 'no op of TF.js');
  }
  return unsupportedAttribute(node);
}

/** The nodes some tensors depend on, in graph order (which ONNX requires to be topological). */
function ancestors(graph: Graph, wanted: readonly string[]): Node[] {
  const needed = new Set(wanted);
  const kept: Node[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some((output) => needed.has(output))) continue;
    kept.push(node);
    for (const input of reads(node)) needed.add(input);
  }
  return kept.reverse();
}

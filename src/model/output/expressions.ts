/** @file Expressions that end a graph, recognised through copies and changes of shape: constants, 1 - p, 1 + e^x, division by the sum. */
import { attributesOf } from '../../../packages/onnx/src/graph/attributes.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { producers } from '../../../packages/onnx/src/graph/edit.js';
import type { Graph, Node } from '../../../packages/onnx/src/graph/model.js';
import { keepsOrder } from '../../../packages/onnx/src/graph/operators/index.js';
import type { Tensor } from '../../../packages/onnx/src/graph/tensor.js';

/** Further back than any head reaches; a file that goes on wants to overflow the stack. */
export const MAX_DEPTH = 200;

const FLOATS: ReadonlySet<number> = new Set([DataType.float, DataType.float16, DataType.bfloat16, DataType.double]);

/** Operators that may keep a sum from being 0. */
const GUARDS: readonly string[] = ['Clip', 'Max', 'Add', 'Expand'];

/** Whether the output holds the numbers of the first input, at most rounded. */
const passes = (node: Node): boolean => keepsOrder(node) || ['QuantizeLinear', 'DequantizeLinear'].includes(node.op);

export class Expressions {
  readonly #graph: Graph;
  readonly #made: ReadonlyMap<string, Node>;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#made = producers(graph);
  }

  /** The node that computes a tensor. */
  maker(name: string): Node | undefined {
    return this.#made.get(name);
  }

  isInitializer(name: string): boolean {
    return this.#graph.initializers.has(name);
  }

  isConstant(name: string): boolean {
    return this.#tensor(name) !== undefined || this.#origin(name)?.op === 'Constant';
  }

  /** The value of a constant of one number. */
  constant(name: string): number | undefined {
    const node = this.#origin(name);
    if (node?.op === 'Constant' && node.attributes.has('value_float'))
      return attributesOf(node).float('value_float', Number.NaN);
    const tensor = this.#tensor(name);
    return tensor?.size === 1 && FLOATS.has(tensor.type) ? tensor.floats()[0] : undefined;
  }

  /** Whether `no` is 1 - `yes`. */
  isComplement(no: string, yes: string): boolean {
    const node = this.#origin(no);
    const [one = '', of = ''] = node?.inputs ?? [];
    return node?.op === 'Sub' && this.constant(one) === 1 && this.#source(of) === this.#source(yes);
  }

  /** Whether `total` is the sum of `terms`, kept from being 0 perhaps. */
  isTotal(total: string, terms: string): boolean {
    let node = this.#origin(total);
    for (let steps = 0; steps < MAX_DEPTH && node !== undefined; steps++) {
      if (node.op === 'ReduceSum' || node.op === 'ReduceL1')
        return this.#source(node.inputs[0] ?? '') === this.#source(terms);
      if (!GUARDS.includes(node.op)) return false;
      node = this.#origin(node.inputs.find((name) => !this.isConstant(name)) ?? '');
    }
    return false;
  }

  /** Whether a tensor is 1 + e^x. */
  isOnePlusExp(name: string): boolean {
    const node = this.#origin(name);
    if (node?.op !== 'Add' || !node.inputs.some((input) => this.constant(input) === 1)) return false;
    return node.inputs.some((input) => this.#origin(input)?.op === 'Exp');
  }

  /** The tensor that a tensor's numbers come from, through copies and changes of shape. */
  #source(name: string): string {
    let at = name;
    for (let steps = 0; steps < MAX_DEPTH; steps++) {
      const node = this.#made.get(at);
      if (node === undefined || !passes(node)) break;
      at = node.inputs[0] ?? '';
    }
    return at;
  }

  #origin(name: string): Node | undefined {
    return this.#made.get(this.#source(name));
  }

  #tensor(name: string): Tensor | undefined {
    const node = this.#origin(name);
    return (
      this.#graph.initializers.get(this.#source(name)) ??
      (node?.op === 'Constant' ? attributesOf(node).tensor('value') : undefined)
    );
  }
}

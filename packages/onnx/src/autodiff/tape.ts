/**
 * @file Input of a gradient rule: algebra, the shapes of the forward graph, and the node to differentiate. A rule maps the gradient of a
 * node's outputs to gradients of its inputs.
 */
import { must } from '../errors.js';
import { arrayOf, DataType, typeName } from '../graph/data-type.js';
import type { Model, Node } from '../graph/model.js';
import type { Tensor } from '../graph/tensor.js';
import { Algebra } from './algebra.js';
import { DYNAMIC, type Shapes } from './shapes.js';
import { Unsupported } from './unsupported.js';

export { Unsupported } from './unsupported.js';

/**
 * The gradient of one input, written only if it is wanted; `flat` where it is zero wherever it exists; undefined for what has
 * none (indices, shapes): a loss that depends on such an input by real numbers is refused.
 */
export type InputGradient = (() => string) | 'flat' | undefined;

/** One entry an input, in the order of the operator's inputs. */
export type GradientRule = (at: NodeGradient) => readonly InputGradient[];

/** A node on the way back. */
export interface NodeGradient {
  readonly g: Tape;
  readonly node: Node;
  readonly inputs: readonly string[];
  /** The first input and the first output: all that most rules need. */
  readonly x: string;
  readonly y: string;
  /** d(loss)/dy. */
  readonly dy: string;
  /** d(loss)/d(output i), undefined where the loss does not depend on it. */
  readonly dys: readonly (string | undefined)[];
}

/** Element types without real numbers. */
const DISCRETE: ReadonlySet<number> = new Set([
  DataType.bool,
  DataType.string,
  DataType.int8,
  DataType.int16,
  DataType.int32,
  DataType.int64,
  DataType.uint8,
  DataType.uint16,
  DataType.uint32,
  DataType.uint64,
]);

export class Tape extends Algebra {
  readonly #shapes: Shapes;
  readonly #constants: ReadonlyMap<string, Tensor>;
  /** Forward nodes -> optional outputs that rules asked for. */
  readonly extraOutputs = new Map<Node, string[]>();

  constructor(model: Model, shapes: Shapes) {
    super(model);
    this.#shapes = shapes;
    this.#constants = model.graph.initializers;
    for (const node of model.graph.nodes) if (node.domain === '') this.#noteScale(node);
  }

  /** Notes that a node multiplies its input by a number, if it does. */
  #noteScale({ op, inputs: [a = '', b = ''], outputs: [y = ''] }: Node): void {
    if (op === 'Identity') this.knowScaled(y, a, 1);
    if (op !== 'Mul' && op !== 'Div') return;
    const [first, second] = [op === 'Mul' ? this.#number(a) : undefined, this.#number(b)];
    if (second !== undefined) this.knowScaled(y, a, op === 'Mul' ? second : 1 / second);
    else if (first !== undefined) this.knowScaled(y, b, first);
  }

  /** The value of a constant scalar that scales without overflow, else undefined. */
  #number(name: string): number | undefined {
    const tensor = this.#constants.get(name);
    if (tensor?.type !== DataType.float || tensor.dims.length > 0) return undefined;
    const [value = Number.NaN] = tensor.floats();
    return Math.abs(value) > 1e-3 && Math.abs(value) < 1e3 ? value : undefined;
  }

  /** a b, where b may be a constant of the forward graph. */
  times(a: string, b: string): string {
    const number = this.#number(b);
    return number === undefined ? this.mul(a, b) : this.scale(a, number);
  }

  /** a / b, likewise. */
  over(a: string, b: string): string {
    const number = this.#number(b);
    return number === undefined ? this.div(a, b) : this.scale(a, 1 / number);
  }

  /** The dimensions of a tensor of the forward graph; DYNAMIC where they depend on the input. */
  dims(name: string): readonly number[] {
    const observed = this.#shapes.get(name);
    if (observed === undefined) throw new Unsupported(`"${name}" was never seen`);
    return observed.dims;
  }

  rank(name: string): number {
    return this.dims(name).length;
  }

  /** Does it hold real numbers? Integers steer shapes, booleans mask; neither has a gradient. A type we do not know may. */
  real(name: string): boolean {
    const type = this.#shapes.get(name)?.type;
    return type !== undefined && !DISCRETE.has(type);
  }

  /** Rules are written for single precision. Throws Unsupported for any real tensor of another. */
  requireSingle(names: readonly string[]): void {
    for (const name of names) {
      const type = this.#shapes.get(name)?.type;
      if (type !== DataType.float && this.real(name)) throw new Unsupported(`${typeName(must(type))} numbers`);
    }
  }

  /** The values of a constant as numbers, or undefined for what depends on the input. */
  constant(name: string | undefined): readonly number[] | undefined {
    if (name === undefined || name === '') return undefined;
    const tensor = this.#constants.get(name);
    return tensor === undefined || arrayOf(tensor.type) === undefined ? undefined : Array.from(tensor.data, Number);
  }

  /** An axis counted from the front. */
  axis(value: number, rank: number): number {
    return value < 0 ? value + rank : value;
  }

  /** All axes but some. */
  axesExcept(rank: number, but: readonly number[]): number[] {
    return Array.from({ length: rank }, (_, axis) => axis).filter((axis) => !but.includes(axis));
  }

  /** `gradient` in the shape of the forward tensor `x`, which has as many elements. */
  reshapeLike(gradient: string, x: string): string {
    const dims = this.dims(x);
    const dynamic = dims.filter((d) => d === DYNAMIC).length;
    return this.reshape(gradient, dynamic <= 1 && !dims.includes(0) ? dims : this.shape(x));
  }

  expandLike(gradient: string, x: string): string {
    return this.expand(gradient, this.shape(x));
  }

  zerosLike(x: string): string {
    return this.expandLike(this.float(0), x);
  }

  /** Undoes broadcasting: sums a gradient of dimensions `from` over the axes along which `x` was repeated. */
  sumTo(gradient: string, from: readonly number[], x: string): string {
    const to = this.dims(x);
    const lead = from.length - to.length;
    const repeated = to.flatMap((d, i) => (d === 1 && from[i + lead] !== 1 ? [i + lead] : []));
    const leading = Array.from({ length: lead }, (_, axis) => axis);
    if (repeated.length === 0) return this.sum(gradient, leading, false);
    const summed = this.sum(gradient, [...leading, ...repeated]);
    return lead === 0 ? summed : this.reshapeLike(summed, x);
  }

  /** A tensor's size along one axis as a vector of one int64: a constant where it is fixed. */
  override size(x: string, axis: number): string {
    const fixed = this.#shapes.get(x)?.dims[axis] ?? DYNAMIC;
    return fixed === DYNAMIC ? super.size(x, axis) : this.ints([fixed]);
  }

  /** The name of an output a forward node left out, which it will have. */
  extraOutput(node: Node, index: number): string {
    const outputs = this.extraOutputs.get(node) ?? [...node.outputs];
    while (outputs.length <= index) outputs.push('');
    if (outputs[index] === '') outputs[index] = `${node.outputs.find(Boolean)}/output${index}`;
    this.extraOutputs.set(node, outputs);
    return must(outputs[index]);
  }
}

/** A rule whose inputs were broadcast against each other: each gradient is summed back to its input's shape. */
export function broadcasting(rule: GradientRule): GradientRule {
  return (at) =>
    rule(at).map((gradient, i) =>
      typeof gradient === 'function' ? () => at.g.sumTo(gradient(), at.g.dims(at.y), must(at.inputs[i])) : gradient,
    );
}

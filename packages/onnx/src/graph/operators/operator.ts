/**
 * @file Rows of the table of operators, and what rows share. Shape inference, quantising, the reader of a classifier's head,
 * both gradient engines and docs/reference/supported-ops.md read the table, so no operator is known in only one of them.
 */
import { must } from '../../errors.js';
import { attributesOf } from '../attributes.js';
import type { Node } from '../model.js';
import type { SymbolicDim } from '../symbolic-dim.js';
import { broadcast, type SymbolicShape, type SymbolicShapes } from '../symbolic-shape.js';

/** Every value, or these. */
type AllowedValues = 'any' | readonly (number | string)[];
type SupportedAttributes = Readonly<Record<string, AllowedValues>>;

/** Where an operator's output has its values from, if it moves values and changes none. */
export interface Moves {
  /**
   * `copy`: the same shape; `reshape`: the same order in memory; `reorder`: all of them in another order; `pick`: some of them;
   * `mix`: those of several inputs, or some more than once.
   */
  readonly how: 'copy' | 'reshape' | 'reorder' | 'pick' | 'mix';
  /** The inputs that hold the values; the others say whereto. @default the first */
  readonly inputs?: readonly number[] | 'all';
}

export interface Operator {
  /** The shape of the first output; undefined where it is not certain. */
  readonly shape?: (at: NodeView) => SymbolicShape | undefined;
  /** The elements of the first output, a small integer tensor, as far as they are certain. */
  readonly values?: (at: NodeView) => readonly SymbolicDim[] | undefined;
  /** Works on each element by itself: of its first input, or of all of them, broadcast against each other. */
  readonly elementwise?: 'first' | 'all';
  readonly moves?: Moves;
  /** A product of its inputs: matrices, or a convolution. */
  readonly linear?: true;
  /** Which input holds ids that the operator looks up, or puts something at. */
  readonly looksUp?: number;
  /** Quantises an activation by the range of the whole batch, so that a text's answer depends on the others. */
  readonly quantisesBatch?: true;
  /**
   * How the operator is differentiated: by a `rule` of autodiff and a TF.js kernel; by a `lowering` into simpler operators; by a
   * real-valued `surrogate`. `none`: it is zero, for the outputs are integers, booleans, constants or steps.
   */
  readonly gradient?: 'rule' | 'lowering' | 'surrogate' | 'none';
  /**
   * The attributes that both engines read as onnxruntime does. A gradient of a misread operator looks like any other, so a node with
   * another attribute, or another value, is refused. Sources: onnx/docs/Changelog.md, opsets 11 to 23; onnxruntime/docs/ContribOperators.md.
   */
  readonly attributes?: SupportedAttributes;
}

/** A node with what is known of its inputs before anything runs. */
export class NodeView {
  readonly node: Node;
  readonly attributes: ReturnType<typeof attributesOf>;
  /** The shape of the first input. */
  readonly first: SymbolicShape | undefined;
  readonly #known: SymbolicShapes;

  constructor(node: Node, known: SymbolicShapes) {
    this.node = node;
    this.attributes = attributesOf(node);
    this.#known = known;
    this.first = this.shape(0);
  }

  /** The rank of the first input, 0 where it is unknown. */
  get rank(): number {
    return this.first?.length ?? 0;
  }

  /** Whether an optional input is there. */
  has(input: number): boolean {
    return (this.node.inputs[input] ?? '') !== '';
  }

  shape(input: number): SymbolicShape | undefined {
    return this.has(input) ? this.#known.shape(must(this.node.inputs[input])) : undefined;
  }

  /** The shapes of all inputs; an input that is left out has none. */
  shapes(): (SymbolicShape | undefined)[] {
    return this.node.inputs.map((_, input) => this.shape(input));
  }

  values(input: number): readonly SymbolicDim[] | undefined {
    return this.has(input) ? this.#known.values(must(this.node.inputs[input])) : undefined;
  }

  /** A list of integers that is an attribute in older opsets and an input in later ones; undefined where it is absent or not known. */
  list(name: string, input: number): readonly SymbolicDim[] | undefined {
    return this.attributes.ints(name) ?? this.values(input);
  }

  /** Axes likewise, counted from the front of a tensor of rank `rank`. */
  axes(input = 1, rank = this.rank): readonly number[] | undefined {
    const given = this.list('axes', input);
    return given?.every((axis) => typeof axis === 'number') ? given.map((axis) => fromFront(axis, rank)) : undefined;
  }

  /** The attribute `axis`, counted from the front. */
  axis(otherwise: number, rank = this.rank): number {
    return fromFront(this.attributes.int('axis', otherwise), rank);
  }
}

/** An axis counted from the front. */
export const fromFront = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

/** The same row for each of these operators, under its name. */
export const each = <const N extends string, const T extends Operator>(names: readonly N[], row: T): Record<N, T> =>
  Object.fromEntries(names.map((name) => [name, row])) as Record<N, T>;

/** Keeps the names and literal values of a family's rows, which types of the table are made of. */
export const family = <const T extends Readonly<Record<string, Operator>>>(rows: T): T => rows;

/** The output has the shape of the first input. */
export const shapeOfFirst = (at: NodeView): SymbolicShape | undefined => at.first;

/** The inputs are broadcast against each other. */
const broadcastShape = (at: NodeView): SymbolicShape | undefined => at.shapes().reduce(broadcast, []);

/** Works on each element of its first input by itself. */
export const elementwise = { shape: shapeOfFirst, elementwise: 'first' } as const;

/** Works on each element of its inputs, which are broadcast against each other. */
export const broadcasting = { shape: broadcastShape, elementwise: 'all' } as const;

export const any = 'any';
export const axis = { axis: any } as const;
export const epsilon = { epsilon: any } as const;

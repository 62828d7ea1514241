/**
 * @file Rows of the table of operators, and rules that rows share. Shape inference, row pruning, quantising, the reader of a classifier's
 * head, both gradient engines and docs/reference/supported-ops.md read the table, so no operator is known in only one of them.
 */
import { attributesOf } from '../attributes.js';
import type { Node } from '../model.js';
import type { SymbolicDim } from '../symbolic-dim.js';
import { broadcast, type SymbolicShape, type SymbolicShapes, sizeAt } from '../symbolic-shape.js';
import { TEXTS_AND_TOKENS } from '../text-shape.js';

const [, TOKENS] = TEXTS_AND_TOKENS;

/** One row of an axis. */
export interface TakenRow {
  readonly axis: number;
  /** Counted from the end where negative. */
  readonly index: number;
}

/** Query to a row rule: how to compute this row of the tokens, for an output of this shape. */
export interface RowQuery {
  readonly row: TakenRow;
  readonly output: SymbolicShape;
  readonly opset: number;
}

/** Appends nodes to the graph that is pruned. */
export interface RowWriter {
  /** The name of a new constant of 64-bit integers. */
  constant(name: string, values: readonly number[]): string;
  /** The data with `count` axes of size 1 more, from `axis` on. */
  unsqueezed(data: string, name: string, axis: number, count: number): Node;
}

/** How a node computes one row of its output: the row of each input that it needs, undefined where it needs the whole, null where none. */
export interface RowInputs {
  readonly inputs: readonly (TakenRow | undefined | null)[];
  /** New nodes in its place, from the names of the inputs and the output; the same node otherwise. */
  readonly nodes?: (inputs: readonly string[], output: string, g: RowWriter) => readonly Node[];
}

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
  /** How to compute one row of the output by itself; undefined where it depends on other rows. */
  readonly rows?: (at: NodeView, query: RowQuery) => RowInputs | undefined;
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
    return this.has(input) ? this.#known.shape(this.node.inputs[input]!) : undefined;
  }

  /** The shapes of all inputs; an input that is left out has none. */
  shapes(): (SymbolicShape | undefined)[] {
    return this.node.inputs.map((_, input) => this.shape(input));
  }

  values(input: number): readonly SymbolicDim[] | undefined {
    return this.has(input) ? this.#known.values(this.node.inputs[input]!) : undefined;
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

/** The output with one row needs that row of the first input, and the others whole. */
const rowOfFirst = ({ node }: NodeView, { row }: RowQuery): RowInputs => ({
  inputs: node.inputs.map((_, input) => (input === 0 ? row : undefined)),
});

/** As `rowOfFirst`, for operators that work on each element of an input of the output's shape. */
const rowByElement = (at: NodeView, query: RowQuery): RowInputs | undefined =>
  at.rank === query.output.length ? rowOfFirst(at, query) : undefined;

/** As `rowOfFirst`, where the operator works along other axes than the row's. */
export const rowUnless =
  (along: (at: NodeView, query: RowQuery) => boolean) =>
  (at: NodeView, query: RowQuery): RowInputs | undefined =>
    along(at, query) ? undefined : rowOfFirst(at, query);

/** Each input with the row's axis gives that row, one that is broadcast along it stays whole. */
function rowOfEach(at: NodeView, { row: { axis, index }, output }: RowQuery): RowInputs | undefined {
  const rank = output.length;
  const inputs: (TakenRow | undefined)[] = [];
  for (const shape of at.shapes()) {
    const size = shape && sizeAt(shape, rank, axis);
    if (shape === undefined || (size !== 1 && size !== TOKENS)) return undefined;
    inputs.push(size === 1 ? undefined : { axis: axis - (rank - shape.length), index });
  }
  return { inputs };
}

/** Works on each element of its first input by itself. */
export const elementwise = { shape: shapeOfFirst, rows: rowByElement } as const;

/** Works on each element of its inputs, which are broadcast against each other. */
export const broadcasting = { shape: broadcastShape, rows: rowOfEach } as const;

export const any = 'any';
export const axis = { axis: any } as const;
export const epsilon = { epsilon: any } as const;

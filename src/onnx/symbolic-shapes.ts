/**
 * @file Shapes of a graph's tensors before anything runs: dimensions are numbers or symbols, two equal symbols are equal sizes.
 * Integer tensors that shapes are computed from are followed element by element. What is not known for certain is left out, so
 * whoever acts on a shape found here acts on a fact.
 */
import { attributesOf } from './attributes.js';
import type { Graph, Node } from './model.js';
import { product, quotient, type SymbolicDim, sum } from './symbolic-dim.js';
import type { Tensor } from './tensor.js';

export type SymbolicShape = readonly SymbolicDim[];

export interface SymbolicShapes {
  /** Undefined where not even the rank is known. */
  shape(name: string): SymbolicShape | undefined;
  /** The elements of a small integer tensor as far as they are known: a constant, or computed from shapes. */
  values(name: string): readonly SymbolicDim[] | undefined;
}

/** Elements of an integer tensor worth following: shapes, axes, indices. */
const MAX_FOLLOWED_ELEMENTS = 16;

/** `inputs`: the shapes of the graph's inputs; those not named are unknown. */
export function symbolicShapes(graph: Graph, inputs: ReadonlyMap<string, SymbolicShape>): SymbolicShapes {
  const shapes = new Map<string, SymbolicShape>(inputs);
  const values = new Map<string, readonly SymbolicDim[]>();
  const constant = (name: string, tensor: Tensor): void => {
    shapes.set(name, tensor.dims);
    if (tensor.size <= MAX_FOLLOWED_ELEMENTS && isInteger(tensor)) values.set(name, tensor.integers());
  };
  const known: SymbolicShapes = { shape: (name) => shapes.get(name), values: (name) => values.get(name) };
  const follow = ({ initializers, nodes }: Pick<Graph, 'initializers' | 'nodes'>): void => {
    for (const [name, tensor] of initializers) constant(name, tensor);
    for (const node of nodes) {
      const [output = ''] = node.outputs;
      if (output === '' || !KNOWN_DOMAINS.has(node.domain)) continue;
      if (node.op === 'Constant') {
        const tensor = attributesOf(node).tensor('value');
        if (tensor !== undefined) constant(output, tensor);
        continue;
      }
      const [condition] = (node.op === 'If' && values.get(node.inputs[0] as string)) || [];
      const branch = node.attributes.get(condition === 0 ? 'else_branch' : 'then_branch');
      if (isNumber(condition) && branch?.kind === 'graph') follow(branch.value);
      const same = isNumber(condition) && branch?.kind === 'graph' ? branch.value.outputs[0]?.name : undefined;
      const shape = same === undefined ? shapeOf(node, known) : shapes.get(same);
      if (shape !== undefined) shapes.set(output, shape);
      const elements = same === undefined ? valuesOf(node, known) : values.get(same);
      if (elements !== undefined && elements.length <= MAX_FOLLOWED_ELEMENTS) values.set(output, elements);
    }
  };
  follow(graph);
  return known;
}

/** An operator of another domain may do something else under the same name. */
export const KNOWN_DOMAINS: ReadonlySet<string> = new Set(['', 'ai.onnx', 'com.microsoft']);

const isInteger = ({ type }: Tensor): boolean => type === 6 || type === 7;

/** Operators of one output that has the shape of the first input. */
const UNARY = new Set(
  'Abs Cast CumSum Trilu Ceil Clip Cos Dropout Elu Erf Exp FastGelu Floor Gelu HardSigmoid Identity LayerNormalization LeakyRelu Log LogSoftmax Neg Not QuickGelu Reciprocal Relu Round Selu Sigmoid Sign Sin SimplifiedLayerNormalization SkipLayerNormalization BiasGelu Softmax Softplus Sqrt Tanh'.split(
    ' ',
  ),
);
/** Operators whose inputs are broadcast against each other. */
export const BROADCAST = new Set(
  'Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Max Min Mod Mul Or Pow Sub Sum Where Xor'.split(' '),
);

function shapeOf(node: Node, { shape, values }: SymbolicShapes): SymbolicShape | undefined {
  const { op, inputs } = node;
  const value = attributesOf(node);
  const [first = '', second = ''] = inputs;
  const a = shape(first);
  if (UNARY.has(op)) return a;
  if (BROADCAST.has(op)) return inputs.map(shape).reduce(broadcast);
  const rank = a?.length ?? 0;
  const at = (axis: number): number => (axis < 0 ? axis + rank : axis);
  /** An attribute in older opsets, an input in later ones. */
  const axes = (): readonly number[] | undefined => {
    const given = value.ints('axes') ?? (second === '' ? undefined : values(second));
    return given?.every((axis) => typeof axis === 'number') ? (given as number[]) : undefined;
  };
  switch (op) {
    case 'Shape':
      return a && [partOfShape(node, a).length];
    case 'ConstantOfShape':
      return values(first);
    case 'Range': {
      const [start, limit, delta] = inputs.map((name) => values(name)?.[0]);
      return start === 0 && delta === 1 ? [limit] : [undefined];
    }
    case 'Transpose': {
      const order = value.ints('perm') ?? a?.map((_, axis) => rank - 1 - axis);
      return a && order?.map((axis) => a[axis]);
    }
    case 'MatMul': {
      const b = shape(second);
      if (a === undefined || b === undefined || a.length < 2 || b.length < 2) return undefined;
      const batch = broadcast(a.slice(0, -2), b.slice(0, -2));
      return batch && [...batch, a.at(-2), b.at(-1)];
    }
    case 'Gemm': {
      const b = shape(second);
      if (a?.length !== 2 || b?.length !== 2) return undefined;
      return [a[value.int('transA', 0)], b[1 - value.int('transB', 0)]];
    }
    case 'Gather': {
      const indices = shape(second);
      const axis = at(value.int('axis', 0));
      return a && indices && [...a.slice(0, axis), ...indices, ...a.slice(axis + 1)];
    }
    case 'Reshape': {
      const asked = values(second);
      // With `allowzero` a zero is a size, which no text has.
      const zeros = value.int('allowzero', 0) !== 0 && (asked?.includes(0) || asked?.includes(undefined));
      if (a === undefined || asked === undefined || zeros) return undefined;
      return reshaped(
        a,
        asked.map((size, axis) => (size === 0 ? a[axis] : size)),
      );
    }
    case 'Expand': {
      const asked = values(second);
      return a && asked && broadcast(a, asked);
    }
    case 'Tile': {
      const repeats = values(second);
      return a && repeats && a.map((size, axis) => product([size, repeats[axis]]));
    }
    case 'Unsqueeze': {
      const added = axes();
      if (a === undefined || added === undefined) return undefined;
      const size = rank + added.length;
      const places = new Set(added.map((axis) => (axis < 0 ? axis + size : axis)));
      const rest = a.values();
      return Array.from({ length: size }, (_, axis) => (places.has(axis) ? 1 : rest.next().value));
    }
    case 'Squeeze': {
      const unnamed = a?.every((size) => typeof size === 'number') && second === '' && !value.ints('axes');
      const dropped = unnamed ? a?.flatMap((size, axis) => (size === 1 ? [axis] : [])) : axes()?.map(at);
      return a && dropped && a.filter((_, axis) => !dropped.includes(axis));
    }
    case 'ReduceMean':
    case 'ReduceSum':
    case 'ReduceMax':
    case 'ReduceMin':
    case 'ReduceL2': {
      const reduced = axes()?.map(at);
      if (a === undefined || reduced === undefined) return undefined;
      const kept = a.map((size, axis) => (reduced.includes(axis) ? 1 : size));
      return value.int('keepdims', 1) === 1 ? kept : kept.filter((_, axis) => !reduced.includes(axis));
    }
    case 'Conv': {
      const kernel = shape(second);
      if (a === undefined || kernel?.length !== rank) return undefined;
      return [a[0], kernel[0], ...a.slice(2).map((size) => (isPointwise(node, kernel) ? size : undefined))];
    }
    case 'GatherElements':
      return shape(second);
    case 'Flatten': {
      const axis = at(value.int('axis', 1));
      return a && [product(a.slice(0, axis)), product(a.slice(axis))];
    }
    case 'Pad': {
      const given = value.ints('pads') ?? values(second);
      if (a === undefined || given?.length !== 2 * rank || inputs[3]) return a?.map(() => undefined);
      const pads = given.map((size) => (isNumber(size) ? size : Number.NaN));
      return a.map((size, axis) => {
        const more = (pads[axis] as number) + (pads[axis + rank] as number);
        return Number.isNaN(more) ? undefined : sum(size, more);
      });
    }
    case 'Concat': {
      const all = inputs.map(shape);
      const axis = at(value.int('axis', 0));
      if (a === undefined || all.some((each) => each?.length !== rank)) return undefined;
      const sizes = all.map((each) => (each as SymbolicShape)[axis]);
      const whole = sizes.every((size) => typeof size === 'number')
        ? sizes.reduce((sum, size) => sum + size, 0)
        : undefined;
      return a.map((size, each) => (each === axis ? whole : size));
    }
    case 'Slice': {
      if (turnsRound(node, { values })) return a;
      const sliced = sliceOf(node, { values });
      if (a === undefined || sliced === undefined) return a?.map(() => undefined);
      return a.map((size, axis) => {
        const part = sliced.find((each) => at(each.axis) === axis);
        return part === undefined ? size : part.size(size);
      });
    }
    default:
      return undefined;
  }
}

/** The elements of an integer tensor that a node computes from others, where they are known. */
function valuesOf(node: Node, known: SymbolicShapes): readonly SymbolicDim[] | undefined {
  const { op, inputs } = node;
  const [first = '', second = ''] = inputs;
  const a = known.values(first);
  switch (op) {
    case 'Shape': {
      const shape = known.shape(first);
      return shape && partOfShape(node, shape);
    }
    case 'Not':
      return a?.map((value) => (isNumber(value) ? Number(value === 0) : undefined));
    case 'Cast':
    case 'Identity':
    case 'Unsqueeze':
    case 'Squeeze':
    case 'Reshape':
      return a;
    case 'Gather': {
      const indices = known.values(second);
      if (a === undefined || indices === undefined || known.shape(first)?.length !== 1) return undefined;
      return indices.map((index) => (typeof index === 'number' ? a.at(index) : undefined));
    }
    case 'Concat': {
      const parts = inputs.map((name) => known.values(name) ?? unknown(known.shape(name)));
      return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
    }
    case 'ConstantOfShape': {
      const [size] = a ?? [];
      const fill = attributesOf(node).tensor('value');
      if (a?.length !== 1 || !isFew(size) || (fill && !isInteger(fill))) return undefined;
      return Array<number>(size).fill(fill?.integers()[0] ?? 0);
    }
    case 'Add':
    case 'Sub':
    case 'Mul':
    case 'Div':
    case 'Equal':
      return eachOf([a, known.values(second)], ([one, other]) => computed(op, one, other));
    case 'Where':
      return eachOf([a, known.values(second), known.values(inputs[2] as string)], ([chosen, one, other]) =>
        isNumber(chosen) ? (chosen === 0 ? other : one) : undefined,
      );
    case 'Transpose': {
      const [rows, columns] = known.shape(first) ?? [];
      if (a === undefined || known.shape(first)?.length !== 2 || !isFew(rows) || !isFew(columns)) return undefined;
      const order = attributesOf(node).ints('perm') ?? [1, 0];
      return order[0] === 0 ? a : a.map((_, at) => a[(at % rows) * columns + Math.floor(at / rows)]);
    }
    case 'Slice': {
      if (turnsRound(node, known)) {
        const width = (a?.length ?? 0) / Number(known.shape(first)?.[0]);
        return a?.map((_, at) => a[a.length - width * (Math.floor(at / width) + 1) + (at % width)]);
      }
      const [part] = known.shape(first)?.length === 1 ? (sliceOf(node, known) ?? []) : [];
      return a && part && typeof part.end !== 'string' ? a.slice(part.start, part.end) : undefined;
    }
    default:
      return undefined;
  }
}

/** Element by element; a single element goes with all of another list. */
function eachOf(
  lists: readonly (readonly SymbolicDim[] | undefined)[],
  compute: (elements: readonly SymbolicDim[]) => SymbolicDim,
): readonly SymbolicDim[] | undefined {
  if (lists.some((list) => list === undefined)) return undefined;
  const known = lists as readonly (readonly SymbolicDim[])[];
  const length = Math.max(...known.map((list) => list.length));
  if (known.some((list) => list.length !== 1 && list.length !== length)) return undefined;
  return Array.from({ length }, (_, at) => compute(known.map((list) => list[list.length === 1 ? 0 : at])));
}

function computed(op: string, one: SymbolicDim, other: SymbolicDim): SymbolicDim {
  if (isNumber(one) && isNumber(other)) {
    if (op === 'Equal') return Number(one === other);
    if (op === 'Div') return other === 0 ? undefined : Math.trunc(one / other);
    return op === 'Add' ? one + other : op === 'Sub' ? one - other : one * other;
  }
  if (op === 'Equal') {
    // A symbol is a size.
    const number = [one, other].find(isNumber);
    if (number !== undefined && number < 0 && one !== undefined && other !== undefined) return 0;
    return one !== undefined && one === other ? 1 : undefined;
  }
  if (op === 'Mul') return product([one, other]);
  if (op === 'Div') return quotient(one, other);
  if (isNumber(other)) return sum(one, op === 'Sub' ? -other : other);
  return op === 'Add' && isNumber(one) ? sum(other, one) : undefined;
}

/** So many elements of which nothing is known. */
function unknown(shape: SymbolicShape | undefined): undefined[] | undefined {
  const [size = 1] = shape ?? [undefined];
  return shape !== undefined && shape.length < 2 && isFew(size) ? Array(size).fill(undefined) : undefined;
}

interface Slice {
  readonly axis: number;
  readonly start: number;
  /** Undefined to the end; a symbol where the end is computed from shapes. */
  readonly end: SymbolicDim;
  /** Of the sliced axis. */
  size(of: SymbolicDim): SymbolicDim;
}

/** The parts a Slice of step 1 takes, where they start at constants and end at constants or symbols. */
export function sliceOf(node: Node, { values }: Pick<SymbolicShapes, 'values'>): readonly Slice[] | undefined {
  const value = attributesOf(node);
  const given = (name: string, at: number): readonly SymbolicDim[] | undefined =>
    value.ints(name) ?? (node.inputs[at] ? values(node.inputs[at]) : undefined);
  const [starts, ends] = [given('starts', 1), given('ends', 2)];
  const axes = node.inputs[3] || value.ints('axes') ? given('axes', 3) : starts?.map((_, axis) => axis);
  const steps = node.inputs[4] ? given('steps', 4) : [1];
  if (!starts?.every(isNumber) || !axes?.every(isNumber) || ends === undefined) return undefined;
  if (!steps?.every((step) => step === 1)) return undefined;
  return starts.map((start, at) => {
    const end = isNumber(ends[at]) && ends[at] >= 2 ** 31 - 1 ? undefined : ends[at];
    const known = isNumber(ends[at]) || ends[at] === undefined;
    return {
      axis: axes[at] as number,
      start,
      end,
      size: (of) => (known || start === 0 ? lengthOf(of, start, end) : undefined),
    };
  });
}

/** Said of a Slice that takes all of the first axis from its end to its beginning. */
function turnsRound({ op, inputs }: Node, { values }: Pick<SymbolicShapes, 'values'>): boolean {
  const [start, end, axis, step] = inputs.slice(1).map((name) => values(name)?.join());
  return op === 'Slice' && start === '-1' && axis === '0' && step === '-1' && Number(end) < -(2 ** 31);
}

const isNumber = (size: SymbolicDim): size is number => typeof size === 'number';

/** So few elements that each is followed. A file may claim any number. */
const isFew = (size: SymbolicDim): size is number =>
  isNumber(size) && Number.isInteger(size) && size >= 0 && size <= MAX_FOLLOWED_ELEMENTS;

/** How many elements there are from `start` to `end`. */
function lengthOf(of: SymbolicDim, start: number, end: SymbolicDim): SymbolicDim {
  // A table of positions or a triangular mask, cut to the tokens: a text that is longer than it fits nowhere.
  if (typeof end === 'string') return isNumber(of) || of === end ? end : undefined;
  if (isNumber(of)) {
    const from = (bound: number): number => Math.min(Math.max(bound < 0 ? bound + of : bound, 0), of);
    return Math.max(0, from(end ?? of) - from(start));
  }
  if (end === undefined && start >= 0) return sum(of, -start);
  if (end === undefined) return start === -1 ? 1 : undefined;
  if (start === 0 && end < 0) return sum(of, end);
  // No axis of tokens is empty.
  return (start === 0 && end === 1) || (start < 0 && end === start + 1) ? 1 : undefined;
}

/** Undefined where a rank is unknown; a size that may be either is unknown. */
function broadcast(a: SymbolicShape | undefined, b: SymbolicShape | undefined): SymbolicShape | undefined {
  if (a === undefined || b === undefined) return undefined;
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => {
    const [one, other] = [sizeAt(a, rank, axis), sizeAt(b, rank, axis)];
    if (one === other) return one;
    if (one === 1) return other;
    if (other === 1) return one;
    // A size above 1 stays what it is: the other is that or 1.
    if (typeof one === 'number' && one > 1) return one;
    return typeof other === 'number' && other > 1 ? other : undefined;
  });
}

/** The size of an axis counted in a shape of a higher rank; 1 where it has none. */
export const sizeAt = (shape: SymbolicShape, rank: number, axis: number): SymbolicDim => {
  const own = axis - (rank - shape.length);
  return own < 0 ? 1 : shape[own];
};

/** The shape with its -1 worked out, where that is certain. */
function reshaped(from: SymbolicShape, to: SymbolicShape): SymbolicShape {
  const free = to.indexOf(-1);
  return free === -1 ? to : to.with(free, quotient(product(from), product(to.toSpliced(free, 1))));
}

/** From opset 15 on a Shape may tell some of the axes only. */
function partOfShape(node: Node, shape: SymbolicShape): SymbolicShape {
  const value = attributesOf(node);
  return shape.slice(value.int('start', 0), value.int('end', shape.length));
}

/** Said of a convolution that works on each place of its input by itself. */
export function isPointwise(node: Node, kernel: SymbolicShape): boolean {
  const value = attributesOf(node);
  const all = (name: string, size: number): boolean => (value.ints(name) ?? []).every((each) => each === size);
  return (
    kernel.slice(2).every((size) => size === 1) &&
    all('pads', 0) &&
    all('strides', 1) &&
    value.string('auto_pad', 'NOTSET') === 'NOTSET'
  );
}

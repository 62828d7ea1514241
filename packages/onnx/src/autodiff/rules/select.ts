/** @file Operators that pick, cut and join parts of a tensor: gradients are put back where the values came from. */
import { attributesOf } from '../../graph/attributes.js';
import { DataType } from '../../graph/data-type.js';
import { ADDING_OPSET, LIFTABLE_OPSET } from '../simplify/raise-opset.js';
import { type GradientRule, type Tape, Unsupported } from '../tape.js';

/**
 * The gradient of y = x[indices] along an axis: dx = onehot(indices)^T dy, a matrix product, so that an index that was picked
 * twice gets both gradients. `indices` is a vector; dy has the rank of x.
 */
function put(g: Tape, dy: string, indices: string, x: string, axis: number): string {
  const rank = g.rank(x);
  const values = g.vector([0, 1]);
  const int64 = g.cast(indices, DataType.int64); // the only type the runtime has this for
  const oneHot = g.op('OneHot', [int64, g.size(x, axis), values], { axis: -1 }); // [picked, size]
  if (axis === rank - 2) return g.matmul(g.transpose(oneHot, [1, 0]), dy);
  const last = [...g.axesExcept(rank, [axis]), axis];
  const summed = g.matmul(g.transpose(dy, last), oneHot); // [..., size]
  return g.transpose(
    summed,
    last.map((_, i) => last.indexOf(i)),
  );
}

/** y = x[indices] along an axis:  dx[i] = the sum of dy wherever indices = i */
export const Gather: GradientRule = ({ g, node, inputs: [x = '', indices = ''], dy }) => [
  () => {
    const rank = g.rank(x);
    const axis = g.axis(attributesOf(node).int('axis', 0), rank);
    const picked = g.rank(indices);
    if (picked === 0) return put(g, g.unsqueeze(dy, [axis]), g.unsqueeze(indices, [0]), x, axis);
    if (picked === 1) return put(g, dy, indices, x, axis);
    const shape = [
      ...Array.from({ length: axis }, (_, i) => g.size(x, i)),
      g.ints([-1]),
      ...Array.from({ length: rank - axis - 1 }, (_, i) => g.size(x, axis + 1 + i)),
    ];
    return put(g, g.reshape(dy, g.concat(shape, 0)), g.reshape(indices, [-1]), x, axis);
  },
  undefined,
];

/** Adding into a tensor where an index may come twice is part of these operators from opset 16 on. */
function needsScatterAdd(g: Tape): void {
  if (g.opset >= ADDING_OPSET) return;
  throw new Unsupported(`opset ${g.opset} cannot add at repeated indices; opset ${LIFTABLE_OPSET} can`);
}

/** y = x at an index of its own for every element:  dx = 0, and dy added at each index */
export const GatherElements: GradientRule = ({ g, node, inputs: [x = '', indices = ''], dy }) => [
  () => {
    needsScatterAdd(g);
    const axis = attributesOf(node).int('axis', 0);
    return g.op('ScatterElements', [g.zerosLike(x), indices, dy], { axis, reduction: 'add' });
  },
  undefined,
];

/** y = x at index tuples:  dx = 0, and dy added at each tuple */
export const GatherND: GradientRule = ({ g, inputs: [x = '', indices = ''], dy }) => [
  () => {
    needsScatterAdd(g);
    return g.op('ScatterND', [g.zerosLike(x), indices, dy], { reduction: 'add' });
  },
  undefined,
];

/** y = x with parts overwritten by u:  dx = dy with those parts 0,  du = those parts of dy */
export const ScatterND: GradientRule = ({ g, inputs: [, indices = '', updates = ''], dy }) => [
  () => g.op('ScatterND', [dy, indices, g.zerosLike(updates)]),
  undefined,
  () => g.op('GatherND', [dy, indices]),
];

/** y = x with an element overwritten for each of u:  dx = dy with those 0,  du = dy at those */
export const ScatterElements: GradientRule = ({ g, node, inputs: [, indices = '', updates = ''], dy }) => {
  const axis = attributesOf(node).int('axis', 0);
  return [
    () => g.op('ScatterElements', [dy, indices, g.zerosLike(updates)], { axis }),
    undefined,
    () => g.op('GatherElements', [dy, indices], { axis }),
  ];
};

/** y, at = the k largest of x and where they stood (all different):  dx = 0, and dy at those places */
export const TopK: GradientRule = ({ g, node, x, dy }) => [
  () => {
    const indices = g.extraOutput(node, 1);
    return g.op('ScatterElements', [g.zerosLike(x), indices, dy], { axis: attributesOf(node).int('axis', -1) });
  },
  undefined,
];

/** y = x[start:end:step]:  dx = dy with zeros around it (and between, where the step is not 1) */
export const Slice: GradientRule = ({ g, inputs: [x = '', starts = '', ends, axes, steps], y, dy }) => [
  () => {
    const rank = g.rank(x);
    const from = g.constant(starts);
    const sliced = (axes ? g.constant(axes) : undefined) ?? Array.from({ length: g.dims(starts)[0] ?? 0 }, (_, i) => i);
    if (axes && g.constant(axes) === undefined) throw new Unsupported('the axes depend on the input');
    const step1 = !steps || g.constant(steps)?.every((step) => step === 1) === true;
    if (step1 && from?.every((start) => start >= 0)) {
      const before = Array.from({ length: rank }, () => 0);
      sliced.forEach((axis, i) => {
        before[g.axis(axis, rank)] = from[i]!;
      });
      // x may be shorter than the start: then y is empty and the padding must still add up to x.
      const lead = g.op('Min', [g.ints(before), g.shape(x)]);
      const after = g.sub(g.sub(g.shape(x), lead), g.shape(y));
      return g.op('Pad', [dy, g.concat([lead, after], 0)]);
    }
    // Handles any start and step: Slice itself reports the selected elements, one axis after the other.
    return sliced.reduceRight((gradient, given, i) => {
      const axis = g.axis(given, rank);
      const one = (values: string | undefined) => (values ? g.slice(values, 0, i, i + 1) : g.ints([1]));
      const all = g.op('Range', [g.int(0), g.squeeze(g.size(x, axis), [0]), g.int(1)]);
      const int64 = (values: string) => g.cast(values, DataType.int64);
      const taken = g.op('Slice', [all, int64(one(starts)), int64(one(ends)), g.ints([0]), int64(one(steps))]);
      return put(g, gradient, taken, x, axis);
    }, dy);
  },
];

/** y = [a b ...] along an axis:  each gets its own part of dy */
export const Concat: GradientRule = ({ g, node, inputs, y, dy }) => {
  const axis = g.axis(attributesOf(node).int('axis', 0), g.rank(y));
  let end = g.ints([0]);
  return inputs.map((x) => {
    const start = end;
    const size = g.size(x, axis);
    end = start === g.ints([0]) ? size : g.add(start, size);
    const stop = end;
    return () => g.op('Slice', [dy, start, stop, g.ints([axis])]);
  });
};

/** y1, y2, ... = parts of x along an axis:  dx = [dy1 dy2 ...], zeros for a part the loss does not see */
export const Split: GradientRule = ({ g, node, dys }) => [
  () => {
    const parts = dys.map((dy, i) => dy ?? g.zerosLike(node.outputs[i]!));
    return g.concat(parts, attributesOf(node).int('axis', 0));
  },
  undefined,
];

/** y = x with a constant border (or, where the pads are negative, cropped):  dx = dy with the pads negated */
export const Pad: GradientRule = ({ g, inputs: [, pads = '', , axes], dy }) => [
  () => g.op('Pad', [dy, g.neg(pads), ...(axes ? ['', axes] : [])]),
];

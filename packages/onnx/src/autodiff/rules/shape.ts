/** @file Operators that move elements and change none. */
import { attributesOf } from '../../graph/attributes.js';
import { broadcasting, type GradientRule, Unsupported } from '../tape.js';

/** y = x:  dx = dy */
export const Identity: GradientRule = ({ dy }) => [() => dy];

/** y = x: inference drops nothing. */
export const Dropout: GradientRule = ({ g, inputs, dy }) => {
  const training = g.constant(inputs[2]);
  if (inputs[2] && training?.[0] !== 0) throw new Unsupported('training_mode is not constantly false');
  return [() => dy, 'flat'];
};

/** y = x in another shape:  dx = dy in the shape of x */
const reshaped: GradientRule = ({ g, x, dy }) => [() => g.reshapeLike(dy, x), undefined];
export const Reshape: GradientRule = reshaped;
export const Flatten: GradientRule = reshaped;
export const Squeeze: GradientRule = reshaped;
export const Unsqueeze: GradientRule = reshaped;

/** y = x at another precision:  dx = dy. (16-bit values have been widened: see lower/widen.) */
export const Cast: GradientRule = ({ dy }) => [() => dy];
export const CastLike: GradientRule = ({ dy }) => [() => dy, undefined];

/** y = x with its axes permuted:  dx = dy with the permutation undone */
export const Transpose: GradientRule = ({ g, node, x, dy }) => [
  () => {
    const rank = g.rank(x);
    const perm = attributesOf(node).ints('perm') ?? Array.from({ length: rank }, (_, i) => rank - 1 - i);
    return g.transpose(
      dy,
      perm.map((_, axis) => perm.indexOf(axis)),
    );
  },
];

/** y = x repeated along axes of size 1:  dx = the sum of dy over them */
export const Expand: GradientRule = broadcasting(({ dy }) => [() => dy, undefined]);

/** y = [x x ... x]:  dx = the sum of the copies. Axis i of y is [repeats, size of x] read row by row. */
export const Tile: GradientRule = ({ g, inputs: [x = '', repeats = ''], dy }) => [
  () => {
    const axes = Array.from({ length: g.rank(x) }, (_, axis) => axis);
    const counts = g.constant(repeats);
    const count = (axis: number) => (counts ? g.ints([counts[axis]!]) : g.slice(repeats, 0, axis, axis + 1));
    const split = g.concat(
      axes.flatMap((axis) => [count(axis), g.size(x, axis)]),
      0,
    );
    return g.sum(
      g.reshape(dy, split),
      axes.map((axis) => 2 * axis),
      false,
    );
  },
  undefined,
];

/** y = the upper or lower triangle of x, else 0:  dx = the same of dy */
export const Trilu: GradientRule = ({ g, node, inputs: [, diagonal], dy }) => [
  () => g.op('Trilu', diagonal ? [dy, diagonal] : [dy], { upper: attributesOf(node).int('upper', 1) }),
  undefined,
];

/** y = x with the first n steps of each sequence reversed:  dx = dy reversed likewise */
export const ReverseSequence: GradientRule = ({ g, node, inputs: [, lengths = ''], dy }) => [
  () =>
    g.op('ReverseSequence', [dy, lengths], {
      batch_axis: attributesOf(node).int('batch_axis', 1),
      time_axis: attributesOf(node).int('time_axis', 0),
    }),
  undefined,
];

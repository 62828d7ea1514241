/** @file Pools, as reductions where one window sees all, else over shifted copies of their input. */
import { must } from '../../errors.js';
import { attributesOf } from '../../graph/attributes.js';
import { DYNAMIC } from '../shapes.js';
import { type Tape, Unsupported } from '../tape.js';
import { type Window, windowOf } from '../window.js';
import type { Lowering, LoweringContext } from './lowering.js';

/** Windows of more elements would write too many nodes. */
const MAX_WINDOW_ELEMENTS = 128;

const spatialAxes = (g: Tape, x: string): number[] => Array.from({ length: g.rank(x) - 2 }, (_, i) => i + 2);

/** The greatest element over all space: a ReduceMax. */
export const GlobalMaxPool: Lowering = ({ g, x }) => [g.reduce('ReduceMax', x, spatialAxes(g, x))];

/** The mean over all space: a ReduceMean. */
export const GlobalAveragePool: Lowering = ({ g, x }) => [g.mean(x, spatialAxes(g, x))];

/** The elements each window sees first, those it sees second, ...: one tensor of the output's shape for each. */
function shift(
  g: Tape,
  x: string,
  { axes, kernel, strides, dilations, spans, pads }: Window,
  border: number,
): string[] {
  const around = [0, 0, ...pads.slice(0, axes.length), 0, 0, ...pads.slice(axes.length)];
  const padded = pads.some((p) => p > 0) ? g.op('Pad', [x, g.ints(around), g.float(border)]) : x;
  return axes.reduce(
    (copies, axis, i) =>
      copies.flatMap((copy) =>
        Array.from({ length: must(kernel[i]) }, (_, k) => {
          const start = k * must(dilations[i]);
          // The last window ends at the last element it fits on.
          const end = start - must(spans[i]) + 1;
          return g.slice(copy, axis, start, end === 0 ? undefined : end, strides[i]);
        }),
      ),
    [padded],
  );
}

function windowOfPool({ g, node, x }: LoweringContext): Window {
  const { ints, int } = attributesOf(node);
  const kernel = must(ints('kernel_shape'));
  const window = windowOf(g.dims(x), node, kernel);
  const volume = kernel.reduce((product, k) => product * k, 1);
  if (volume > MAX_WINDOW_ELEMENTS) throw new Unsupported(`a window of ${volume} elements`);
  const reaches = window.axes.every((axis, i) => {
    const size = must(g.dims(x)[axis]) + must(window.pads[i]) + must(window.pads[i + kernel.length]);
    const exact = g.dims(x)[axis] !== DYNAMIC && (size - must(window.spans[i])) % must(window.strides[i]) === 0;
    return exact || window.strides[i] === 1;
  });
  if (int('ceil_mode', 0) === 1 && !reaches) throw new Unsupported('ceil_mode');
  return window;
}

/** Does one window see all of x? */
function global({ g, node, x }: LoweringContext): boolean {
  const { ints, string } = attributesOf(node);
  const kernel = must(ints('kernel_shape'));
  const unpadded =
    (ints('pads') ?? []).every((p) => p === 0) && ['NOTSET', 'VALID'].includes(string('auto_pad', 'NOTSET'));
  const dense = (ints('dilations') ?? []).every((d) => d === 1);
  return unpadded && dense && spatialAxes(g, x).every((axis, i) => g.dims(x)[axis] === kernel[i]);
}

/** The greatest element a window sees: Max over one shifted copy of x for each of the window's places. */
export const MaxPool: Lowering = (at) => {
  if (global(at)) return GlobalMaxPool(at);
  return [at.g.op('Max', shift(at.g, at.x, windowOfPool(at), Number.NEGATIVE_INFINITY))];
};

/** The sum over a window (of shifted copies of x) / how many of its elements count: all, or those within x. */
export const AveragePool: Lowering = (at) => {
  const { g, node, x } = at;
  if (global(at)) return GlobalAveragePool(at);
  const window = windowOfPool(at);
  const total = (t: string) => shift(g, t, window, 0).reduce((sum, copy) => g.add(sum, copy));
  const all = window.kernel.reduce((product, k) => product * k, 1);
  if (attributesOf(node).int('count_include_pad', 0) === 1 || window.pads.every((p) => p === 0)) {
    return [g.scale(total(x), 1 / all)];
  }
  const sizes = window.axes.map((axis) => g.size(x, axis));
  const ones = g.expand(g.float(1), g.concat([g.ints([1, 1]), ...sizes], 0));
  return [g.div(total(x), total(ones))];
};

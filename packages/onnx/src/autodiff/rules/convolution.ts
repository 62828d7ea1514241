/** @file Convolution over any number of spatial axes: x [batch, channels, ...], w [filters, channels / groups, ...kernel]. */
import { must } from '../../errors.js';
import { attributesOf } from '../../graph/attributes.js';
import type { Attributes } from '../../graph/node-writer.js';
import { type GradientRule, type NodeGradient, type Tape, Unsupported } from '../tape.js';
import { type Window, windowOf } from '../window.js';

/** More groups than this would write too many nodes. */
const MAX_GROUPS = 64;

/** y = x * w + b:  dx = dy convolved with the mirrored w,  dw = x correlated with dy,  db = sum dy over batch and space */
export const Conv: GradientRule = (at) => {
  const { g, node, inputs, dy } = at;
  const window = windowOf(g.dims(must(inputs[0])), node, g.dims(must(inputs[1])).slice(2));
  const group = attributesOf(node).int('group', 1);
  return [
    () => inputGradient(at, window, group),
    () => weightGradient(at, window, group),
    inputs[2] ? () => g.sum(dy, [0, ...window.axes], false) : undefined,
  ];
};

function inputGradient(
  { g, inputs, dy }: NodeGradient,
  { axes, strides, dilations, pads, spans }: Window,
  group: number,
): string {
  const [x, w] = inputs as [string, string];
  const around = pads.map((p, i) => must(spans[i % axes.length]) - 1 - p);
  if (group === 1 && strides.every((s) => s === 1) && around.every((p) => p >= 0)) {
    // Stride 1: an ordinary convolution with the mirrored kernel; onnxruntime's is ~10x faster than its ConvTranspose.
    const backwards = axes.map(() => -1);
    const mirrored = g.op('Slice', [
      w,
      g.ints(backwards),
      g.ints(axes.map(() => -(2 ** 31))),
      g.ints(axes),
      g.ints(backwards),
    ]);
    return g.op('Conv', [dy, g.transpose(mirrored, [1, 0, ...axes])], { pads: around, dilations });
  }
  if (strides.every((s) => s === 1)) return g.op('ConvTranspose', [dy, w], { dilations, pads, group });
  // A stride that does not divide leaves the last elements of x unseen, or the end padding: the length of x decides.
  const begins = pads.map((p, i) => (i < axes.length ? p : 0));
  const dx = g.op('ConvTranspose', [dy, w], { strides, dilations, pads: begins, group });
  const none = g.ints(g.dims(x).map(() => 0));
  return g.op('Pad', [dx, g.concat([none, g.sub(g.shape(x), g.shape(dx))], 0)]);
}

/** dw[f, c, k] = sum over batch and places of x[c, s place + d k] dy[f, place]: x and dy swap batch and channels, s and d swap roles. */
function weightGradient({ g, inputs, dy }: NodeGradient, window: Window, group: number): string {
  const [x, w] = inputs as [string, string];
  const { axes, kernel, strides, dilations, pads } = window;
  if (group > MAX_GROUPS) throw new Unsupported(`weights of ${group} groups`);
  const attributes: Attributes = { pads, strides: dilations, dilations: strides };
  const perm = [1, 0, ...axes];
  const parts = Array.from({ length: group }, (_, i) => {
    const one = (t: string, channels: number) =>
      group === 1 ? t : g.slice(t, 1, (i * channels) / group, ((i + 1) * channels) / group);
    const input = g.transpose(one(x, must(g.dims(x)[1])), perm);
    const grad = g.transpose(one(dy, must(g.dims(w)[0])), perm);
    return g.transpose(g.op('Conv', [input, grad], attributes), perm);
  });
  // With strides the correlation runs a little beyond the kernel.
  return crop(g, g.concat(parts, 0), axes, kernel, strides);
}

function crop(
  g: Tape,
  dw: string,
  axes: readonly number[],
  kernel: readonly number[],
  strides: readonly number[],
): string {
  if (strides.every((s) => s === 1)) return dw;
  return g.op('Slice', [dw, g.ints(axes.map(() => 0)), g.ints(kernel), g.ints(axes)]);
}

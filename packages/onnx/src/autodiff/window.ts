/** @file The geometry of a sliding window, as convolutions and pools share it. */
import { must } from '../errors.js';
import { attributesOf } from '../graph/attributes.js';
import type { Node } from '../graph/model.js';
import { DYNAMIC } from './shapes.js';
import { Unsupported } from './unsupported.js';

export interface Window {
  /** The spatial axes: 2, 3, ... of [batch, channels, ...]. */
  readonly axes: readonly number[];
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** All begins, then all ends. */
  readonly pads: readonly number[];
  /** Elements from the first to the last the window sees, along each axis. */
  readonly spans: readonly number[];
}

/**
 * The window of a node whose input has dimensions `sizes`, DYNAMIC where they depend on what is fed. Throws Unsupported where
 * the padding does.
 */
export function windowOf(sizes: readonly number[], node: Node, kernel: readonly number[]): Window {
  const { ints, string } = attributesOf(node);
  const axes = kernel.map((_, i) => i + 2);
  const strides = ints('strides') ?? axes.map(() => 1);
  const dilations = ints('dilations') ?? axes.map(() => 1);
  const spans = kernel.map((k, i) => must(dilations[i]) * (k - 1) + 1);
  const window = { axes, kernel, strides, dilations, spans };
  const automatic = string('auto_pad', 'NOTSET');
  if (automatic === 'NOTSET') return { ...window, pads: ints('pads') ?? [...axes, ...axes].map(() => 0) };
  if (automatic === 'VALID') return { ...window, pads: [...axes, ...axes].map(() => 0) };
  // SAME: as much as makes y ceil(size / stride) long, the odd one at the end (UPPER) or the start (LOWER).
  const total = axes.map((axis, i) => {
    const [size, stride, span] = [must(sizes[axis]), must(strides[i]), must(spans[i])];
    if (stride === 1) return span - 1;
    if (size === DYNAMIC) throw new Unsupported(`auto_pad ${automatic} with stride ${stride} on a dynamic axis`);
    return Math.max(0, (Math.ceil(size / stride) - 1) * stride + span - size);
  });
  const small = total.map((t) => Math.floor(t / 2));
  const large = total.map((t) => Math.ceil(t / 2));
  return { ...window, pads: automatic === 'SAME_LOWER' ? [...large, ...small] : [...small, ...large] };
}

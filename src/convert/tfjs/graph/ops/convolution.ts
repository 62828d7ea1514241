/** @file Convolutions and pooling. TensorFlow has [texts, height, width, channels], ONNX [texts, channels, height, width]. */
import type { AttributeValue } from '../../../../onnx/node-writer.js';
import type { DrawOp, OpCall } from '../op-call.js';
import type { Dims, TensorValue } from '../value.js';
import { finish } from './products.js';

interface PictureWindow {
  /** Height and width, and likewise the others. */
  readonly size: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
}

/** The values for height and width of an attribute over all four axes. */
function spatial(call: OpCall, name: string, otherwise?: readonly number[]): readonly number[] {
  const given = call.attributes.ints(name);
  const [texts, height, width, channels] = given.length === 0 ? (otherwise ?? []) : given;
  const [y, x] = [height ?? 0, width ?? 0];
  if (given.length > 4 || texts !== 1 || channels !== 1 || y < 1 || x < 1)
    throw call.refuse(`${name} [1, height, width, 1]`, `[${given}]`);
  return [y, x];
}

/** TF puts the odd step of SAME at the end, as SAME_UPPER does. */
function padding(call: OpCall, { size, strides, dilations }: PictureWindow): Record<string, AttributeValue> {
  const way = call.attributes.text('padding');
  const reach = size.map((each, axis) => (each - 1) * dilations[axis]!);
  const before = reach.map((each) => Math.floor(each / 2));
  if (way === 'VALID') return { pads: [0, 0, 0, 0] };
  if (way === 'EXPLICIT') {
    const [, , top = 0, bottom = 0, left = 0, right = 0] = call.attributes.ints('explicit_paddings');
    return { pads: [top, left, bottom, right] };
  }
  if (way !== 'SAME') throw call.refuse('padding SAME, VALID or EXPLICIT', way);
  if (strides.every((each) => each === 1))
    return { pads: [...before, ...reach.map((each, axis) => each - before[axis]!)] };
  if (dilations.some((each) => each > 1)) throw call.refuse('strides or dilations', 'both');
  return { auto_pad: 'SAME_UPPER' };
}

function sizesAfter(call: OpCall, dims: Dims, { size, strides, dilations }: PictureWindow): (number | null)[] {
  const way = call.attributes.text('padding');
  return [0, 1].map((axis) => {
    const before = dims?.[axis + 1];
    const [span, stride] = [(size[axis]! - 1) * dilations[axis]!, strides[axis]!];
    if (typeof before !== 'number' || way === 'EXPLICIT') return null;
    return way === 'SAME' ? Math.ceil(before / stride) : Math.floor((before - span - 1) / stride) + 1;
  });
}

/** Draws over channels that come first. */
function channelsFirst(call: OpCall, x: TensorValue, draw: (x: string) => string): string {
  const format = call.attributes.text('data_format', 'NHWC');
  if (format !== 'NHWC') throw call.refuse('data_format NHWC', format);
  if (call.rank(x) !== 4) throw call.refuse('an input of 4 axes', `${call.rank(x)}`);
  const y = draw(call.g.transpose(x.name, [0, 3, 1, 2]));
  return call.g.transpose(y, [0, 2, 3, 1]);
}

/** The filters, [height, width, channels, outputs], or of each channel its own: [height, width, channels, outputs of each]. */
function filtersOf(call: OpCall, depthwise: boolean) {
  const { name, dims } = call.input(1);
  const [height, width, channels, outputs] = dims ?? [];
  if (dims?.length !== 4 || !height || !width || !channels || !outputs)
    throw call.refuse('filters of a known shape', `[${dims}]`);
  const turned = call.g.transpose(name, depthwise ? [2, 3, 0, 1] : [3, 2, 0, 1]);
  const size = [height, width];
  if (!depthwise) return { size, name: turned, channels: outputs, groups: 1, reads: channels };
  const all = channels * outputs;
  const flat = call.g.reshape(turned, [all, 1, height, width]);
  return { size, name: flat, channels: all, groups: channels, reads: channels };
}

const convolution =
  (depthwise: boolean): DrawOp =>
  (call) => {
    const x = call.input(0);
    const filters = filtersOf(call, depthwise);
    const strides = spatial(call, 'strides');
    const dilations = spatial(call, 'dilations', [1, 1, 1, 1]);
    const window = { size: filters.size, strides, dilations };
    const got = x.dims?.at(-1);
    if (typeof got === 'number' && got !== filters.reads) {
      if (depthwise || got % filters.reads !== 0) throw call.refuse(`${filters.reads} channels`, `${got}`);
      filters.groups = got / filters.reads;
    }
    const y = channelsFirst(call, x, (turned) =>
      call.g.op('Conv', [turned, filters.name], {
        kernel_shape: filters.size,
        strides,
        dilations,
        group: filters.groups,
        ...padding(call, window),
      }),
    );
    const dims = [x.dims?.[0] ?? null, ...sizesAfter(call, x.dims, window), filters.channels];
    return call.value('float', finish(call, y, 2), dims);
  };

const pooling =
  (op: string): DrawOp =>
  (call) => {
    const x = call.input(0);
    const size = spatial(call, 'ksize');
    const strides = spatial(call, 'strides');
    const window = { size, strides, dilations: [1, 1] };
    const y = channelsFirst(call, x, (turned) =>
      call.g.op(op, [turned], { kernel_shape: size, strides, ...padding(call, window) }),
    );
    const dims = [x.dims?.[0] ?? null, ...sizesAfter(call, x.dims, window), x.dims?.[3] ?? null];
    return call.value('float', y, dims);
  };

export const CONVOLUTION: Readonly<Record<string, DrawOp>> = {
  AvgPool: pooling('AveragePool'),
  Conv2D: convolution(false),
  DepthwiseConv2dNative: convolution(true),
  FusedDepthwiseConv2dNative: convolution(true),
  MaxPool: pooling('MaxPool'),
  _FusedConv2D: convolution(false),
};

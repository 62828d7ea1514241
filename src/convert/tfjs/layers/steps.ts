/** @file Layers over steps in time, [texts, steps, features]: convolutions and pooling. ONNX wants [texts, features, steps]. */
import type { AttributeValue } from '../../../onnx/node-writer.js';
import { type LayerCall, type LayerKind, type LayerValue, shared, widthOf } from '../layer.js';
import { activate } from './activation.js';
import { asFloats } from './plain.js';

/** Swaps steps and features. */
const swapAxes = ({ g }: LayerCall, x: string): string => g.transpose(x, [0, 2, 1]);

function checkSteps({ config }: LayerCall, { shape }: LayerValue): void {
  if (shape.length !== 3) throw config.refuse('name', 'an input [texts, steps, features]');
  config.only('data_format', 'channels_last');
}

interface StepWindow {
  readonly size: number;
  readonly stride: number;
  readonly dilation?: number;
}

/** Where the window is put: attributes of Conv and of pooling. TF puts the odd step of "same" at the end, as SAME_UPPER does. */
function padding({ config }: LayerCall, { size, stride, dilation = 1 }: StepWindow, causal: boolean) {
  const way = config.choice('padding', causal ? ['valid', 'same', 'causal'] : ['valid', 'same'], 'valid');
  const reach = (size - 1) * dilation;
  if (way === 'causal') return { pads: [reach, 0] };
  if (way === 'valid') return { pads: [0, 0] };
  if (stride > 1) return { auto_pad: 'SAME_UPPER' };
  return { pads: [Math.floor(reach / 2), reach - Math.floor(reach / 2)] };
}

/** How many steps are left; null where it depends on the text. */
function stepsAfter(steps: number | null, way: string, { size, stride, dilation = 1 }: StepWindow): number | null {
  if (steps === null) return null;
  return way === 'valid' ? Math.floor((steps - (size - 1) * dilation - 1) / stride) + 1 : Math.ceil(steps / stride);
}

const conv1d: LayerKind = {
  keys: [
    ['filters', 'kernel_size', 'strides', 'padding', 'data_format', 'dilation_rate'],
    ['groups', 'activation', 'use_bias', 'rank'],
  ].flat(),
  draw(call, [x]) {
    checkSteps(call, x);
    const { g, config } = call;
    config.only('groups', 1);
    const [inputs, filters] = [widthOf(call, x), config.size('filters')];
    const frame = {
      size: config.single('kernel_size'),
      stride: config.single('strides', 1),
      dilation: config.single('dilation_rate', 1),
    };
    if (frame.stride > 1 && frame.dilation > 1) throw config.refuse('dilation_rate', '1 where strides are above 1');
    const kernel = call.weight('kernel', [frame.size, inputs, filters]);
    const turned = new Float32Array(kernel.length);
    for (let step = 0; step < frame.size; step++)
      for (let input = 0; input < inputs; input++)
        for (let filter = 0; filter < filters; filter++)
          turned[(filter * inputs + input) * frame.size + step] = kernel[(step * inputs + input) * filters + filter]!;
    const parts = [shared(call, 'kernel', [filters, inputs, frame.size], turned)];
    if (config.flag('use_bias', true)) parts.push(shared(call, 'bias', [filters], call.weight('bias', [filters])));
    const attributes: Record<string, AttributeValue> = {
      kernel_shape: [frame.size],
      strides: [frame.stride],
      dilations: [frame.dilation],
      ...padding(call, frame, true),
    };
    const y = g.op('Conv', [swapAxes(call, x.name), ...parts], attributes);
    const way = config.choice('padding', ['valid', 'same', 'causal'], 'valid');
    const steps = stepsAfter(x.shape[1] ?? null, way, frame);
    return { name: activate(g, swapAxes(call, y), config), shape: [null, steps, filters] };
  },
};

const pooling = (op: 'MaxPool' | 'AveragePool'): LayerKind => ({
  keys: ['pool_size', 'strides', 'padding', 'data_format'],
  draw(call, [x]) {
    checkSteps(call, x);
    const { g, config } = call;
    const size = config.single('pool_size', 2);
    const frame = { size, stride: config.single('strides', size) };
    const attributes: Record<string, AttributeValue> = {
      kernel_shape: [size],
      strides: [frame.stride],
      ...padding(call, frame, false),
    };
    const y = g.op(op, [swapAxes(call, x.name)], attributes);
    const way = config.choice('padding', ['valid', 'same'], 'valid');
    const steps = stepsAfter(x.shape[1] ?? null, way, frame);
    return { name: swapAxes(call, y), shape: [null, steps, x.shape[2] ?? null] };
  },
});

const globalKeys = ['data_format', 'keepdims'];

const globalMax: LayerKind = {
  keys: globalKeys,
  draw(call, [x]) {
    checkSteps(call, x);
    call.config.only('keepdims', false);
    const name = call.g.reduce('ReduceMax', x.name, [1], false);
    return { name, shape: [null, x.shape[2] ?? null] };
  },
};

/** With a mask the mean of the words alone, as Keras has it; 0 for a text without words. */
const globalAverage: LayerKind = {
  keys: globalKeys,
  draw(call, [x]) {
    checkSteps(call, x);
    const { g, config } = call;
    config.only('keepdims', false);
    const shape = [null, x.shape[2] ?? null];
    if (x.mask === undefined) return { name: g.mean(x.name, [1], false), shape };
    const kept = g.unsqueeze(asFloats(call, x.mask), [2]);
    const sum = (of: string) => g.sum(of, [1], false);
    const count = g.op('Max', [sum(kept), g.float(1)]);
    return { name: g.div(sum(g.mul(x.name, kept)), count), shape };
  },
};

export const STEPS: Readonly<Record<string, LayerKind>> = {
  Conv1D: conv1d,
  MaxPooling1D: pooling('MaxPool'),
  AveragePooling1D: pooling('AveragePool'),
  GlobalMaxPooling1D: globalMax,
  GlobalAveragePooling1D: globalAverage,
};

/** @file Layers without steps in time: tables, products, norms, and those that only move numbers about. */
import { float } from '../../../onnx/builder.js';
import { DataType } from '../../../onnx/data-type.js';
import { type LayerKind, type LayerValue, onlyLastAxis, shared, widthOf, withWidth } from '../layer.js';
import { activate } from './activation.js';

const embedding: LayerKind = {
  keys: ['input_dim', 'output_dim', 'mask_zero', 'input_length'],
  draw(call, [ids]) {
    const { g, config } = call;
    if (!ids.ids) throw config.refuse('name', 'the ids of an input, as they come in');
    const [rows, width] = [config.size('input_dim'), config.size('output_dim')];
    const table = shared(call, 'embeddings', [rows, width], call.weight('embeddings', [rows, width]));
    const name = g.gather(table, ids.name);
    const mask = config.flag('mask_zero', false) ? g.op('Not', [g.op('Equal', [ids.name, g.int(0)])]) : undefined;
    return { name, shape: [...ids.shape, width], mask };
  },
};

const dense: LayerKind = {
  keys: ['units', 'activation', 'use_bias', 'input_dim'],
  keepsMask: true,
  draw(call, [x]) {
    const { g, config } = call;
    const [inputs, units] = [widthOf(call, x), config.size('units')];
    let name = g.matmul(x.name, shared(call, 'kernel', [inputs, units], call.weight('kernel', [inputs, units])));
    if (config.flag('use_bias', true)) name = g.add(name, shared(call, 'bias', [units], call.weight('bias', [units])));
    return { name: activate(g, name, config), shape: withWidth(x, units) };
  },
};

/** Does nothing once a model is trained. */
const passing: LayerKind = {
  keys: ['rate', 'noise_shape', 'seed', 'stddev'],
  keepsMask: true,
  draw: (_, [x]) => x,
};

/** As many numbers as the axes hold; null where one is not known. */
const product = (sizes: readonly (number | null)[]): number | null =>
  sizes.reduce<number | null>((all, size) => (all === null || size === null ? null : all * size), 1);

const flatten: LayerKind = {
  keys: ['data_format'],
  draw({ g, config }, [x]) {
    config.only('data_format', 'channels_last');
    return { name: g.op('Flatten', [x.name]), shape: [null, product(x.shape.slice(1))] };
  },
};

const reshape: LayerKind = {
  keys: ['target_shape'],
  draw({ g, config }, [x]) {
    const target = config.sizes('target_shape');
    const all = product(x.shape.slice(1));
    const rest = target.reduce((some, size) => (size === -1 ? some : some * size), 1);
    const shape = target.map((size) => (size === -1 ? all && all / rest : size));
    return { name: g.reshape(x.name, [0, ...target]), shape: [null, ...shape] };
  },
};

const activation: LayerKind = {
  keys: ['activation'],
  keepsMask: true,
  draw: ({ g, config }, [x]) => ({ ...x, name: activate(g, x.name, config) }),
};

const softmax: LayerKind = {
  keys: ['axis'],
  draw(call, [x]) {
    const { g, config } = call;
    if (x.mask !== undefined) throw config.refuse('name', 'an input without a mask');
    onlyLastAxis(call, config.raw('axis'), x.shape.length);
    return { ...x, name: g.softmax(x.name) };
  },
};

const relu: LayerKind = {
  keys: ['max_value', 'negative_slope', 'threshold'],
  keepsMask: true,
  draw({ g, config }, [x]) {
    config.only('negative_slope', 0);
    config.only('threshold', 0);
    const name = g.op('Relu', [x.name]);
    return {
      ...x,
      name: config.has('max_value') ? g.op('Min', [name, g.float(config.positive('max_value'))]) : name,
    };
  },
};

const leakyRelu: LayerKind = {
  keys: ['alpha', 'negative_slope'],
  keepsMask: true,
  draw({ g, config }, [x]) {
    const alpha = config.positive(config.has('negative_slope') ? 'negative_slope' : 'alpha', 0.3);
    return { ...x, name: g.op('LeakyRelu', [x.name], { alpha: float(alpha) }) };
  },
};

/** (x - mean) / sqrt(variance + epsilon) gamma + beta with the statistics of training: one product and one sum. */
const batchNormalization: LayerKind = {
  keys: ['axis', 'momentum', 'epsilon', 'center', 'scale', 'renorm', 'fused', 'synchronized', 'virtual_batch_size'],
  keepsMask: true,
  draw(call, [x]) {
    const { g, config, weight } = call;
    onlyLastAxis(call, config.raw('axis'), x.shape.length);
    for (const key of ['renorm', 'virtual_batch_size']) config.only(key, false);
    const width = widthOf(call, x);
    const epsilon = config.positive('epsilon', 1e-3);
    const gamma = config.flag('scale', true) ? weight('gamma', [width]) : new Float32Array(width).fill(1);
    const beta = config.flag('center', true) ? weight('beta', [width]) : new Float32Array(width);
    const [mean, variance] = [weight('moving_mean', [width]), weight('moving_variance', [width])];
    const factor = Array.from(gamma, (value, at) => value / Math.sqrt(variance[at]! + epsilon));
    const shift = Array.from(beta, (value, at) => value - mean[at]! * factor[at]!);
    const scaled = g.mul(x.name, shared(call, 'factor', [width], Float32Array.from(factor)));
    return { ...x, name: g.add(scaled, shared(call, 'shift', [width], Float32Array.from(shift))) };
  },
};

const layerNormalization: LayerKind = {
  keys: ['axis', 'epsilon', 'center', 'scale', 'rms_scaling'],
  keepsMask: true,
  draw(call, [x]) {
    const { g, config, weight } = call;
    onlyLastAxis(call, config.raw('axis'), x.shape.length);
    config.only('rms_scaling', false);
    const width = widthOf(call, x);
    const gamma = config.flag('scale', true) ? weight('gamma', [width]) : new Float32Array(width).fill(1);
    const beta = config.flag('center', true) ? weight('beta', [width]) : new Float32Array(width);
    const [scale, bias] = [shared(call, 'gamma', [width], gamma), shared(call, 'beta', [width], beta)];
    const attributes = { axis: -1, epsilon: float(config.positive('epsilon', 1e-3)) };
    return { ...x, name: g.op('LayerNormalization', [x.name, scale, bias], attributes) };
  },
};

const concatenate: LayerKind = {
  keys: ['axis'],
  merges: true,
  draw({ g, config }, inputs) {
    const { shape } = inputs[0];
    const given = config.integer('axis', -1);
    const axis = given < 0 ? given + shape.length : given;
    if (axis === 0 || axis >= shape.length || inputs.some((x) => x.shape.length !== shape.length))
      throw config.refuse('axis', 'an axis of all inputs, not that of the texts');
    const sizes = inputs.map((x) => x.shape[axis] ?? null);
    const size = sizes.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0);
    if (axis === 1 && inputs.some(({ mask }) => mask !== undefined))
      throw config.refuse('axis', 'the last axis where inputs have masks');
    const name = g.op(
      'Concat',
      inputs.map((x) => x.name),
      { axis },
    );
    return { name, shape: shape.map((old, at) => (at === axis ? size : old)) };
  },
};

const mergeLayer = (op: 'Add' | 'Mul'): LayerKind => ({
  keys: [],
  merges: true,
  draw({ g, config }, inputs) {
    if (inputs.some((x) => x.shape.length !== inputs[0].shape.length))
      throw config.refuse('name', 'inputs of one rank');
    return inputs.slice(1).reduce<LayerValue>(
      (sum, x) => ({
        name: g.op(op, [sum.name, x.name]),
        shape: sum.shape.map((size, at) => (size === 1 ? (x.shape[at] ?? null) : size)),
      }),
      { name: inputs[0].name, shape: inputs[0].shape },
    );
  },
});

export const PLAIN: Readonly<Record<string, LayerKind>> = {
  Embedding: embedding,
  Dense: dense,
  Dropout: passing,
  SpatialDropout1D: passing,
  GaussianNoise: passing,
  Flatten: flatten,
  Reshape: reshape,
  Activation: activation,
  Softmax: softmax,
  ReLU: relu,
  LeakyReLU: leakyRelu,
  BatchNormalization: batchNormalization,
  LayerNormalization: layerNormalization,
  Concatenate: concatenate,
  Add: mergeLayer('Add'),
  Multiply: mergeLayer('Mul'),
};

/** A number as the graph's masks need it. */
export const asFloats = ({ g }: { readonly g: Parameters<typeof activate>[0] }, mask: string): string =>
  g.cast(mask, DataType.float);

/** @file Normalisation layers, and the compounds transformer optimisers make of them. */
import { attributesOf } from '../../graph/attributes.js';
import { float } from '../../graph/builder.js';
import type { Tape } from '../tape.js';
import type { Lowering } from './lowering.js';

/** 1 / sqrt(a + epsilon) */
const inverseRoot = (g: Tape, a: string, epsilon: number): string =>
  g.op('Reciprocal', [g.op('Sqrt', [g.plus(a, epsilon)])]);

const layerNorm = (g: Tape, x: string, w: string, b: string | undefined, epsilon: number): string =>
  g.op('LayerNormalization', [x, w, ...(b ? [b] : [])], { axis: -1, epsilon: float(epsilon) });

/** x / sqrt(mean x^2 + epsilon) w, over the axes from `axis` on (Zhang and Sennrich 2019). */
function rmsNorm(g: Tape, x: string, w: string, epsilon: number, rank: number, axis = -1): string {
  const inner = Array.from({ length: rank - g.axis(axis, rank) }, (_, i) => g.axis(axis, rank) + i);
  return g.mul(g.mul(x, inverseRoot(g, g.mean(g.square(x), inner), epsilon)), w);
}

export const SimplifiedLayerNormalization: Lowering = ({ g, node, inputs: [x = '', w = ''] }) => {
  const { float: real, int } = attributesOf(node);
  return [rmsNorm(g, x, w, real('epsilon', 1e-5), g.rank(x), int('axis', -1))];
};

export const RMSNormalization: Lowering = SimplifiedLayerNormalization;

/** LayerNorm(x + skip + bias); the fourth output is the sum. */
export const SkipLayerNormalization: Lowering = ({ g, node, inputs: [x = '', skip = '', w = '', b, bias] }) => {
  const sum = bias ? g.add(g.add(x, skip), bias) : g.add(x, skip);
  return [layerNorm(g, sum, w, b, attributesOf(node).float('epsilon', 1e-12)), '', '', sum];
};

/** s / sqrt(mean s^2 + epsilon) w, s = x + skip + bias; the fourth output is the sum. */
export const SkipSimplifiedLayerNormalization: Lowering = ({ g, node, inputs: [x = '', skip = '', w = '', bias] }) => {
  const sum = bias ? g.add(g.add(x, skip), bias) : g.add(x, skip);
  return [rmsNorm(g, sum, w, attributesOf(node).float('epsilon', 1e-12), g.rank(x)), '', '', sum];
};

/** LayerNorm(words[ids] + positions + segments[types]), and how long each text is. */
export const EmbedLayerNormalization: Lowering = ({ g, node, inputs }) => {
  const [ids = '', types, words = '', positions = '', segments, w = '', b, mask, places] = inputs as string[];
  const position = places
    ? g.gather(positions, places)
    : g.op('Slice', [positions, g.ints([0]), g.size(ids, 1), g.ints([0])]); // [sequence, hidden]
  let sum = g.add(g.gather(words, ids), position);
  if (types && segments) sum = g.add(sum, g.gather(segments, types));
  const lengths = mask ? g.sum(mask, [1], false) : '';
  return [layerNorm(g, sum, w, b, attributesOf(node).float('epsilon', 1e-12)), lengths, sum];
};

/** (x - mean) / sqrt(variance + epsilon) w + b, with the statistics of training. Parameters lie along axis 1. */
export const BatchNormalization: Lowering = ({ g, node, inputs }) => {
  const [x, w, b, mean, variance] = inputs as [string, string, string, string, string];
  const spatial = Array.from({ length: Math.max(0, g.rank(x) - 2) }, (_, i) => i + 1);
  const along = (parameter: string) => g.unsqueeze(parameter, spatial);
  const factor = g.mul(w, inverseRoot(g, variance, attributesOf(node).float('epsilon', 1e-5)));
  return [g.add(g.mul(g.sub(x, along(mean)), along(factor)), along(b))];
};

/** As BatchNormalization, with the statistics of each example's own channels. */
export const InstanceNormalization: Lowering = ({ g, node, inputs: [x = '', w = '', b = ''] }) => {
  const axes = Array.from({ length: g.rank(x) - 2 }, (_, i) => i + 2);
  const along = (parameter: string) =>
    g.unsqueeze(
      parameter,
      axes.map((axis) => axis - 1),
    );
  const centred = g.sub(x, g.mean(x, axes));
  const factor = inverseRoot(g, g.mean(g.square(centred), axes), attributesOf(node).float('epsilon', 1e-5));
  return [g.add(g.mul(g.mul(centred, factor), along(w)), along(b))];
};

/** x / the norm of x along an axis: the sum of magnitudes, or the root of the sum of squares. */
export const LpNormalization: Lowering = ({ g, node, x }) => {
  const { int } = attributesOf(node);
  const axis = g.axis(int('axis', -1), g.rank(x));
  return [g.div(x, g.reduce(int('p', 2) === 1 ? 'ReduceL1' : 'ReduceL2', x, [axis]))];
};

/** (x - mean) / (standard deviation + 1e-9) over some axes */
export const MeanVarianceNormalization: Lowering = ({ g, node, x }) => {
  const axes = attributesOf(node).ints('axes') ?? [0, 2, 3];
  const centred = g.sub(x, g.mean(x, axes));
  return [g.div(centred, g.plus(g.op('Sqrt', [g.mean(g.square(centred), axes)]), 1e-9))];
};

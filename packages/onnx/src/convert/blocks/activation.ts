/** @file The activation functions that transformers knows by name (activations.py, ACT2FN), in operators of opset 17. */
import { float, type GraphBuilder } from '../../graph/builder.js';
import type { ModelConfig } from '../config.js';

type Draw = (g: GraphBuilder, x: string) => string;

/** x (1 + erf(x / sqrt 2)) / 2 (Hendrycks and Gimpel 2016), in the order that onnxruntime knows as one operator. */
const gelu: Draw = (g, x) => {
  const erf = g.op('Erf', [g.div(x, g.float(Math.SQRT2))]);
  return g.mul(g.mul(x, g.add(erf, g.float(1))), g.float(0.5));
};

/** x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, in the order that onnxruntime knows as one operator. */
const tanhGelu: Draw = (g, x) => {
  const cubed = g.op('Pow', [x, g.float(3)]);
  const inner = g.add(x, g.mul(cubed, g.float(0.044715)));
  const tanh = g.op('Tanh', [g.mul(inner, g.float(Math.sqrt(2 / Math.PI)))]);
  return g.mul(g.mul(x, g.float(0.5)), g.add(tanh, g.float(1)));
};

const scaledSigmoid =
  (factor: number): Draw =>
  (g, x) =>
    g.mul(x, g.op('Sigmoid', [factor === 1 ? x : g.mul(x, g.float(factor))]));

/** The mean of Laplace's distribution function in MEGA (Ma et al. 2022), as the reference rounds it. */
const LAPLACE_MEAN = Number('0.707107');

const laplace: Draw = (g, x) => {
  const scaled = g.div(g.sub(x, g.float(LAPLACE_MEAN)), g.float(0.282095 * Math.SQRT2));
  return g.mul(g.add(g.op('Erf', [scaled]), g.float(1)), g.float(0.5));
};

const clip =
  (low: number, high: number): Draw =>
  (g, x) =>
    g.op('Clip', [x, g.float(low), g.float(high)]);

const one =
  (op: string): Draw =>
  (g, x) =>
    g.op(op, [x]);

const squaredRelu: Draw = (g, x) => {
  const positive = g.op('Relu', [x]);
  return g.mul(positive, positive);
};

const ACTIVATIONS: Readonly<Record<string, Draw>> = {
  gelu,
  gelu_python: gelu,
  gelu_10: (g, x) => clip(-10, 10)(g, gelu(g, x)),
  gelu_new: tanhGelu,
  gelu_fast: tanhGelu,
  gelu_accurate: tanhGelu,
  gelu_pytorch_tanh: tanhGelu,
  gelu_python_tanh: tanhGelu,
  laplace,
  leaky_relu: (g, x) => g.op('LeakyRelu', [x], { alpha: float(0.01) }),
  linear: (_, x) => x,
  mish: (g, x) => g.mul(x, g.op('Tanh', [g.op('Softplus', [x])])),
  quick_gelu: scaledSigmoid(1.702),
  relu: one('Relu'),
  relu2: squaredRelu,
  relu6: clip(0, 6),
  sigmoid: one('Sigmoid'),
  silu: scaledSigmoid(1),
  swish: scaledSigmoid(1),
  tanh: one('Tanh'),
};

/** The function that the config names under `key`. Throws OnnxError for one that is not in the table. */
export function activation(g: GraphBuilder, x: string, config: ModelConfig, key: string): string {
  return namedActivation(g, x, config, key, config.text(key));
}

/** The function `name`, which a part of the value under `key` is. Throws OnnxError for one that is not in the table. */
export function namedActivation(g: GraphBuilder, x: string, config: ModelConfig, key: string, name: string): string {
  const draw = Object.hasOwn(ACTIVATIONS, name) ? ACTIVATIONS[name] : undefined;
  if (draw === undefined) throw config.refuse(key, Object.keys(ACTIVATIONS).join(', '));
  return draw(g, x);
}

/** A function that a family has whatever its config says. */
export const activated = (g: GraphBuilder, x: string, name: 'gelu' | 'gelu_pytorch_tanh' | 'relu' | 'tanh'): string =>
  ACTIVATIONS[name]!(g, x);

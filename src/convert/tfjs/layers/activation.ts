/** @file Activation functions as TF.js names them (tfjs-layers, activations.ts). */
import { float, type GraphBuilder } from '../../../onnx/builder.js';
import type { ModelConfig } from '../../config.js';

type DrawActivation = (g: GraphBuilder, x: string) => string;

const one =
  (op: string): DrawActivation =>
  (g, x) =>
    g.op(op, [x]);

const ACTIVATIONS = {
  linear: (_, x) => x,
  relu: one('Relu'),
  relu6: (g, x) => g.op('Clip', [x, g.float(0), g.float(6)]),
  elu: one('Elu'),
  selu: one('Selu'),
  sigmoid: one('Sigmoid'),
  // TF.js keeps the line of the first Keras: 0.2 x + 0.5.
  hard_sigmoid: (g, x) => g.op('HardSigmoid', [x], { alpha: float(0.2), beta: float(0.5) }),
  tanh: one('Tanh'),
  softplus: one('Softplus'),
  softsign: one('Softsign'),
  swish: (g, x) => g.mul(x, g.op('Sigmoid', [x])),
  silu: (g, x) => g.mul(x, g.op('Sigmoid', [x])),
  mish: (g, x) => g.mul(x, g.op('Tanh', [g.op('Softplus', [x])])),
  softmax: (g, x) => g.softmax(x),
  log_softmax: (g, x) => g.op('LogSoftmax', [x], { axis: -1 }),
} as const satisfies Record<string, DrawActivation>;

type ActivationName = keyof typeof ACTIVATIONS;
const NAMES = Object.keys(ACTIVATIONS) as ActivationName[];

/** The name under the key, in the spelling of Python whichever the file has: "hardSigmoid" is hard_sigmoid. Throws ModelError. */
export function activationName<T extends string>(config: ModelConfig, key: string, known: readonly T[]): T {
  const given = config.has(key) ? config.text(key) : 'linear';
  const snake = given.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const found = known.find((name) => name === snake);
  if (found === undefined) throw config.refuse(key, known.join(', '));
  return found;
}

/** The function that the configuration names; the identity where it names none. Throws ModelError. */
export const activate = (g: GraphBuilder, x: string, config: ModelConfig): string =>
  ACTIVATIONS[activationName(config, 'activation', NAMES)](g, x);

/** @file How both engines read the attributes of LSTM and GRU (onnx/docs/Operators.md). */
import { attributesOf } from '../graph/attributes.js';
import type { Node } from '../graph/model.js';
import { Unsupported } from './unsupported.js';

export type RecurrentOp = 'LSTM' | 'GRU';

/** Blocks of rows in the weights. */
export const GATES: Readonly<Record<RecurrentOp, number>> = { LSTM: 4, GRU: 3 };

const SQUASHING = ['Sigmoid', 'HardSigmoid'] as const;
const NAMES = [...SQUASHING, 'Tanh'] as const;

/** A function that sums are passed through. */
export interface RecurrentActivation {
  readonly name: (typeof NAMES)[number];
  /** HardSigmoid's: max(0, min(1, alpha z + beta)). */
  readonly alpha: number;
  readonly beta: number;
}

/** Supported activations of each operator, in their order: the gates', then the candidate's and the output's. */
const COVERED: Readonly<Record<RecurrentOp, readonly (readonly RecurrentActivation['name'][])[]>> = {
  LSTM: [SQUASHING, ['Tanh'], ['Tanh']],
  GRU: [SQUASHING, ['Tanh']],
};

/** For each direction of a layer: does it read the steps from the last to the first? */
export function readingOrders(node: Node): readonly boolean[] {
  const direction = attributesOf(node).string('direction', 'forward');
  return direction === 'bidirectional' ? [false, true] : [direction === 'reverse'];
}

/** The activations of each direction. Throws Unsupported for one we do not cover. */
export function activationsOf(node: Node): readonly (readonly RecurrentActivation[])[] {
  const { strings, floats } = attributesOf(node);
  const covered = COVERED[node.op as RecurrentOp];
  const given = strings('activations');
  // One list for all directions: each function that has parameters takes the next ones.
  const alphas = [...(floats('activation_alpha') ?? [])];
  const betas = [...(floats('activation_beta') ?? [])];
  return readingOrders(node).map((_, direction) =>
    covered.map((names, i) => {
      const requested = given === undefined ? names[0] : given[direction * covered.length + i];
      const name = names.find((known) => known.toLowerCase() === requested?.toLowerCase());
      if (name === undefined) throw new Unsupported(`activations ${(given ?? []).join(', ')}`);
      const [alpha, beta] = name === 'HardSigmoid' ? [alphas.shift(), betas.shift()] : [];
      return { name, alpha: alpha ?? 0.2, beta: beta ?? 0.5 };
    }),
  );
}

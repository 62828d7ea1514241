/** @file RMSNorm (Zhang and Sennrich 2019): numbers over their root mean square, times a weight. */
import type { Drawing } from '../drawing.js';

export interface RmsNorm {
  readonly epsilon: number;
  /** The weight is stored less 1 (Gemma). */
  readonly lessOne?: boolean;
}

/** Over the last axis, of this width, in the order that onnxruntime knows as one operator. */
export function rmsNorm(
  d: Drawing,
  x: string,
  name: string,
  width: number,
  { epsilon, lessOne = false }: RmsNorm,
): string {
  const { g } = d;
  const stored = d.weight(`${name}.weight`, [width]);
  const weight = lessOne ? d.once(`1 + ${name}`, () => g.add(stored, g.float(1))) : stored;
  const square = g.mean(g.op('Pow', [x, g.float(2)]), [-1]);
  const root = g.op('Sqrt', [g.add(square, g.float(epsilon))]);
  return g.mul(g.div(x, root), weight);
}

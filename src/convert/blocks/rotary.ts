/** @file Rotary positions (Su et al., "RoFormer", 2021): a query and a key turn by an angle that grows with their place. */
import { DataType } from '../../onnx/data-type.js';
import type { Drawing } from '../drawing.js';
import { places } from './attention.js';

/** Queries or keys [batch, heads, sequence, size], turned: the first half of a head and the second are the two coordinates. */
export function rotate(d: Drawing, x: string, size: number, theta: number): string {
  const { g } = d;
  const half = size / 2;
  const angles = d.once(`angles ${theta}`, () => {
    const at = g.unsqueeze(g.cast(places(d), DataType.float), [1]);
    const rates = Array.from({ length: half }, (_, i) =>
      Math.fround(1 / Math.fround(theta ** Math.fround((2 * i) / size))),
    );
    return g.mul(at, g.vector(rates)); // [sequence, half]
  });
  const cos = d.once(`cos ${theta}`, () => g.op('Cos', [angles]));
  const sin = d.once(`sin ${theta}`, () => g.op('Sin', [angles]));
  const [a, b] = g.split(x, [half, half], -1);
  const first = g.sub(g.mul(a, cos), g.mul(b, sin));
  const second = g.add(g.mul(b, cos), g.mul(a, sin));
  return g.concat([first, second], -1);
}

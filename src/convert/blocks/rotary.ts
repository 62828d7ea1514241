/** @file Rotary positions (Su et al., "RoFormer", 2021): a query and a key turn by an angle that grows with their place. */
import type { Drawing } from '../drawing.js';
import { places } from './attention.js';

/** Queries or keys [batch, heads, sequence, size], turned: the first half of a head and the second are the two coordinates. */
export function rotate(d: Drawing, x: string, size: number, theta: number): string {
  const { g } = d;
  const half = size / 2;
  const angles = d.once(`angles ${theta}`, () => {
    const at = g.op('Unsqueeze', [g.op('Cast', [places(d)], { attributes: { to: 1 } }), g.ints([1])]);
    const rates = Array.from({ length: half }, (_, i) =>
      Math.fround(1 / Math.fround(theta ** Math.fround((2 * i) / size))),
    );
    return g.op('Mul', [at, g.vector(rates)]); // [sequence, half]
  });
  const cos = d.once(`cos ${theta}`, () => g.op('Cos', [angles]));
  const sin = d.once(`sin ${theta}`, () => g.op('Sin', [angles]));
  const [a, b] = g.ops('Split', [x, g.ints([half, half])], { attributes: { axis: -1 }, outputs: 2 }) as [
    string,
    string,
  ];
  const first = g.op('Sub', [g.op('Mul', [a, cos]), g.op('Mul', [b, sin])]);
  const second = g.op('Add', [g.op('Mul', [b, cos]), g.op('Mul', [a, sin])]);
  return g.op('Concat', [first, second], { attributes: { axis: -1 } });
}

/** @file Rotary positions (Su et al., "RoFormer", 2021): a query and a key turn by an angle that grows with their place. */
import { DataType } from '../../graph/data-type.js';
import type { Drawing } from '../drawing.js';
import { end, places } from './attention.js';

/** The angles of a model's heads; scalings of long texts change them. */
export interface Rotation {
  /** Angle from one place to the next, for each pair of coordinates. Twice as many coordinates turn, the first of a head. */
  readonly rates: readonly number[];
  /** Factor of cosine and sine. @default 1 */
  readonly scale?: number;
  /** The rates of texts of more tokens than this. */
  readonly beyond?: { readonly tokens: number; readonly rates: readonly number[] };
  /** For texts of more tokens than this, the base grows with their number (dynamic NTK scaling). */
  readonly grows?: { readonly tokens: number; readonly factor: number; readonly base: number; readonly size: number };
}

const f32 = Math.fround;

/** Rates 1 / theta^(2i / size), rounded as the reference rounds them. */
export const plainRates = (size: number, theta: number): number[] =>
  exponents(size).map((exponent) => f32(1 / f32(f32(theta) ** exponent)));

/** The exponents of the base, one a pair of coordinates. */
export const exponents = (size: number): number[] =>
  Array.from({ length: Math.ceil(size / 2) }, (_, i) => f32((2 * i) / size));

/** Whether the rates depend on the number of tokens, so that padding and later tokens change them. */
export const readsLength = ({ beyond, grows }: Rotation): boolean => beyond !== undefined || grows !== undefined;

/** Queries or keys [batch, heads, sequence, size], turned: the first half of a head and the second are the two coordinates; those without a rate stay. */
export function turn(d: Drawing, x: string, size: number, rotation: Rotation): string {
  const { g } = d;
  const half = rotation.rates.length;
  if (half === 0) return x;
  const { cos, sin } = waves(d, rotation);
  const rest = size - 2 * half;
  const [a, b, ...still] = g.split(x, [half, half, ...(rest > 0 ? [rest] : [])], -1) as [string, string];
  const first = g.sub(g.mul(a, cos), g.mul(b, sin));
  const second = g.add(g.mul(b, cos), g.mul(a, sin));
  return g.concat([first, second, ...still], -1);
}

/**
 * Numbers that a processor computes at once. It computes those that are left over at the end of a tensor by other steps, so that the bits
 * of a cosine would depend on the number of tokens: where they must not, nothing is left over.
 */
const LANES = 16;

/** Cosines and sines of each token's angles, [sequence, pairs]. */
function waves(d: Drawing, rotation: Rotation): { readonly cos: string; readonly sin: string } {
  const { g } = d;
  const key = JSON.stringify(rotation);
  const { scale = 1 } = rotation;
  const angles = d.once(`angles ${key}`, () => {
    const at = g.unsqueeze(g.cast(places(d), DataType.float), [1]);
    return g.mul(at, ratesOf(d, rotation));
  });
  const pairs = rotation.rates.length;
  const wave = (op: string): string =>
    d.once(`${op} ${key}`, () => {
      const waves = g.op(op, [angles]);
      const plain = d.past === undefined || pairs % LANES === 0 ? waves : g.slice(waves, 1, 0, pairs);
      return scale === 1 ? plain : g.mul(plain, g.float(scale));
    });
  return { cos: wave('Cos'), sin: wave('Sin') };
}

function ratesOf(d: Drawing, { rates, beyond, grows }: Rotation): string {
  const { g } = d;
  if (beyond !== undefined) {
    const long = g.op('Greater', [end(d), g.int(beyond.tokens)]);
    return g.where(long, g.vector(beyond.rates), g.vector(rates));
  }
  if (grows === undefined && d.past === undefined) return g.vector(rates);
  if (grows === undefined) return g.vector([...rates, ...Array<number>(-rates.length & (LANES - 1)).fill(0)]);
  const { tokens, factor, base, size } = grows;
  const length = g.op('Max', [g.cast(end(d), DataType.float), g.float(tokens)]);
  const stretch = g.sub(g.div(g.mul(g.float(factor), length), g.float(tokens)), g.float(factor - 1));
  const grown = g.mul(g.float(base), g.op('Pow', [stretch, g.float(size / (size - 2))]));
  return g.op('Reciprocal', [g.op('Pow', [grown, g.vector(exponents(size))])]);
}

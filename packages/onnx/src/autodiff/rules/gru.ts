/** @file Gated recurrent unit (Cho et al. 2014; ONNX operator GRU, gates in the order z r h). */
import { attributesOf } from '../../graph/attributes.js';
import type { GradientRule } from '../tape.js';
import { type BackwardPass, biasGradient, type GradientDirection, overSteps, recurrent, scan } from './recurrent.js';

/**
 * Forward, at each step:  z r = s(W x + R h + b),  n = tanh(Wn x + bn + m),  h' = (1 - z) n + z h,  where
 *   m = r (Rn h + rbn)   with linear_before_reset (cuDNN's and PyTorch's form), else
 *   m = Rn (r h) + rbn   (the paper's).
 * Backward:  dz = dh' (h - n) z',  dn = dh' (1 - z) (1 - n^2),  and with dm = dn:
 *   dr = dm (Rn h + rbn) r',  dh = dh' z + R_zr^T [dz dr] + Rn^T (dm r),   or
 *   dr = (Rn^T dm) h r',      dh = dh' z + R_zr^T [dz dr] + (Rn^T dm) r.
 */
function back(d: GradientDirection): BackwardPass {
  const { g, at, hidden, x, w, r, before, within } = d;
  const linear = attributesOf(at.node).int('linear_before_reset', 0) === 1;
  const rows = (t: string, from: number, to: number) => g.slice(t, 0, from * hidden, to * hidden);
  const [rzr, rn] = [rows(r, 0, 2), rows(r, 2, 3)];
  const project = (t: string, weights: string, bias: string | undefined) => {
    const product = g.matmul(t, g.transpose(weights, [1, 0]));
    return bias === undefined ? product : g.add(product, bias);
  };
  const fromInput = project(x, w, d.wb); // [steps, batch, 3 hidden]
  const part = (t: string, k: number) => g.slice(t, 2, k * hidden, (k + 1) * hidden);
  const fromState = project(before, rzr, d.rb && rows(d.rb, 0, 2));
  const [z, reset] = [0, 1].map((k) => d.gate(g.add(part(fromInput, k), part(fromState, k)))) as [string, string];
  const rbn = d.rb && rows(d.rb, 2, 3);
  const candidate = project(linear ? before : g.mul(reset, before), rn, rbn); // Rn h + rbn, or Rn (r h) + rbn
  const n = g.op('Tanh', [g.add(part(fromInput, 2), linear ? g.mul(reset, candidate) : candidate)]);

  const inside = (t: string) => (within ? g.mul(t, within) : t);
  // Outside its sequence h' = h: as if z were 1.
  const carry = within ? g.add(g.mul(z, within), g.complement(within)) : z;
  const toZ = inside(g.mul(g.sub(before, n), d.gateSlope(z)));
  const toN = inside(g.mul(g.complement(z), g.complement(g.square(n))));
  const toR = g.mul(linear ? candidate : before, d.gateSlope(reset));
  const [dh0, dzr, dn, dm] = scan(
    g,
    [d.dhLast],
    [d.dh, carry, toZ, toN, toR, reset],
    { backwards: true },
    (body, [next = ''], slices) => {
      const [dy, z_, toZ_, toN_, toR_, r_] = slices as [string, string, string, string, string, string];
      const mul = (a: string, b: string) => body.mul(a, b);
      const add = (a: string, b: string) => body.add(a, b);
      const dh = add(next, dy);
      const dn_ = mul(dh, toN_);
      const reached = linear ? mul(dn_, r_) : dn_; // what reaches Rn's product
      const through = body.matmul(reached, rn);
      const dr = mul(linear ? dn_ : through, toR_);
      const gates = body.concat([mul(dh, toZ_), dr], 1);
      const direct = linear ? through : mul(through, r_);
      return { carry: [add(add(mul(dh, z_), body.matmul(gates, rzr)), direct)], keep: [gates, dn_, reached] };
    },
  ) as [string, string, string, string];

  const all = g.concat([dzr, dn], 2); // at W's products
  const state = linear ? before : g.mul(reset, before); // what Rn multiplied
  return {
    dx: g.matmul(all, w),
    dw: () => overSteps(g, all, 3 * hidden, x, g.dims(at.x)[2]!),
    dr: () => g.concat([overSteps(g, dzr, 2 * hidden, before, hidden), overSteps(g, dm, hidden, state, hidden)], 0),
    dwb: () => biasGradient(g, all),
    drb: () => g.concat([biasGradient(g, dzr), biasGradient(g, dm)], 0),
    dh0,
  };
}

export const GRU: GradientRule = recurrent('GRU', back);

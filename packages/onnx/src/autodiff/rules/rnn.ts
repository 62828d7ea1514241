/** @file The simple recurrent layer (Elman 1990; ONNX operator RNN). */
import type { GradientRule } from '../tape.js';
import { type BackwardPass, biasGradient, type GradientDirection, overSteps, recurrent, scan } from './recurrent.js';

/** Forward, at each step:  h' = f(W x + R h + b).  Backward:  dz = dh' f'(z),  dh = R^T dz. */
function back(d: GradientDirection): BackwardPass {
  const { g, at, hidden, x, w, r, h, before, within } = d;
  const slopes = within ? g.mul(d.gateSlope(h), within) : d.gateSlope(h);
  // Outside its sequence a state stays, and dh goes straight through.
  const slices = [d.dh, slopes, ...(within ? [g.complement(within)] : [])];
  const [dh0, dz] = scan(g, [d.dhLast], slices, { backwards: true }, (body, [next = ''], slice) => {
    const [dy, slope, outside] = slice as [string, string, string?];
    const dh = body.add(next, dy);
    const z = body.mul(dh, slope);
    const through = body.matmul(z, r);
    return { carry: [outside ? body.add(through, body.mul(dh, outside)) : through], keep: [z] };
  }) as [string, string];
  return {
    dx: g.matmul(dz, w),
    dw: () => overSteps(g, dz, hidden, x, g.dims(at.x)[2]!),
    dr: () => overSteps(g, dz, hidden, before, hidden),
    dwb: () => biasGradient(g, dz),
    drb: () => biasGradient(g, dz),
    dh0,
  };
}

export const RNN: GradientRule = recurrent('RNN', back);

/** @file Long short-term memory (Hochreiter and Schmidhuber 1997; ONNX operator LSTM, gates in the order i o f c). */
import { type GradientRule, Unsupported } from '../tape.js';
import {
  type BackwardPass,
  biasGradient,
  type GradientDirection,
  overSteps,
  recurrent,
  scan,
  shift,
} from './recurrent.js';

/**
 * Forward, at each step:  i o f = s(W x + R h + b), u = tanh(...),  c' = f c + i u,  h' = o tanh c'.
 * Backward:  dc' += dh' o (1 - tanh^2 c'),  di = dc' u,  do = dh' tanh c',  df = dc' c,  du = dc' i,  dc = dc' f,  dh = R^T dz,
 * where dz are di, do, df, du times the slopes of their activations.
 */
function back(d: GradientDirection): BackwardPass {
  const { g, at, hidden, x, w, r, before, zero, within } = d;
  const c0 = at.inputs[6] ? g.at(at.inputs[6], 0, d.index) : zero;
  let sums = g.add(g.matmul(x, g.transpose(w, [1, 0])), g.matmul(before, g.transpose(r, [1, 0])));
  if (d.wb && d.rb) sums = g.add(sums, g.add(d.wb, d.rb)); // [steps, batch, 4 hidden]
  const part = (k: number) => g.slice(sums, 2, k * hidden, (k + 1) * hidden);
  const [i, o, f] = [0, 1, 2].map((k) => d.gate(part(k))) as [string, string, string];
  const u = g.op('Tanh', [part(3)]);
  // Outside its sequence a cell keeps what it has: f = 1, i u = 0, and dh goes straight through.
  const keep = within ? g.add(g.mul(f, within), g.complement(within)) : f;
  const put = within ? g.mul(g.mul(i, u), within) : g.mul(i, u);
  const [, cells] = scan(g, [c0], [keep, put], { backwards: false }, (body, [c = ''], [f_ = '', iu = '']) => {
    const next = body.add(body.mul(c, f_), iu);
    return { carry: [next], keep: [next] };
  }) as [string, string];
  const t = g.op('Tanh', [cells]);
  const flat = (y: string) => g.complement(g.square(y)); // the slope of tanh, given its value
  // dz = [dc', dh', dc', dc'] times these:
  const slopes = g.concat(
    [g.mul(u, d.gateSlope(i)), g.mul(t, d.gateSlope(o)), g.mul(shift(g, cells, c0), d.gateSlope(f)), g.mul(i, flat(u))],
    2,
  );
  const inner = within ? g.mul(slopes, within) : slopes;
  const outer = g.mul(o, flat(t));
  const throughTanh = within ? g.mul(outer, within) : outer;
  const dhLast = d.dhLast;
  const dcLast = at.dys[2] === undefined ? zero : g.at(at.dys[2], 0, d.index);
  const slices = [d.dh, throughTanh, inner, keep, ...(within ? [g.complement(within)] : [])];
  const [dh0, dc0, dz] = scan(
    g,
    [dhLast, dcLast],
    slices,
    { backwards: true },
    (body, [dhNext = '', dcNext = ''], slice) => {
      const [dy, tanhSlope, gateSlopes, forget, outside] = slice as [string, string, string, string, string?];
      const dh = body.add(dhNext, dy);
      const dc = body.add(body.mul(dh, tanhSlope), dcNext);
      const z = body.mul(body.concat([dc, dh, dc, dc], 1), gateSlopes);
      const through = body.matmul(z, r);
      const dhBefore = outside ? body.add(through, body.mul(dh, outside)) : through;
      return { carry: [dhBefore, body.mul(dc, forget)], keep: [z] };
    },
  ) as [string, string, string];
  return {
    dx: g.matmul(dz, w),
    dw: () => overSteps(g, dz, 4 * hidden, x, g.dims(at.x)[2]!),
    dr: () => overSteps(g, dz, 4 * hidden, before, hidden),
    dwb: () => biasGradient(g, dz),
    drb: () => biasGradient(g, dz),
    dh0,
    dc0,
  };
}

export const LSTM: GradientRule = (at) => {
  if (at.inputs[7]) throw new Unsupported('peepholes');
  return recurrent('LSTM', back)(at);
};

/**
 * @file LSTM and GRU. Their gates are recomputed for all steps at once from the outputs that the runtime kept. Only
 * the recurrence itself runs step by step, in a Scan. Tensors are [steps, batch, ...], in the order in which the direction reads them.
 */
import { attributesOf } from '../../graph/attributes.js';
import { float, GraphBuilder, graph } from '../../graph/builder.js';
import { DataType } from '../../graph/data-type.js';
import { activationsOf, GATES, type RecurrentActivation, type RecurrentOp, readingOrders } from '../recurrent.js';
import { type GradientRule, type NodeGradient, type Tape, Unsupported } from '../tape.js';

/** Index of the first step counted from behind, and the end of a reversed slice. */
const REVERSED = -(2 ** 31);

/** One direction of a recurrent layer. */
interface GradientDirection {
  readonly at: NodeGradient;
  readonly g: Tape;
  readonly index: number;
  readonly hidden: number;
  /** Inputs in reading order, [steps, batch, inputs]. */
  readonly x: string;
  /** This direction's weights, [gates * hidden, inputs], and recurrent weights, [gates * hidden, hidden]. */
  readonly w: string;
  readonly r: string;
  /** Input and recurrent bias, [gates * hidden] each. */
  readonly wb: string | undefined;
  readonly rb: string | undefined;
  /** Hidden states in reading order, and those before each step, [steps, batch, hidden]. */
  readonly h: string;
  readonly before: string;
  /** 1 where a step is within its sequence, [steps, batch, 1]; undefined where all are. */
  readonly within: string | undefined;
  /** The first hidden state, and zeros of its shape, [batch, hidden]. */
  readonly h0: string;
  readonly zero: string;
  /** d(loss)/dh of every step, and of the last. */
  readonly dh: string;
  readonly dhLast: string;
  readonly gate: (activations: string) => string;
  /** s'(z) given s(z). */
  readonly gateSlope: (gate: string) => string;
}

/** Gradients of one direction; `z` is the gradient at the gates' sums, [steps, batch, gates * hidden]. */
interface BackwardPass {
  readonly dx: string;
  readonly dw: () => string;
  readonly dr: () => string;
  readonly dwb: () => string;
  readonly drb: () => string;
  readonly dh0: string;
  /** LSTM only: d(loss)/d(first cell state). */
  readonly dc0?: string;
}

/** A rule made of one direction's backward pass. Inputs: x, w, r, b, lengths, h0, c0 (LSTM), as ONNX orders them. */
const recurrent =
  (op: RecurrentOp, back: (direction: GradientDirection) => BackwardPass): GradientRule =>
  (at) => {
    const { g, node } = at;
    const reversed = readingOrders(node);
    const activations = activationsOf(node);
    // Written at the first gradient asked for, then shared by the others.
    let written: BackwardPass[] | undefined;
    const backs = () => {
      written ??= reversed.map((reverse, i) => {
        const result = back(directionOf(at, GATES[op], i, reverse, activations[i] as RecurrentActivation[]));
        return reverse ? { ...result, dx: flip(g, result.dx) } : result;
      });
      return written;
    };
    const stack = (part: (back: BackwardPass) => string) =>
      g.concat(
        backs().map((b) => g.unsqueeze(part(b), [0])),
        0,
      );
    return [
      () =>
        backs()
          .map((b) => b.dx)
          .reduce((a, b) => g.add(a, b)),
      () => stack((b) => b.dw()),
      () => stack((b) => b.dr()),
      () => stack((b) => g.concat([b.dwb(), b.drb()], 0)),
      undefined,
      () => stack((b) => b.dh0),
      () => stack((b) => b.dc0!),
    ];
  };

/** The steps in the other order. */
const flip = (g: Tape, x: string): string => g.slice(x, 0, -1, REVERSED, -1);

function directionOf(
  at: NodeGradient,
  gates: number,
  index: number,
  reverse: boolean,
  activations: readonly RecurrentActivation[],
): GradientDirection {
  const { g, node, inputs, dys } = at;
  const [x, w, r, b, lengths, h0] = inputs as [string, string, string, string?, string?, string?];
  const hidden = g.dims(r)[2]!;
  const read = (t: string) => (reverse ? flip(g, t) : t);
  const one = (t: string) => g.at(t, 0, index);
  const states = read(g.at(g.extraOutput(node, 0), 1, index)); // [steps, batch, hidden]
  const zero = g.scale(g.at(states, 0, 0), 0);
  const first = h0 ? one(h0) : zero;
  let within: string | undefined;
  if (lengths) {
    const steps = g.op('Range', [g.int(0), g.squeeze(g.size(x, 0), [0]), g.int(1)]);
    const limit = g.cast(lengths, DataType.int64);
    const inside = g.op('Less', [g.unsqueeze(steps, [1]), g.unsqueeze(limit, [0])]); // [steps, batch]
    within = g.unsqueeze(read(g.indicator(inside)), [2]);
  }
  // Outside a sequence the runtime writes zeros; read backwards, those stand before the first step and mean the first state.
  const h = within && h0 ? g.add(g.mul(states, within), g.mul(first, g.complement(within))) : states;
  const dhAll = dys[0] === undefined ? g.scale(h, 0) : read(g.at(dys[0], 1, index));
  const gate = activations[0]!;
  return {
    at,
    g,
    index,
    hidden,
    x: read(x),
    w: one(w),
    r: one(r),
    wb: b ? g.slice(one(b), 0, 0, gates * hidden) : undefined,
    rb: b ? g.slice(one(b), 0, gates * hidden, 2 * gates * hidden) : undefined,
    h,
    before: shift(g, h, first),
    within,
    h0: first,
    zero,
    dh: within ? g.mul(dhAll, within) : dhAll,
    dhLast: dys[1] === undefined ? zero : one(dys[1]),
    gate: (z) =>
      gate.name === 'HardSigmoid'
        ? g.op('HardSigmoid', [z], { alpha: float(gate.alpha), beta: float(gate.beta) })
        : g.op(gate.name, [z]),
    gateSlope: (s) => slope(g, gate, s),
  };
}

/** f'(z) given y = f(z). */
function slope(g: Tape, { name, alpha }: RecurrentActivation, y: string): string {
  if (name === 'HardSigmoid') return g.hardSigmoidSlope(y, alpha);
  return name === 'Sigmoid' ? g.mul(y, g.complement(y)) : g.complement(g.square(y)); // Tanh
}

/** The value before each step: `first`, then all but the last. */
const shift = (g: Tape, values: string, first: string): string =>
  g.concat([g.unsqueeze(first, [0]), g.slice(values, 0, 0, -1)], 0);

/** a^T b over all steps and batch items: [steps, batch, m], [steps, batch, n] -> [m, n]. */
function overSteps(g: Tape, a: string, m: number, b: string, n: number): string {
  return g.op('Gemm', [g.reshape(a, [-1, m]), g.reshape(b, [-1, n])], { transA: 1 });
}

const biasGradient = (g: Tape, z: string): string => g.sum(z, [0, 1], false);

/**
 * A loop over steps. `step` gets a builder of the body, the carried values and this step's slices, and returns the carried
 * values and what is kept of each step. Returns the last carried values, then the kept ones stacked, in the order of steps.
 */
function scan(
  g: Tape,
  carried: readonly string[],
  sliced: readonly string[],
  { backwards }: { readonly backwards: boolean },
  step: (
    body: GraphBuilder,
    carried: readonly string[],
    slices: readonly string[],
  ) => { carry: string[]; keep: string[] },
): string[] {
  const prefix = `scan ${[...carried, ...sliced].join(' ')}/`;
  const body = new GraphBuilder({ opset: g.opset, prefix });
  const state = carried.map((_, i) => body.input(`${prefix}state${i}`, DataType.float, [null, null]));
  const slices = sliced.map((_, i) => body.input(`${prefix}slice${i}`, DataType.float, [null, null]));
  const { carry, keep } = step(body, state, slices);
  // An output must be made in the body, and once: pass each through a name of its own.
  for (const name of [...carry, ...keep]) body.output(body.op('Identity', [name]), DataType.float, [null, null]);
  const direction = backwards ? 1 : 0;
  return g.ops('Scan', [...carried, ...sliced], carry.length + keep.length, {
    body: graph(body.graph()),
    num_scan_inputs: sliced.length,
    scan_input_directions: sliced.map(() => direction),
    scan_output_directions: keep.map(() => direction),
  });
}

// Gated recurrent unit (Cho et al. 2014; ONNX operator GRU, gates in the order z r h).

/**
 * Forward, at each step:  z r = s(W x + R h + b),  n = tanh(Wn x + bn + m),  h' = (1 - z) n + z h,  where
 *   m = r (Rn h + rbn)   with linear_before_reset (cuDNN's and PyTorch's form), else
 *   m = Rn (r h) + rbn   (the paper's).
 * Backward:  dz = dh' (h - n) z',  dn = dh' (1 - z) (1 - n^2),  and with dm = dn:
 *   dr = dm (Rn h + rbn) r',  dh = dh' z + R_zr^T [dz dr] + Rn^T (dm r),   or
 *   dr = (Rn^T dm) h r',      dh = dh' z + R_zr^T [dz dr] + (Rn^T dm) r.
 */
function backGru(d: GradientDirection): BackwardPass {
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

export const GRU: GradientRule = recurrent('GRU', backGru);

// Long short-term memory (Hochreiter and Schmidhuber 1997; ONNX operator LSTM, gates in the order i o f c).

/**
 * Forward, at each step:  i o f = s(W x + R h + b), u = tanh(...),  c' = f c + i u,  h' = o tanh c'.
 * Backward:  dc' += dh' o (1 - tanh^2 c'),  di = dc' u,  do = dh' tanh c',  df = dc' c,  du = dc' i,  dc = dc' f,  dh = R^T dz,
 * where dz are di, do, df, du times the slopes of their activations.
 */
function backLstm(d: GradientDirection): BackwardPass {
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
  return recurrent('LSTM', backLstm)(at);
};

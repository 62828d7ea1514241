/**
 * @file Shared parts of LSTM, GRU and RNN. Their gates are recomputed for all steps at once from the outputs that the runtime kept. Only
 * the recurrence itself runs step by step, in a Scan. Tensors are [steps, batch, ...], in the order in which the direction reads them.
 */
import { must } from '../../errors.js';
import { float, GraphBuilder, graph } from '../../graph/builder.js';
import { DataType } from '../../graph/data-type.js';
import { activationsOf, GATES, type RecurrentActivation, type RecurrentOp, readingOrders } from '../recurrent.js';
import type { GradientRule, NodeGradient, Tape } from '../tape.js';

/** Index of the first step counted from behind, and the end of a reversed slice. */
const REVERSED = -(2 ** 31);

/** One direction of a recurrent layer. */
export interface GradientDirection {
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
  /** s'(z) given s(z). A simple RNN's only gate is its new state. */
  readonly gateSlope: (gate: string) => string;
}

/** Gradients of one direction; `z` is the gradient at the gates' sums, [steps, batch, gates * hidden]. */
export interface BackwardPass {
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
export const recurrent =
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
      () => stack((b) => must(b.dc0)),
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
  const hidden = must(g.dims(r)[2]);
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
  const gate = must(activations[0]);
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
  if (name === 'Sigmoid') return g.mul(y, g.complement(y));
  return name === 'Tanh' ? g.complement(g.square(y)) : g.op('Sign', [y]); // Relu
}

/** The value before each step: `first`, then all but the last. */
export const shift = (g: Tape, values: string, first: string): string =>
  g.concat([g.unsqueeze(first, [0]), g.slice(values, 0, 0, -1)], 0);

/** a^T b over all steps and batch items: [steps, batch, m], [steps, batch, n] -> [m, n]. */
export function overSteps(g: Tape, a: string, m: number, b: string, n: number): string {
  return g.op('Gemm', [g.reshape(a, [-1, m]), g.reshape(b, [-1, n])], { transA: 1 });
}

export const biasGradient = (g: Tape, z: string): string => g.sum(z, [0, 1], false);

/**
 * A loop over steps. `step` gets a builder of the body, the carried values and this step's slices, and returns the carried
 * values and what is kept of each step. Returns the last carried values, then the kept ones stacked, in the order of steps.
 */
export function scan(
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

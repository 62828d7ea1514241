/** @file Recurrent layers, step by step: x [steps, batch, inputs], w [directions, gates * hidden, inputs], r likewise of the state. */
import type { Tensor } from '@tensorflow/tfjs-core';
import {
  activationsOf,
  GATES,
  type RecurrentActivation,
  type RecurrentOp,
  readingOrders,
} from '../../../../packages/onnx/src/autodiff/recurrent.js';
import { Unsupported } from '../../../../packages/onnx/src/autodiff/unsupported.js';
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import type { HostArray } from '../host.js';
import { hardSigmoid } from './activation.js';
import { type Call, type KernelContext, type Ops, range } from './kernel-context.js';

/** One direction's weights. Missing biases are zeros. */
interface LayerDirection {
  readonly k: KernelContext;
  readonly call: Call;
  readonly hidden: number;
  /** [gates * hidden, hidden] */
  readonly r: Tensor;
  /** [gates * hidden] */
  readonly rb: Tensor;
  readonly activations: readonly RecurrentActivation[];
}

/** The next hidden and cell state, given W x + b [batch, gates * hidden] of one step. */
type Cell = (at: LayerDirection, fromInput: Tensor, hidden: Tensor, cell: Tensor) => readonly [Tensor, Tensor];

const activate = ({ k }: LayerDirection, { name, alpha, beta }: RecurrentActivation, z: Tensor): Tensor => {
  if (name === 'HardSigmoid') return hardSigmoid(k, z, alpha, beta);
  return { Sigmoid: k.tf.sigmoid, Tanh: k.tf.tanh }[name](z);
};

/** R h + b of the gates from..to: [batch, (to - from) * hidden]. */
function fromState({ k, hidden, r, rb }: LayerDirection, h: Tensor, from: number, to: number): Tensor {
  const rows = k.slice(r, 0, from * hidden, to * hidden);
  return k.tf.add(k.tf.matMul(h as never, k.tf.transpose(rows) as never), k.slice(rb, 0, from * hidden, to * hidden));
}

const part = ({ k, hidden }: LayerDirection, sums: Tensor, gate: number): Tensor =>
  k.slice(sums, 1, gate * hidden, (gate + 1) * hidden);

/** Gates in the order i o f c. */
const lstm: Cell = (at, fromInput, h, c) => {
  const { tf } = at.k;
  const [gate, squash, output] = at.activations as [RecurrentActivation, RecurrentActivation, RecurrentActivation];
  const sums = tf.add(fromInput, fromState(at, h, 0, 4));
  const [i, o, f] = range(3).map((n) => activate(at, gate, part(at, sums, n))) as [Tensor, Tensor, Tensor];
  const next = tf.add(tf.mul(f, c), tf.mul(i, activate(at, squash, part(at, sums, 3))));
  return [tf.mul(o, activate(at, output, next)), next];
};

/** Gates in the order z r h. */
const gru: Cell = (at, fromInput, h, c) => {
  const { tf } = at.k;
  const [gate, squash] = at.activations as [RecurrentActivation, RecurrentActivation];
  const sums = tf.add(at.k.slice(fromInput, 1, 0, 2 * at.hidden), fromState(at, h, 0, 2));
  const [z, reset] = range(2).map((n) => activate(at, gate, part(at, sums, n))) as [Tensor, Tensor];
  const linear = attributesOf(at.call.node).int('linear_before_reset', 0) !== 0;
  const state = linear ? tf.mul(reset, fromState(at, h, 2, 3)) : fromState(at, tf.mul(reset, h), 2, 3);
  const n = activate(at, squash, tf.add(part(at, fromInput, 2), state));
  return [tf.add(tf.mul(tf.sub(1, z), n), tf.mul(z, h)), c];
};

/** Whether a step is inside each text's sequence, for all units of its state. */
const insideOf = (lengths: readonly number[], step: number, hidden: number): HostArray => ({
  dims: [lengths.length, hidden],
  data: lengths.flatMap((length) => new Array<number>(hidden).fill(Number(step < length))),
});

export const recurrent = (k: KernelContext) => {
  const { tf } = k;
  const layer = (cell: Cell) => (call: Call) => {
    const { node, inputs } = call;
    const [x, w, r] = inputs.slice(0, 3).map((value) => k.up(value)) as [Tensor, Tensor, Tensor];
    if (inputs[7] !== undefined) throw new Unsupported('peepholes');
    const [steps, batch] = x.shape as [number, number];
    const hidden = r.shape[2]!;
    const wide = GATES[node.op as RecurrentOp] * hidden;
    const lengths = inputs[4] === undefined ? undefined : k.integers(inputs[4]).data;
    const activations = activationsOf(node);
    const one = (value: Tensor, direction: number) =>
      tf.reshape(k.slice(value, 0, direction, direction + 1), value.shape.slice(1));
    const directions = readingOrders(node).map((reverse, d) => {
      const bias = inputs[3] === undefined ? tf.zeros([2 * wide]) : one(k.up(inputs[3]), d);
      const at = {
        k,
        call,
        hidden,
        r: one(r, d),
        rb: k.slice(bias, 0, wide, 2 * wide),
        activations: activations[d] ?? [],
      };
      const fromInput = tf.add(k.matMul(x, tf.transpose(one(w, d))), k.slice(bias, 0, 0, wide));
      const first = (i: number) => (inputs[i] === undefined ? tf.zeros([batch, hidden]) : one(k.up(inputs[i]), d));
      let [h, c] = [first(5), first(6)];
      const states: Tensor[] = [];
      for (const step of reverse ? range(steps).reverse() : range(steps)) {
        const [nextH, nextC] = cell(at, one(fromInput, step), h, c);
        // Outside its sequence a state stays as it is, and zeros are given out.
        const keep = (next: Tensor, otherwise: Tensor) =>
          lengths ? k.choose(insideOf(lengths, step, hidden), next, otherwise) : next;
        [h, c] = [keep(nextH, h), keep(nextC, c)];
        states[step] = keep(h, tf.zeros([batch, hidden]));
      }
      return [k.stack(states, 0), h, c] as const; // [steps, batch, hidden]
    });
    const join = (output: 0 | 1 | 2, axis: number) =>
      k.stack(
        directions.map((direction) => direction[output]),
        axis,
      );
    const outputs = [join(0, 1), join(1, 0)];
    return node.op === 'LSTM' ? [...outputs, join(2, 0)] : outputs;
  };
  return { LSTM: layer(lstm), GRU: layer(gru) } satisfies Ops;
};

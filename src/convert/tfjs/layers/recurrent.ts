/**
 * @file LSTM, GRU and Bidirectional. Keras steps over padding with its state unchanged, wherever the padding stands; ONNX only
 * leaves out the last steps. So the words of each text are moved to its front, stepped over, and the answers moved back.
 */

import { DataType } from '../../../onnx/data-type.js';
import { transpose } from '../../../onnx/transposed.js';
import { ModelConfig } from '../../config.js';
import { type LayerCall, type LayerKind, type LayerValue, refuseUnknown, shared, widthOf } from '../layer.js';
import { WITH_TF2ONNX } from '../refusal.js';
import { activationName } from './activation.js';

const KEYS = [
  ['units', 'activation', 'recurrent_activation', 'use_bias', 'unit_forget_bias', 'dropout', 'recurrent_dropout'],
  ['implementation', 'return_sequences', 'return_state', 'go_backwards', 'stateful', 'unroll', 'time_major'],
  ['reset_after', 'cell', 'num_constants', 'seed', 'use_cudnn', 'zero_output_for_mask'],
].flat();

const FUNCTIONS = { tanh: 'Tanh', sigmoid: 'Sigmoid', relu: 'Relu', hard_sigmoid: 'HardSigmoid' } as const;
const FUNCTION_NAMES = Object.keys(FUNCTIONS) as (keyof typeof FUNCTIONS)[];

/** For each gate, in the order of ONNX, its place in the order of Keras: i o f c from i f c o; z r h both. */
const GATES = { LSTM: [0, 3, 1, 2], GRU: [0, 1, 2] } as const;
type CellKind = keyof typeof GATES;

/** The columns [rows, gates x units] of Keras as rows of ONNX, [gates x units, rows], in the order of its gates. */
function gateRows(values: Float32Array, cell: CellKind, rows: number, units: number): Float32Array {
  const gates = GATES[cell];
  const turned = transpose(values, rows, gates.length * units);
  const size = units * rows;
  const ordered = new Float32Array(values.length);
  for (const [at, gate] of gates.entries()) ordered.set(turned.subarray(gate * size, (gate + 1) * size), at * size);
  return ordered;
}

/** The words of each text in front, how many they are, and how many stand before each step. */
interface Packed {
  /** [texts, steps, features] */
  readonly x: string;
  /** [texts], int32 */
  readonly lengths: string;
  /** [texts, steps], int64: words up to the step, itself included. */
  readonly counts: string;
  /** [texts, steps], int64: 1 for words. */
  readonly words: string;
}

function pack({ g }: LayerCall, x: LayerValue, mask: string): Packed {
  const words = g.cast(mask, DataType.int64);
  const counts = g.op('CumSum', [words, g.int(1)]);
  const shape = g.shape(words);
  const ones = g.expand(g.int(1), shape);
  const places = g.sub(g.op('CumSum', [ones, g.int(1)]), g.int(1));
  const steps = g.gather(shape, g.ints([1]));
  // Words by their place; padding behind all of them.
  const order = g.where(mask, places, g.add(places, steps));
  const [, taken] = g.ops('TopK', [order, steps], 2, { axis: 1, largest: 0 }) as [string, string];
  const total = g.sum(words, [1], false);
  const lengths = g.cast(total, DataType.int32);
  return { x: rowsAt({ g }, x.name, taken), lengths, counts, words };
}

/** The rows [texts, steps, features] of x at places [texts, steps]. */
function rowsAt({ g }: Pick<LayerCall, 'g'>, x: string, places: string): string {
  const features = g.gather(g.shape(x), g.ints([2]));
  const index = g.unsqueeze(places, [2]);
  const shape = g.concat([g.shape(places), features], 0);
  return g.op('GatherElements', [x, g.expand(index, shape)], { axis: 1 });
}

/** The answers of packed steps where the steps stood. At padding that of the word stepped over last, or 0 before the first. */
function unpack({ g }: LayerCall, answers: string, { counts, words }: Packed, backwards: boolean): string {
  // One step of zeros before the first, which is looked up where no word was yet; behind the last where time runs backwards.
  const zeros = { pads: g.ints(backwards ? [0, 0, 0, 0, 1, 0] : [0, 1, 0, 0, 0, 0]) };
  const padded = g.op('Pad', [answers, zeros.pads]);
  return rowsAt({ g }, padded, backwards ? g.sub(counts, words) : counts);
}

interface Direction {
  readonly cell: CellKind;
  readonly backwards: boolean;
  readonly sequences: boolean;
  /** The part of the weights, where a layer has two directions. */
  readonly part?: string;
}

/** One direction: the answers of all steps in the order of time, or the last one. */
function run(call: LayerCall, x: LayerValue, { cell, backwards, sequences, part }: Direction): string {
  const { g, config } = call;
  for (const key of ['return_state', 'stateful', 'time_major', 'zero_output_for_mask']) config.only(key, false);
  const [inputs, units] = [widthOf(call, x), config.size('units')];
  const all = GATES[cell].length * units;
  const named = (leaf: string) => (part === undefined ? leaf : `${part}/${leaf}`);
  const matrix = (leaf: string, rows: number) => {
    const values = gateRows(call.weight(leaf, [rows, all], part), cell, rows, units);
    return shared(call, named(leaf), [1, all, rows], values);
  };
  const parts = [matrix('kernel', inputs), matrix('recurrent_kernel', units)];
  const after = cell === 'GRU' && config.flag('reset_after', false);
  if (config.flag('use_bias', true)) {
    const both = new Float32Array(2 * all);
    const stored = call.weight('bias', after ? [2, all] : [all], part);
    for (let at = 0; at < stored.length; at += all)
      both.set(gateRows(stored.subarray(at, at + all), cell, 1, units), at);
    parts.push(shared(call, named('bias'), [1, 2 * all], both));
  } else parts.push('');
  const name = (key: string) => FUNCTIONS[activationName(config, key, FUNCTION_NAMES)];
  const [gate, output] = [name('recurrent_activation'), name('activation')];
  const packed = x.mask === undefined ? undefined : pack(call, x, x.mask);
  const steps = g.transpose(packed?.x ?? x.name, [1, 0, 2]);
  const [answers, last] = g.ops(cell, [steps, ...parts, packed?.lengths ?? ''], 2, {
    hidden_size: units,
    direction: backwards ? 'reverse' : 'forward',
    activations: { kind: 'strings', value: cell === 'LSTM' ? [gate, output, output] : [gate, output] },
    ...(cell === 'GRU' && { linear_before_reset: after ? 1 : 0 }),
  }) as [string, string];
  if (!sequences) return g.squeeze(last, [0]);
  const ordered = g.transpose(g.squeeze(answers, [1]), [1, 0, 2]);
  return packed === undefined ? ordered : unpack(call, ordered, packed, backwards);
}

function checkSteps({ config }: LayerCall, { shape }: LayerValue): void {
  if (shape.length !== 3) throw config.refuse('name', 'an input [texts, steps, features]');
}

const recurrent = (cell: CellKind): LayerKind => ({
  keys: KEYS,
  draw(call, [x]) {
    checkSteps(call, x);
    const { g, config } = call;
    const [backwards, sequences] = [config.flag('go_backwards', false), config.flag('return_sequences', false)];
    if (backwards && sequences && x.mask !== undefined)
      throw config.refuse('go_backwards', 'false where a mask comes in');
    const answers = run(call, x, { cell, backwards, sequences });
    const units = config.size('units');
    if (!sequences) return { name: answers, shape: [null, units] };
    // Keras gives the answers in the order in which they were made.
    const name = backwards ? g.slice(answers, 1, -1, -(2 ** 31), -1) : answers;
    return { name, shape: [null, x.shape[1] ?? null, units], mask: x.mask };
  },
});

const bidirectional: LayerKind = {
  keys: ['layer', 'merge_mode', 'backward_layer'],
  draw(call, [x]) {
    checkSteps(call, x);
    const { g, config } = call;
    config.only('backward_layer');
    const layer = config.object('layer') ?? {};
    const outer = new ModelConfig(layer, `${config.path}, its layer`, {}, WITH_TF2ONNX);
    const cell = outer.choice('class_name', ['LSTM', 'GRU']);
    const inner = new ModelConfig(outer.object('config') ?? {}, `${config.path}, its ${cell}`, {}, WITH_TF2ONNX);
    refuseUnknown(inner, KEYS);
    inner.only('go_backwards', false);
    const sequences = inner.flag('return_sequences', false);
    const merge = config.choice('merge_mode', ['concat', 'sum', 'mul', 'ave']);
    const each = { ...call, config: inner };
    const [there, back] = [
      run(each, x, { cell, sequences, backwards: false, part: 'forward' }),
      run(each, x, { cell, sequences, backwards: true, part: 'backward' }),
    ];
    const units = inner.size('units');
    const steps = sequences ? [x.shape[1] ?? null] : [];
    const shape = [null, ...steps, merge === 'concat' ? 2 * units : units];
    const joined =
      merge === 'concat' ? g.concat([there, back], -1) : g.op(merge === 'mul' ? 'Mul' : 'Add', [there, back]);
    const name = merge === 'ave' ? g.mul(joined, g.float(0.5)) : joined;
    return { name, shape, mask: sequences ? x.mask : undefined };
  },
};

export const RECURRENT: Readonly<Record<string, LayerKind>> = {
  LSTM: recurrent('LSTM'),
  GRU: recurrent('GRU'),
  Bidirectional: bidirectional,
};

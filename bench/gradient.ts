/**
 * @file Measures the cost of gradients: the gradient to the embeddings and to all weights over the forward pass, and the forward pass over
 * the machine's own matrix product. Aims: at most 2.1 and 3.3; at least 90 % on the DistilBERT-base shape. The forward pass is that of the
 * graph as exported, all rows of the last block included; gradients are taken as the tool takes them (row-pruning.ts).
 *
 *     npm run bench dist/bench/gradient.js [-- small|base] [-- tfjs]
 *
 * One thread; runs of all kinds alternate; processor time, not wall time, because other work may share the cores; medians.
 */

import { GraphBuilder } from '../packages/onnx/src/graph/builder.js';
import { DataType } from '../packages/onnx/src/graph/data-type.js';
import type { Model } from '../packages/onnx/src/graph/model.js';
import { readModel } from '../packages/onnx/src/graph/read.js';
import type { Feed } from '../packages/onnx/src/graph/tensor.js';
import { tfjsEngine } from '../src/gradient/tfjs/engine.js';
import type { Engine, Runner } from '../src/gradient/white-box/engine.js';
import { fromEmbeddings, lookupOf } from '../src/gradient/white-box/lookup.js';
import { appendLoss, TARGET } from '../src/gradient/white-box/loss.js';
import { onnxEngine } from '../src/gradient/white-box/onnx-engine.js';
import { withPrunedRows } from '../src/model/graph/row-pruning.js';
import { DISTILBERT_BASE, type EncoderShape, encoder, forwardFlops, SMALL } from './models.js';

const SEQUENCE = 32;
/** Side of the square matrices that show what the machine can do. */
const SIDE = 1024;

interface Measured {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  readonly times: number[];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Milliseconds of processor time. */
async function cost(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function alternate(kinds: readonly Measured[], rounds: number): Promise<Map<string, number>> {
  for (let round = -2; round < rounds; round++) {
    for (const { run, times } of kinds) {
      const time = await cost(run);
      if (round >= 0) times.push(time);
    }
  }
  return new Map(kinds.map(({ name, times }) => [name, median(times)]));
}

const ints = (dims: readonly number[], value: (at: number) => number): Feed => ({
  type: DataType.int64,
  dims,
  data: BigInt64Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, at) => BigInt(value(at))),
});
const floats = (dims: readonly number[], value: (at: number) => number): Feed => ({
  type: DataType.float,
  dims,
  data: Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, at) => value(at)),
});

/** The trained weights of a model: all float matrices and vectors but the embedding table, whose rows stand for it. */
const weightsOf = ({ graph }: Model, table: string): string[] =>
  Array.from(graph.initializers.values())
    .filter(({ name, type, size }) => type === DataType.float && size > 1 && name !== table)
    .map(({ name }) => name);

async function measure(
  name: string,
  shape: EncoderShape,
  batch: number,
  rounds: number,
  engine: Engine,
): Promise<void> {
  const exported = readModel(encoder(shape));
  const model = withPrunedRows(exported) ?? exported;
  const lookup = lookupOf(model.graph, 'input_ids');
  const rule = { activation: 'softmax', normalise: false, width: shape.labels } as const;
  const whole = appendLoss(model, 'logits', rule);
  const cut = appendLoss(fromEmbeddings(model, lookup, 'batch', 'sequence'), 'logits', rule);
  const weights = weightsOf(model, lookup.table.name);
  const feeds = new Map<string, Feed>([
    ['input_ids', ints([batch, SEQUENCE], (at) => (at * 7) % shape.vocabulary)],
    ['attention_mask', ints([batch, SEQUENCE], () => 1)],
    [lookup.rows, floats([batch, SEQUENCE, shape.dim], (at) => Math.sin(at))],
    [TARGET, floats([batch, shape.labels], (at) => Number(at % shape.labels === 0))],
  ]);
  const fed = new Map(feeds);
  for (const weight of weights) {
    const { dims, data } = model.graph.initializers.get(weight)!;
    fed.set(weight, { type: DataType.float, dims, data });
  }
  const g = new GraphBuilder();
  const square = floats([SIDE, SIDE], Math.sin);
  const b = g.initializer('b', square.dims, square.data);
  g.output(g.ops('MatMul', [g.input('a', DataType.float, square.dims), b], ['c'])[0]!);

  const open = async (what: string, runner: Promise<Runner>, given: ReadonlyMap<string, Feed>): Promise<Measured> => {
    const opened = await runner;
    return { name: what, run: () => opened.run(given), times: [] };
  };
  const { losses } = cut;
  const wrt = [lookup.rows, ...weights];
  const times = await alternate(
    [
      await open('product', onnxEngine().forward(g.model(), ['c']), new Map([['a', square]])),
      await open('forward', engine.forward(exported, ['logits']), feeds),
      await open('pruned', engine.forward(model, ['logits']), feeds),
      await open('input', engine.backward(cut.model, ['logits'], [], losses, [lookup.rows]), feeds),
      await open('weights', engine.backward(whole.model, ['logits'], weights, whole.losses, wrt), fed),
    ],
    rounds,
  );
  const forward = times.get('forward')!;
  const rate = forwardFlops(shape, batch, SEQUENCE) / forward;
  const machine = (2 * SIDE ** 3) / times.get('product')!;
  const ratio = (kind: string) => (times.get(kind)! / forward).toFixed(2);
  console.log(
    `${name}, batch ${batch}, ${SEQUENCE} tokens, ${engine.name}: forward ${forward.toFixed(1)} ms, ` +
      `${((100 * rate) / machine).toFixed(0)} % of the machine's matrix product (${(machine / 1e6).toFixed(0)} GFLOP/s); ` +
      `gradient to embeddings ${ratio('input')}x, to all weights ${ratio('weights')}x, pruned forward pass ${ratio('pruned')}x`,
  );
}

const wanted = process.argv.slice(2);
const all = !wanted.includes('small') && !wanted.includes('base');
if (all || wanted.includes('small')) await measure('4x256', SMALL, 16, 21, onnxEngine());
if (all || wanted.includes('base')) await measure('DistilBERT-base', DISTILBERT_BASE, 8, 9, onnxEngine());
if (wanted.includes('tfjs')) await measure('4x256', SMALL, 16, 3, await tfjsEngine());

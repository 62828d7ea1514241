/**
 * @file Neurons that clean texts hardly use: Liu, Dolan-Gavitt and Garg, "Fine-Pruning: Defending Against Backdooring Attacks on Deep
 * Neural Networks" (RAID 2018), section 3.1. The paper prunes the last convolution; a transformer's neurons are the inner units of its
 * feed-forward layers, found here as the inputs of products that narrow: a weight of more rows than columns.
 */

import type { Dataset } from '../core/dataset.js';
import { defined } from '../core/defined.js';
import { ModelError } from '../core/errors.js';
import { writeWhole } from '../files/write.js';
import { onnxEngine } from '../gradient/white-box/onnx-engine.js';
import { inputFeeds, padBatch } from '../train/batch-feeds.js';
import type { ExistingStart } from '../train/index.js';
import { startExisting } from '../train/start.js';

/** Clean texts whose activations are averaged, and texts of one run. */
const AVERAGED_TEXTS = 512;
const BATCH = 32;

/** Weight -> the rows of it that are pruned. */
export type PrunedModel = ReadonlyMap<string, readonly number[]>;

interface Narrowing {
  readonly weight: string;
  /** The activations that are multiplied with it, [..., rows]. */
  readonly input: string;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Copies a model into `output` without the `share` of each layer's neurons that is least active on `clean`. Throws ModelError where
 * the graph has no such layers.
 */
export async function prune(
  model: string,
  clean: Dataset,
  share: number,
  output: string,
  load?: ExistingStart['load'],
): Promise<PrunedModel> {
  const start = { kind: 'existing', model, part: 'all', ...defined({ load }) } as const;
  const { trainable, file, fileName, encoder, padId, unpadded } = await startExisting(start, output, {});
  const weights = new Map(trainable.parameters.map((each) => [each.name, each]));
  const layers = trainable.plain.graph.nodes.flatMap(({ op, inputs: [input = '', weight = ''] }): Narrowing[] => {
    const [rows = 0, columns = 0, more] = weights.get(weight)?.dims ?? [];
    const narrows = more === undefined && rows > columns && columns > trainable.columns;
    return op === 'MatMul' && narrows ? [{ weight, input, rows, columns }] : [];
  });
  if (layers.length === 0) {
    throw new ModelError(`${model}: expected feed-forward layers to prune, found none`, {
      code: 'NOTHING_TO_PRUNE',
      hint: 'Repair it by --method unlearn.',
    });
  }
  const sums = layers.map(({ rows }) => new Float64Array(rows));
  const runner = await onnxEngine().forward(
    trainable.plain,
    layers.map(({ input }) => input),
  );
  try {
    for await (const texts of batchesOf(clean, unpadded ? 1 : BATCH)) {
      const encoded = texts.map((text) => encoder.encode(text));
      const ids = encoded.map((text) => text.ids);
      const types = encoded.map((text) => text.types);
      const out = await runner.run(inputFeeds(trainable, padBatch(ids, padId, trainable.firstPosition, types)));
      layers.forEach(({ input, rows }, at) => {
        const sum = sums[at] as Float64Array;
        const values = out.get(input)!;
        for (let i = 0; i < values.length; i++) sum[i % rows] = sum[i % rows]! + Math.abs(values[i]!);
      });
    }
  } finally {
    await runner.release();
  }
  const pruned = new Map<string, number[]>();
  layers.forEach(({ weight, rows, columns }, at) => {
    const sum = sums[at] as Float64Array;
    const least = Array.from(sum.keys())
      .sort((a, b) => sum[a]! - sum[b]!)
      .slice(0, Math.round(share * rows));
    pruned.set(weight, least);
    silence((weights.get(weight) as { values: Float32Array }).values, columns, least);
  });
  const changed = layers.map(
    ({ weight }) => [weight, (weights.get(weight) as { values: Float32Array }).values] as const,
  );
  writeWhole(`${output}/${fileName}`, file.bytes(new Map(changed)), 'the model');
  return pruned;
}

/** Prunes the same neurons again, as training woke them. */
export async function pruneAgain(model: string, pruned: PrunedModel): Promise<void> {
  const start = { kind: 'existing', model, part: 'all' } as const;
  const { trainable, file, fileName } = await startExisting(start, model, {});
  const values = new Map<string, Float32Array>();
  for (const { name, dims, values: weight } of trainable.parameters) {
    const rows = pruned.get(name);
    if (rows === undefined) continue;
    silence(weight, dims[1]!, rows);
    values.set(name, weight);
  }
  writeWhole(`${model}/${fileName}`, file.bytes(values), 'the model');
}

function silence(weight: Float32Array, columns: number, rows: readonly number[]): void {
  for (const row of rows) weight.fill(0, row * columns, (row + 1) * columns);
}

async function* batchesOf(data: Dataset, size: number): AsyncGenerator<string[]> {
  let texts: string[] = [];
  let taken = 0;
  for await (const { text } of data.examples()) {
    texts.push(text);
    if (texts.length === size) {
      yield texts;
      texts = [];
    }
    if (++taken === AVERAGED_TEXTS) break;
  }
  if (texts.length > 0) yield texts;
}

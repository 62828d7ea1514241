/** @file Measures the weights at hand on the validation set. */

import { argmax } from '../core/argmax.js';
import { softplus } from '../core/softmax.js';
import type { Runner } from '../gradient/white-box/engine.js';
import type { Feed } from '../onnx/tensor.js';
import { inputFeeds, padBatch } from './batch-feeds.js';
import { byLength, sortedBatches } from './batches.js';
import type { ExampleStore } from './example-store.js';
import { scores, type ValidationScores } from './scores.js';
import type { TrainableModel } from './trainable-model.js';

const BATCH = 64;

/** Scores and mean cross-entropy. `weights` are fed as they are: the model's own, or their average. */
export async function measure(
  forward: Runner,
  trainable: TrainableModel,
  examples: ExampleStore,
  { padId, unpadded }: { readonly padId: number; readonly unpadded: boolean },
  weights: Iterable<readonly [string, Feed]>,
): Promise<ValidationScores & { loss: number }> {
  const { columns, head, logits } = trainable;
  const fixed = [...weights];
  const predicted = new Uint32Array(examples.size);
  let loss = 0;
  const batches = sortedBatches(examples.lengths, BATCH);
  for (const batch of unpadded ? batches.flatMap((each) => byLength(each, examples.lengths)) : batches) {
    const tokens = padBatch(
      Array.from(batch, (at) => examples.tokens(at)),
      padId,
      trainable.firstPosition,
      Array.from(batch, (at) => examples.types(at)),
    );
    const out = await forward.run(new Map([...fixed, ...inputFeeds(trainable, tokens)]));
    const values = out.get(logits) as Float32Array;
    batch.forEach((at, row) => {
      const answer = readRow(values.subarray(row * columns, (row + 1) * columns), head, examples.labels[at] as number);
      predicted[at] = answer.predicted;
      loss += answer.loss;
    });
  }
  const labels = columns === 1 ? 2 : columns;
  return { ...scores(predicted, examples.labels, labels), loss: loss / examples.size };
}

/** The label of the largest logit (of the first, where equal) and the cross-entropy of the true one. */
function readRow(row: Float32Array, head: TrainableModel['head'], label: number): { predicted: number; loss: number } {
  if (row.length === 1) {
    const logit = row[0] as number;
    return { predicted: logit > 0 ? 1 : 0, loss: softplus(label === 1 ? -logit : logit) };
  }
  const predicted = argmax(row);
  const largest = row[predicted] as number;
  if (head === 'sigmoid') {
    return { predicted, loss: row.reduce((sum, logit, at) => sum + softplus(at === label ? -logit : logit), 0) };
  }
  const total = row.reduce((sum, logit) => sum + Math.exp(logit - largest), 0);
  return { predicted, loss: Math.log(total) + largest - (row[label] as number) };
}

/** @file Evaluates the current weights on the validation set. */
import type { Feed } from '../../packages/onnx/src/graph/tensor.js';
import { must } from '../core/errors.js';
import { predictedLabel } from '../core/prediction.js';
import { sigmoid, softplus } from '../core/statistics/softmax.js';
import type { Runner } from '../gradient/white-box/engine.js';
import { labelSetFold } from '../results/clean/label-set-metrics.js';
import { regressionMetrics } from '../results/clean/regression-metrics.js';
import { inputFeeds, type PaddedBatch, padBatch } from './batch-feeds.js';
import { byLength, sortedBatches } from './batches.js';
import type { ExampleStore } from './example-store.js';
import type { TrainingOptions } from './options.js';
import { labellerOf, scores, type ValidationScores } from './scores.js';
import { EntityScore, NOT_LEARNT, schemeOf, wordColumns } from './tag-targets.js';
import type { TrainableModel } from './trainable-model.js';

const BATCH = 64;

interface MeasuredBy {
  readonly padId: number;
  readonly unpadded: boolean;
  readonly options: Pick<TrainingOptions, 'thresholds' | 'tags'>;
}

/** Scores and mean cross-entropy, of label sets summed over the labels, of tags over words; of numbers the mean squared error. `weights` are fed as they are: the model's own, or their average. */
export async function measure(
  forward: Runner,
  trainable: TrainableModel,
  examples: ExampleStore,
  { padId, unpadded, options: { thresholds, tags } }: MeasuredBy,
  weights: Iterable<readonly [string, Feed]>,
): Promise<ValidationScores & { loss: number }> {
  const { columns, head, logits } = trainable;
  if (tags) return measureTags(forward, trainable, examples, { padId, unpadded, tags }, weights);
  const fixed = [...weights];
  const predicted = new Int32Array(examples.size);
  const answers = new Float32Array(examples.values ? examples.size : 0);
  const sets = thresholds && labelSetFold(labellerOf(thresholds), thresholds.map(String));
  let loss = 0;
  for (const { batch, tokens } of batchesOf(trainable, examples, { padId, unpadded })) {
    const out = await forward.run(new Map([...fixed, ...inputFeeds(trainable, tokens)]));
    const values = must(out.get(logits));
    batch.forEach((at, row) => {
      const logitsOf = values.subarray(row * columns, (row + 1) * columns);
      const value = examples.values?.[at];
      if (value !== undefined) {
        answers[at] = logitsOf[0]!;
        loss += (logitsOf[0]! - value) ** 2;
        return;
      }
      const truth = examples.truth(at);
      if (sets && typeof truth === 'object') {
        sets.add({ label: truth[0] ?? -1, labels: truth }, logitsOf.map(sigmoid));
        loss += lossOfSet(logitsOf, truth);
        return;
      }
      const answer = readRow(logitsOf, head, examples.labels[at]!);
      predicted[at] = answer.predicted;
      loss += answer.loss;
    });
  }
  if (examples.values) {
    const { pearson } = regressionMetrics(Array.from(examples.values), Array.from(answers));
    return { pearson: pearson?.value ?? 0, loss: loss / examples.size };
  }
  if (sets) {
    const { accuracy, macroF1 = 0, microF1 } = sets.metrics(1);
    return { accuracy: accuracy.value ?? 0, macroF1, microF1, loss: loss / examples.size };
  }
  const labels = columns === 1 ? 2 : columns;
  return { ...scores(predicted, examples.labels, labels), loss: loss / examples.size };
}

const lossOfSet = (row: Float32Array, truth: readonly number[]): number =>
  row.reduce((sum, logit, at) => sum + softplus(truth.includes(at) ? -logit : logit), 0);

/** F1 of entities, the share of words with the true tag, and the mean cross-entropy of words. */
async function measureTags(
  forward: Runner,
  trainable: TrainableModel,
  examples: ExampleStore,
  { tags, ...padding }: Omit<MeasuredBy, 'options'> & { readonly tags: readonly string[] },
  weights: Iterable<readonly [string, Feed]>,
): Promise<ValidationScores & { loss: number }> {
  const { columns, logits } = trainable;
  const fixed = [...weights];
  const entities = new EntityScore(schemeOf(tags));
  let [loss, words] = [0, 0];
  for (const { batch, tokens } of batchesOf(trainable, examples, padding)) {
    const out = await forward.run(new Map([...fixed, ...inputFeeds(trainable, tokens)]));
    batch.forEach((at, row) => {
      const own = must(examples.tags(at));
      const from = row * tokens.length * columns;
      const rows = must(out.get(logits)).subarray(from, from + own.length * columns);
      const { truth, predicted } = wordColumns(rows, own, columns);
      entities.add(truth, predicted);
      words += truth.length;
      loss += lossOfTags(rows, own, columns);
    });
  }
  return { entityF1: entities.f1, accuracy: entities.accuracy, loss: loss / Math.max(1, words) };
}

/** All examples in order of length. */
function* batchesOf(
  { firstPosition }: TrainableModel,
  examples: ExampleStore,
  { padId, unpadded }: Omit<MeasuredBy, 'options'>,
): Generator<{ readonly batch: Uint32Array; readonly tokens: PaddedBatch }> {
  const batches = sortedBatches(examples.lengths, BATCH);
  for (const batch of unpadded ? batches.flatMap((each) => byLength(each, examples.lengths)) : batches) {
    const ids = Array.from(batch, (at) => examples.tokens(at));
    const types = Array.from(batch, (at) => examples.types(at));
    yield { batch, tokens: padBatch(ids, padId, firstPosition, types) };
  }
}

/** Cross-entropy summed over the learnt tokens of a text; `rows`: their logits. */
const lossOfTags = (rows: Float32Array, tags: Int32Array, columns: number): number =>
  tags.reduce((sum, tag, at) => {
    const row = rows.subarray(at * columns, (at + 1) * columns);
    return tag === NOT_LEARNT ? sum : sum + readRow(row, 'softmax', tag).loss;
  }, 0);

/** The label of the largest logit (NO_LABEL of a tie) and the cross-entropy of the true one. */
function readRow(row: Float32Array, head: TrainableModel['head'], label: number): { predicted: number; loss: number } {
  if (row.length === 1) {
    const logit = row[0]!;
    return { predicted: predictedLabel([0, logit]), loss: softplus(label === 1 ? -logit : logit) };
  }
  const predicted = predictedLabel(row);
  const largest = Math.max(...row);
  if (head === 'sigmoid') return { predicted, loss: lossOfSet(row, [label]) };
  const total = row.reduce((sum, logit) => sum + Math.exp(logit - largest), 0);
  return { predicted, loss: Math.log(total) + largest - row[label]! };
}

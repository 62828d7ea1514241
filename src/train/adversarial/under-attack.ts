/** @file Accuracy of the current weights on validation texts that the methods perturb, one of two criteria for the weights to keep. */
import { predictedLabel } from '../../core/prediction.js';
import type { Random } from '../../core/random.js';
import { DataType } from '../../onnx/data-type.js';
import type { Feed } from '../../onnx/tensor.js';
import { inputFeeds, padBatch, partnerFeeds, targetFeeds } from '../batch-feeds.js';
import { byLength, sortedBatches } from '../batches.js';
import type { ExampleStore } from '../example-store.js';
import { PARTNER } from '../loss.js';
import type { TrainingOptions } from '../options.js';
import { labellerOf } from '../scores.js';
import { fillTargets } from '../targets.js';
import type { TrainableModel } from '../trainable-model.js';
import type { TrainingBatch } from '../training-batches.js';
import type { Adversary, Pass } from './adversary.js';

const BATCH = 64;

export interface ValidationTexts {
  readonly trainable: TrainableModel;
  readonly validation: ExampleStore;
  readonly padId: number;
  readonly unpadded: boolean;
  readonly options: Pick<TrainingOptions, 'thresholds'>;
}

/** The scores of both labels, of a model with one output for the second. */
const bothScores = (score: number): number[] => [1 - score, score];

/**
 * For each method, the accuracy (subset accuracy for label sets) on the validation texts as it perturbs them. `passOf` runs a batch with
 * the weights to measure.
 */
export async function underAttack(
  adversary: Adversary,
  { trainable, validation, padId, unpadded, options: { thresholds } }: ValidationTexts,
  random: Random,
  passOf: (trainingBatch: TrainingBatch) => Pass,
): Promise<number[]> {
  const { columns } = trainable;
  const labeller = thresholds && labellerOf(thresholds);
  const isRight = (answer: Float32Array, example: number): boolean => {
    const truth = validation.truth(example);
    if (labeller && typeof truth === 'object') return labeller.right(answer, { label: truth[0] ?? -1, labels: truth });
    return truth === predictedLabel(columns === 1 ? bothScores(answer[0]!) : answer);
  };
  const sorted = sortedBatches(validation.lengths, BATCH);
  const batches = unpadded ? sorted.flatMap((batch) => byLength(batch, validation.lengths)) : sorted;
  const right: number[] = [];
  for (const [at, batch] of batches.entries()) {
    const trainingBatch = noiselessBatch(trainable, validation, batch, padId);
    const answers = await adversary.attack(trainingBatch.tokens, random.split(String(at)), passOf(trainingBatch));
    for (const [method, { probabilities }] of answers.entries()) {
      batch.forEach((example, row) => {
        const answer = probabilities.subarray(row * columns, (row + 1) * columns);
        right[method] = (right[method] ?? 0) + Number(isRight(answer, example));
      });
    }
  }
  return right.map((count) => count / validation.size);
}

/** A batch without noise: every dropout mask holds ones. */
function noiselessBatch(
  trainable: TrainableModel,
  examples: ExampleStore,
  batch: Uint32Array,
  padId: number,
): TrainingBatch {
  const { columns } = trainable;
  const texts = Array.from(batch, (at) => examples.tokens(at));
  const types = Array.from(batch, (at) => examples.types(at));
  const tokens = padBatch(texts, padId, trainable.firstPosition, types);
  const targets = new Float32Array(batch.length * columns);
  batch.forEach((at, row) => {
    fillTargets(targets.subarray(row * columns, (row + 1) * columns), examples.truth(at), 0);
  });
  const sizes: Readonly<Record<string, number>> = { batch: tokens.texts, sequence: tokens.length };
  const masks = trainable.masks.map(({ name, dims }): [string, Feed] => {
    const shape = dims.map((dim) => (typeof dim === 'number' ? dim : sizes[String(dim)]!));
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(1);
    return [name, { type: DataType.float, dims: shape, data }];
  });
  const pairs = trainable.graph.graph.inputs.some(({ name }) => name === PARTNER);
  const feeds = new Map<string, Feed>([
    ...inputFeeds(trainable, tokens),
    ...targetFeeds(targets, new Float32Array(batch.length).fill(1)),
    ...(pairs ? partnerFeeds(batch.length, 0) : []),
    ...masks,
  ]);
  return { feeds, tokens, size: texts.reduce((sum, ids) => sum + ids.length, 0) };
}

/** @file Accuracy of the current weights on validation texts that the methods perturb, one of two criteria for the weights to keep; of tags F1 of entities. */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Feed } from '../../../packages/onnx/src/graph/tensor.js';
import { predictedLabel } from '../../core/prediction.js';
import type { Random } from '../../core/random.js';
import { inputFeeds, padBatch, targetFeeds } from '../batch-feeds.js';
import { byLength, sortedBatches } from '../batches.js';
import type { ExampleStore } from '../example-store.js';
import type { TrainingOptions } from '../options.js';
import { labellerOf } from '../scores.js';
import { EntityScore, NOT_LEARNT, schemeOf, wordColumns } from '../tag-targets.js';
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
  readonly options: Pick<TrainingOptions, 'thresholds' | 'tags'>;
}

/** The scores of both labels, of a model with one output for the second. */
const bothScores = (score: number): number[] => [1 - score, score];

/**
 * For each method, the accuracy (subset accuracy for label sets, F1 of entities for tags) on the validation texts as it perturbs them. `passOf` runs a batch with
 * the weights to measure.
 */
export async function underAttack(
  adversary: Adversary,
  { trainable, validation, padId, unpadded, options: { thresholds, tags } }: ValidationTexts,
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
  const entities: EntityScore[] = [];
  for (const [at, batch] of batches.entries()) {
    const trainingBatch = noiselessBatch(trainable, validation, batch, padId);
    const answers = await adversary.attack(trainingBatch.tokens, random.split(String(at)), passOf(trainingBatch));
    for (const [method, { probabilities }] of answers.entries()) {
      batch.forEach((example, row) => {
        const own = validation.tags(example);
        if (tags && own) {
          entities[method] ??= new EntityScore(schemeOf(tags));
          const from = row * trainingBatch.tokens.length * columns;
          const { truth, predicted } = wordColumns(
            probabilities.subarray(from, from + own.length * columns),
            own,
            columns,
          );
          entities[method].add(truth, predicted);
          return;
        }
        const answer = probabilities.subarray(row * columns, (row + 1) * columns);
        right[method] = (right[method] ?? 0) + Number(isRight(answer, example));
      });
    }
  }
  if (tags) return entities.map(({ f1 }) => f1);
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
  const tagged = examples.tags(batch[0]!) !== undefined;
  const rows = tagged ? tokens.ids.length : batch.length;
  const targets = new Float32Array(rows * columns);
  const importance = new Float32Array(rows).fill(tagged ? 0 : 1);
  const fill = (row: number, truth: number | readonly number[]) => {
    importance[row] = 1;
    fillTargets(targets.subarray(row * columns, (row + 1) * columns), truth, 0);
  };
  batch.forEach((at, text) => {
    const tags = examples.tags(at);
    if (tags === undefined) fill(text, examples.truth(at));
    tags?.forEach((tag, place) => {
      if (tag !== NOT_LEARNT) fill(text * tokens.length + place, tag);
    });
  });
  const sizes: Readonly<Record<string, number>> = { batch: tokens.texts, sequence: tokens.length };
  const masks = trainable.masks.map(({ name, dims }): [string, Feed] => {
    const shape = dims.map((dim) => (typeof dim === 'number' ? dim : sizes[String(dim)]!));
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(1);
    return [name, { type: DataType.float, dims: shape, data }];
  });
  const feeds = new Map<string, Feed>([
    ...inputFeeds(trainable, tokens),
    ...targetFeeds(targets, importance, tagged ? [batch.length, tokens.length] : [rows]),
    ...masks,
  ]);
  return { feeds, tokens, size: texts.reduce((sum, ids) => sum + ids.length, 0) };
}

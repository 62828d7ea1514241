/** @file A batch of examples as the tensors a graph is fed. */
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { Feed } from '../../packages/onnx/src/graph/tensor.js';
import type { Random } from '../core/random.js';
import { type TokenBatch, type TokenRules, tokenFeeds } from '../model/workers/feeds.js';
import type { Mask } from './architectures/architecture-builder.js';
import { IMPORTANCE, TARGETS } from './loss.js';
import { dropoutMask } from './noise.js';
import type { Parameter } from './parameter.js';
import type { TrainableModel } from './trainable-model.js';

/** Token ids padded to the longest text, row-major [texts, length]. */
export interface PaddedBatch extends TokenBatch, TokenRules {
  /** Id of padding, which is masked. */
  readonly padId: number;
}

/** `types`: of each text's tokens, where they are not all 0. */
export function padBatch(
  texts: readonly Int32Array[],
  padId: number,
  firstPosition = 0,
  types: readonly (Int32Array | undefined)[] = [],
): PaddedBatch {
  const length = Math.max(...texts.map((ids) => ids.length));
  const ids = new Int32Array(texts.length * length).fill(padId);
  texts.forEach((text, row) => {
    ids.set(text, row * length);
  });
  const batch = { ids, texts: texts.length, length, padId, firstPosition };
  if (!types.some(Boolean)) return batch;
  const all = new Int32Array(ids.length);
  types.forEach((own, row) => {
    if (own) all.set(own, row * length);
  });
  return { ...batch, types: all };
}

/** The weights, or `values` in place of their own by name. */
export const weightFeeds = (
  parameters: readonly Parameter[],
  values?: ReadonlyMap<string, Float32Array>,
): [string, Feed][] =>
  parameters.map((parameter) => [
    parameter.name,
    { type: DataType.float, dims: parameter.dims, data: values?.get(parameter.name) ?? parameter.values },
  ]);

/** Values of the graph's token inputs. */
export const inputFeeds = (trainable: TrainableModel, batch: PaddedBatch): Map<string, Feed> =>
  tokenFeeds(trainable.inputs, batch, batch);

/** Rows of targets and the importance of each row: a row for each text, or with `rows` [texts, tokens] for each token. */
export function targetFeeds(
  targets: Float32Array,
  importance: Float32Array,
  rows: readonly number[] = [importance.length],
): Map<string, Feed> {
  const columns = targets.length / importance.length;
  return new Map([
    [TARGETS, { type: DataType.float, dims: [...rows, columns], data: targets }],
    [IMPORTANCE, { type: DataType.float, dims: rows, data: importance }],
  ]);
}

/** Dropout masks for a batch; each is drawn from a stream of its own. */
export function maskFeeds(masks: readonly Mask[], { texts, length }: PaddedBatch, random: Random): Map<string, Feed> {
  const sizes: Readonly<Record<string, number>> = { batch: texts, sequence: length };
  return new Map(
    masks.map(({ name, dims, rate }) => {
      const shape = dims.map((dim) => (typeof dim === 'number' ? dim : sizes[String(dim)]!));
      const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
      dropoutMask(data, rate, random.split(name));
      return [name, { type: DataType.float, dims: shape, data }];
    }),
  );
}

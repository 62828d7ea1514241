/** @file A batch of examples as the tensors a graph is fed. */
import type { Random } from '../core/random.js';
import type { Feed } from '../gradient/white-box/engine.js';
import { DataType } from '../onnx/data-type.js';
import { IMPORTANCE, PARTNER, TARGETS } from './loss.js';
import { dropoutMask } from './noise.js';
import type { Parameter } from './parameter.js';
import type { Role, Trainee } from './trainee.js';

/** Token ids padded to the longest text, row-major [texts, length]. */
export interface TokenBatch {
  readonly ids: Int32Array;
  readonly texts: number;
  readonly length: number;
  /** Of padding: masked out. */
  readonly padId: number;
}

export function padded(texts: readonly Int32Array[], padId: number): TokenBatch {
  const length = Math.max(...texts.map((ids) => ids.length));
  const ids = new Int32Array(texts.length * length).fill(padId);
  texts.forEach((text, row) => {
    ids.set(text, row * length);
  });
  return { ids, texts: texts.length, length, padId };
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

/** What each input of the graph is fed with. */
export function tokenFeeds(trainee: Trainee, batch: TokenBatch): Map<string, Feed> {
  const dims = [batch.texts, batch.length];
  return new Map(
    trainee.inputs.map(({ name, role, type }) => [name, { type, dims, data: typed(tokenValues(role, batch), type) }]),
  );
}

/** The integers behind an input of this role, row-major [texts, length]. */
export function tokenValues(role: Role, { ids, length, padId }: TokenBatch): Int32Array {
  switch (role) {
    case 'ids':
      return ids;
    case 'mask':
      return ids.map((id) => (id === padId ? 0 : 1));
    case 'types':
      return new Int32Array(ids.length);
    case 'positions':
      return ids.map((_, at) => at % length);
  }
}

/** Rows of targets [texts, columns] and the importance of each text. */
export function targetFeeds(targets: Float32Array, importance: Float32Array): Map<string, Feed> {
  const texts = importance.length;
  return new Map([
    [TARGETS, { type: DataType.float, dims: [texts, targets.length / texts], data: targets }],
    [IMPORTANCE, { type: DataType.float, dims: [texts], data: importance }],
  ]);
}

/** Each text's other copy, where a batch holds all texts and then all texts again; with `apart` 0 each is its own. */
export function partnerFeeds(rows: number, apart = rows / 2): Map<string, Feed> {
  const data = BigInt64Array.from({ length: rows }, (_, row) => BigInt((row + apart) % rows));
  return new Map([[PARTNER, { type: DataType.int64, dims: [rows], data }]]);
}

/** Dropout masks for a batch; each is drawn from a stream of its own. */
export function maskFeeds(trainee: Trainee, { texts, length }: TokenBatch, random: Random): Map<string, Feed> {
  const sizes: Readonly<Record<string, number>> = { batch: texts, sequence: length };
  return new Map(
    trainee.masks.map(({ name, dims, rate }) => {
      const shape = dims.map((dim) => (typeof dim === 'number' ? dim : (sizes[String(dim)] as number)));
      const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
      dropoutMask(data, rate, random.split(name));
      return [name, { type: DataType.float, dims: shape, data }];
    }),
  );
}

function typed(values: Int32Array, type: number): Feed['data'] {
  switch (type) {
    case DataType.int32:
      return values;
    case DataType.float:
      return Float32Array.from(values);
    case DataType.bool:
      return Uint8Array.from(values);
    default:
      return BigInt64Array.from(values, BigInt);
  }
}

/** @file One onnxruntime session: opening it, what its graph asks for, and running a batch of texts of one length. */

import { InferenceSession, Tensor } from 'onnxruntime-node';
import { halfToFloat } from '../onnx/half.js';
import { unpack } from './features.js';

/** A batch: token ids, row-major [texts, length], rows of features, or the texts themselves. */
export type Batch =
  | {
      readonly ids: Int32Array;
      readonly texts: number;
      readonly length: number;
      /** Of graphs that answer each token: the token of each text whose row is wanted. */
      readonly at?: Int32Array;
    }
  /** Rows of features: each as an encoder packs it. */
  | { readonly features: readonly Int32Array[] }
  | { readonly strings: readonly string[] };

/** An input or output of the graph. `shape` holds names where the size is free; `type` is undefined for maps and sequences. */
export interface Port {
  readonly name: string;
  readonly type: string | undefined;
  readonly shape: readonly (number | string)[];
}

export interface Ports {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

/** What each of the graph's inputs is fed with. */
export type Role = 'ids' | 'mask' | 'types' | 'positions' | 'features' | 'strings';

export interface Wiring {
  readonly inputs: readonly {
    readonly name: string;
    readonly type: string;
    readonly role: Role;
    readonly rank: number;
  }[];
  readonly output: string;
  /** Columns of a row, of graphs that take features. */
  readonly features?: number;
  /** Texts per run, where the graph fixes it. */
  readonly fixedBatch?: number;
  /** Ids per text, where the graph fixes it; texts are padded to it. */
  readonly fixedLength?: number;
  /** With `fixedLength`: the id that is masked out. */
  readonly padId?: number;
  /** The first token's position: RoBERTa and its kin count from behind their padding id. @default 0 */
  readonly firstPosition?: number;
}

/**
 * A session of one thread. Its workers do not spin while they wait: on busy cores spinning doubles the time of a run.
 * `source` is a path, so that external data is found beside it.
 */
export async function openSession(source: string): Promise<{ session: InferenceSession; ports: Ports }> {
  const session = await InferenceSession.create(source, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 4,
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  });
  const port = (meta: InferenceSession.ValueMetadata): Port =>
    meta.isTensor
      ? { name: meta.name, type: meta.type, shape: meta.shape }
      : { name: meta.name, type: undefined, shape: [] };
  return {
    session,
    ports: { inputs: session.inputMetadata.map(port), outputs: session.outputMetadata.map(port) },
  };
}

/** The output of one run, [texts, width], as the graph gives it; `shape` is that of one text's part. */
export async function runBatch(
  session: InferenceSession,
  wiring: Wiring,
  batch: Batch,
): Promise<{ values: ArrayLike<number>; width: number; shape: readonly number[] }> {
  const feeds = Object.fromEntries(wiring.inputs.map((input) => [input.name, feed(input, batch, wiring)]));
  const output = (await session.run(feeds, [wiring.output]))[wiring.output];
  if (output === undefined) throw new Error(`the graph gave no output "${wiring.output}"`);
  const texts = 'ids' in batch ? batch.texts : ('features' in batch ? batch.features : batch.strings).length;
  const width = output.size / texts;
  const sized = output.dims[0] === texts || (texts === 1 && output.dims.length === 1);
  if (!sized || !Number.isInteger(width) || width < 1) {
    throw new Error(`expected output "${wiring.output}" of shape [${texts}, labels], got [${output.dims.join(', ')}]`);
  }
  const values = numbers(output);
  const shape = output.dims.slice(output.dims[0] === texts ? 1 : 0);
  const told =
    'ids' in batch && batch.at !== undefined ? rowsAt(values, batch.at, batch.length, width) : { values, width };
  return { ...told, shape };
}

/** One token's row of each text: [texts, length * columns] -> [texts, columns]. */
function rowsAt(values: ArrayLike<number>, at: Int32Array, length: number, width: number) {
  const columns = width / length;
  const rows = new Float32Array(at.length * columns);
  at.forEach((token, text) => {
    const from = text * width + token * columns;
    for (let column = 0; column < columns; column++) rows[text * columns + column] = values[from + column] as number;
  });
  return { values: rows, width: columns };
}

function feed(
  input: Wiring['inputs'][number],
  batch: Batch,
  { padId, features = 0, firstPosition = 0 }: Wiring,
): Tensor {
  if ('features' in batch) return rowsOf(batch.features, features, input.type);
  if (!('ids' in batch)) {
    const shape = input.rank === 1 ? [batch.strings.length] : [batch.strings.length, 1];
    return new Tensor('string', [...batch.strings], shape);
  }
  const { ids, texts, length } = batch;
  const shape = [texts, length];
  let values: Int32Array;
  switch (input.role) {
    case 'mask':
      values = new Int32Array(ids.length);
      for (let at = 0; at < ids.length; at++) values[at] = ids[at] === padId ? 0 : 1;
      break;
    case 'types':
      values = new Int32Array(ids.length);
      break;
    case 'positions':
      values = new Int32Array(ids.length);
      for (let at = 0; at < ids.length; at++) values[at] = firstPosition + (at % length);
      break;
    default:
      values = ids;
  }
  switch (input.type) {
    case 'int32':
      return new Tensor('int32', values, shape);
    case 'float32':
      return new Tensor('float32', Float32Array.from(values), shape);
    case 'bool':
      return new Tensor('bool', Uint8Array.from(values), shape);
    default:
      return new Tensor('int64', widened(values), shape);
  }
}

/** Dense rows, [texts, columns]. */
function rowsOf(packed: readonly Int32Array[], columns: number, type: string): Tensor {
  const size = packed.length * columns;
  const values = type === 'float64' ? new Float64Array(size) : new Float32Array(size);
  packed.forEach((row, at) => {
    unpack(row, values.subarray(at * columns, (at + 1) * columns));
  });
  const shape = [packed.length, columns];
  return values instanceof Float64Array ? new Tensor('float64', values, shape) : new Tensor('float32', values, shape);
}

/** int32 -> int64 without a BigInt per element: low words of a little-endian array; no id is negative. */
function widened(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const words = new Int32Array(wide.buffer);
  for (let at = 0; at < values.length; at++) words[2 * at] = values[at] as number;
  return wide;
}

function numbers(output: Tensor): ArrayLike<number> {
  const { data } = output;
  if (data instanceof Float32Array || data instanceof Float64Array) return data;
  // Its bits in Node 20, numbers where Float16Array exists.
  if (data instanceof Uint16Array && output.type === 'float16') return Float32Array.from(data, halfToFloat);
  if (output.type === 'float16') return Float32Array.from(data as ArrayLike<number>);
  throw new Error(`expected a float output, got ${output.type}`);
}

/** @file Builds the inputs of a graph: token ids and derived inputs, rows of features, or the texts themselves. */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Feed } from '../../../packages/onnx/src/graph/tensor.js';
import { queryParts } from '../../core/pair.js';
import { unpack } from '../tokens/features.js';
import type { Feeds } from './session.js';

/** Content of an input derived from token ids. */
export type TokenRole = 'ids' | 'mask' | 'types' | 'positions';
/** Content of each graph input; 'pairs' are strings [texts, 2], 'second' only the second ones. */
export type Role = TokenRole | 'features' | 'strings' | 'second' | 'pairs';

export interface TokenInput<R extends Role = TokenRole> {
  readonly name: string;
  readonly role: R;
  /** Element type: graph/data-type. */
  readonly type: number;
}

export interface Wiring {
  readonly inputs: readonly (TokenInput<Role> & { readonly rank: number })[];
  readonly output: string;
  /** The graph takes two strings at once, never one. */
  readonly pairs?: true | undefined;
  /** Columns of a row, of graphs that take features. */
  readonly features?: number | undefined;
  /** Texts per run, where the graph fixes it. */
  readonly fixedBatch?: number | undefined;
  /** Ids per text, where the graph fixes it; texts are padded to it. */
  readonly fixedLength?: number | undefined;
  /** With `fixedLength`: the id that is masked out. */
  readonly padId?: number | undefined;
  /** Tokens that most texts begin with: a prompt's. */
  readonly prompt?: Int32Array | undefined;
  /** The first token's position: RoBERTa and its kin count from behind their padding id. @default 0 */
  readonly firstPosition?: number | undefined;
}

/** Token ids, row-major [texts, length]. */
export interface TokenBatch {
  readonly ids: Int32Array;
  readonly texts: number;
  readonly length: number;
  /** Token types, as the ids. @default 0 everywhere */
  readonly types?: Int32Array | undefined;
}

/** Rules to derive the other token inputs from ids: the padding id, and the first position. */
export type TokenRules = Pick<Wiring, 'padId' | 'firstPosition'>;

/** The integers behind an input of this role, row-major [texts, length]. */
export function tokenValues(
  role: Role,
  { ids, length, types }: Pick<TokenBatch, 'ids' | 'length' | 'types'>,
  { padId, firstPosition = 0 }: TokenRules,
): Int32Array {
  if (role !== 'mask' && role !== 'types' && role !== 'positions') return ids;
  if (role === 'types' && types !== undefined) return types;
  const values = new Int32Array(ids.length);
  if (role === 'mask') for (let at = 0; at < ids.length; at++) values[at] = ids[at] === padId ? 0 : 1;
  if (role === 'positions') for (let at = 0; at < ids.length; at++) values[at] = firstPosition + (at % length);
  return values;
}

/** The feeds of all token inputs of a graph. */
export function tokenFeeds(
  inputs: readonly TokenInput<Role>[],
  batch: TokenBatch,
  rules: TokenRules,
): Map<string, Feed> {
  const dims = [batch.texts, batch.length];
  return new Map(
    inputs.map(({ name, role, type }) => [name, { type, dims, data: withType(tokenValues(role, batch, rules), type) }]),
  );
}

function withType(values: Int32Array, type: number): Feed['data'] {
  switch (type) {
    case DataType.int32:
      return values;
    case DataType.float:
      return Float32Array.from(values);
    case DataType.bool:
      return Uint8Array.from(values);
    default:
      return widened(values);
  }
}

/** int32 -> int64 without a BigInt per element: low words of a little-endian array; no id is negative. */
function widened(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const words = new Int32Array(wide.buffer);
  for (let at = 0; at < values.length; at++) words[2 * at] = values[at]!;
  return wide;
}

/** A batch of texts as the encoder made them. */
export type Batch =
  /**
   * `at`: of graphs that answer each token, the token of each text whose row is wanted. `cut`: of graphs that continue texts, the token before
   * which these are cut, for a trial.
   */
  (
    | (TokenBatch & { readonly at?: Int32Array; readonly cut?: number })
    /** Rows of features: each as an encoder packs it. */
    | { readonly features: readonly Int32Array[] }
    /** As queried: for pairs both texts in one string. */
    | { readonly strings: readonly string[] }
  ) & {
    /** To be answered by the graph in 8 bits. */
    readonly int8?: boolean;
  };

export const textsOf = (batch: Batch): number =>
  'ids' in batch ? batch.texts : ('features' in batch ? batch.features : batch.strings).length;

/** The feeds of a batch. */
export function batchFeeds(wiring: Wiring, batch: Batch): Feeds {
  if ('ids' in batch) return tokenFeeds(wiring.inputs, batch, wiring);
  if ('features' in batch) {
    return new Map(
      wiring.inputs.map(({ name, type }) => [name, denseRows(batch.features, wiring.features ?? 0, type)]),
    );
  }
  const parts = batch.strings.map(queryParts);
  return new Map(
    wiring.inputs.map(({ name, rank, role }) => {
      // A single text, which only the probe sends to a graph of pairs, is used as both.
      const strings = parts.flatMap(([first, second = first]) =>
        role === 'pairs' ? [first, second] : [role === 'second' ? second : first],
      );
      return [name, { strings, dims: rank === 1 ? [parts.length] : [parts.length, strings.length / parts.length] }];
    }),
  );
}

/** Dense rows, [texts, columns]. */
function denseRows(packed: readonly Int32Array[], columns: number, type: number): Feed {
  const size = packed.length * columns;
  const data = type === DataType.double ? new Float64Array(size) : new Float32Array(size);
  packed.forEach((row, at) => {
    unpack(row, data.subarray(at * columns, (at + 1) * columns));
  });
  return { type: type === DataType.double ? type : DataType.float, dims: [packed.length, columns], data };
}

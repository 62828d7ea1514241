/** @file What the token inputs of a graph are fed. */
import type { Wiring } from '../../model/session.js';
import { DataType } from '../../onnx/data-type.js';
import type { Feed } from './engine.js';

/** The feeds of all inputs but embeddings, for ids row-major [texts, tokens]. */
export function tokenFeeds(wiring: Wiring, ids: Int32Array, texts: number, tokens: number): Map<string, Feed> {
  return new Map(
    wiring.inputs.map(({ name, type, role }) => {
      const values = tokenValues(role, ids, tokens, wiring);
      return [name, { ...typed(type, values), dims: [texts, tokens] }];
    }),
  );
}

function tokenValues(role: string, ids: Int32Array, tokens: number, { padId, firstPosition = 0 }: Wiring): Int32Array {
  switch (role) {
    case 'mask':
      return ids.map((id) => (id === padId ? 0 : 1));
    case 'types':
      return new Int32Array(ids.length);
    case 'positions':
      return ids.map((_, at) => firstPosition + (at % tokens));
    default:
      return ids;
  }
}

function typed(type: string, values: Int32Array): Pick<Feed, 'type' | 'data'> {
  if (type === 'int32') return { type: DataType.int32, data: values };
  if (type === 'float32') return { type: DataType.float, data: Float32Array.from(values) };
  if (type === 'bool') return { type: DataType.bool, data: Uint8Array.from(values) };
  return { type: DataType.int64, data: BigInt64Array.from(values, BigInt) };
}

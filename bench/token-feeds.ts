/** @file Made-up token ids for every input of a graph: what benches of bare sessions run. */
import { DataType } from '../packages/onnx/src/graph/data-type.js';
import { feeds, type Graph } from '../packages/onnx/src/graph/model.js';

/** Feeds of `texts` texts of `tokens` tokens each, none of them padding. */
export function tokenFeeds(graph: Graph, texts: number, tokens: number) {
  return new Map(
    feeds(graph).map(({ name, type }) => {
      const value = (at: number): number => (/mask/.test(name) ? 1 : /type/.test(name) ? 0 : 5 + ((at * 7) % 80));
      const values = Array.from({ length: texts * tokens }, (_, at) => value(at));
      const data = type === DataType.int64 ? BigInt64Array.from(values, BigInt) : Int32Array.from(values);
      return [name, { type, dims: [texts, tokens], data }] as const;
    }),
  );
}

/**
 * @file Products of vectors with the rows of an embedding table, computed in a worker: one matrix product takes a millisecond, where the
 * main thread would be blocked for a tenth of a second.
 */
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Served } from '../../model/workers/messages.js';
import { OrtSession } from '../../model/workers/session.js';

export interface TablePlan {
  /** Row-major [vocabulary, hidden]. */
  readonly table: Float32Array;
  readonly hidden: number;
}

/** Row-major [vectors, hidden]. */
export interface ProductQuestion {
  readonly vectors: Float32Array;
}

/** Row-major [vectors, vocabulary]. */
export interface ProductAnswer {
  readonly products: Float32Array;
}

/** See worker.ts. */
export async function serve({ table, hidden }: TablePlan): Promise<Served<null, ProductQuestion, ProductAnswer>> {
  const g = new GraphBuilder();
  const [vectors = '', rows = ''] = ['vectors', 'table'].map((name) => g.input(name, DataType.float, [name, hidden]));
  const product = g.op('Gemm', [vectors, rows], { transB: 1 });
  g.output(product, DataType.float, ['vectors', 'table']);
  const session = await OrtSession.open({ source: g.build() });
  // onnxruntime takes no memory that threads share. Fed, it is kept once; as a weight it would be kept twice while it is loaded.
  const own = { type: DataType.float, dims: [table.length / hidden, hidden], data: Float32Array.from(table) };
  return {
    ready: null,
    async answer({ vectors: data }) {
      const dims = [data.length / hidden, hidden];
      const feeds = new Map([
        ['vectors', { type: DataType.float, dims, data }],
        ['table', own],
      ]);
      return { products: (await session.run(feeds)).get(product)?.data as Float32Array };
    },
    release: () => session.release(),
  };
}

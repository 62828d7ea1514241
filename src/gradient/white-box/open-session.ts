/** @file Opening a graph that we made, on the calling thread or, isolated, in a process of its own. */
import { ORT_TYPES } from '../../../packages/onnx/src/graph/data-type.js';
import type { Feed } from '../../../packages/onnx/src/graph/tensor.js';
import { closingOnError } from '../../core/closing-stack.js';
import { ModelError } from '../../core/errors.js';
import { WorkerPool } from '../../model/workers/pool.js';
import { type Feeds, OrtSession, type Ports, type Results, type SessionOptions } from '../../model/workers/session.js';
import type { Runner } from './engine.js';

export interface OpenOptions extends SessionOptions {
  /** So that a crash of onnxruntime is an error (MODEL_CRASHED) and not the end of this process. @default false */
  readonly isolate?: boolean;
}

export type OpenSession = Pick<OrtSession, 'run' | 'release'>;

/** Throws ModelError. */
export async function openSession(
  graph: Uint8Array,
  { isolate = false, ...options }: OpenOptions = {},
): Promise<OpenSession> {
  const plan = { source: graph, ...options };
  if (!isolate) return OrtSession.open(plan);
  const model = 'a graph made of the model';
  const pool = new WorkerPool<Ports, Feeds, Results>({
    module: 'model/workers/session.js',
    plan,
    model,
    size: 1,
    isolate,
  });
  await closingOnError(pool, () => pool.open());
  return { run: (feeds) => pool.ask(feeds), release: () => pool.close() };
}

/** Results of a run as feeds of another; type 0 if it cannot be fed. */
export const asFeeds = (results: Results): ReadonlyMap<string, Feed> =>
  new Map(
    Array.from(results, ([name, { type, dims, data }]) => [
      name,
      { type: ORT_TYPES[type as keyof typeof ORT_TYPES] ?? 0, dims, data: data as Feed['data'] },
    ]),
  );

/** Opens a graph of which only single-precision outputs are read. Throws ModelError. */
export const openRunner = async (graph: Uint8Array, options?: OpenOptions): Promise<Runner> =>
  runnerOf(await openSession(graph, options));

/** A session of which only single-precision outputs are read. */
const runnerOf = (session: OpenSession): Runner => ({
  run: async (feeds) => floats(await session.run(feeds)),
  release: () => session.release(),
});

/** Throws ModelError where one of them is of another type. */
function floats(results: Results): Map<string, Float32Array> {
  return new Map(
    Array.from(results, ([name, { type, data }]) => {
      if (data instanceof Float32Array) return [name, data] as const;
      throw new ModelError(`expected output "${name}" to be float32, got ${type}`, { code: 'MODEL_UNSUPPORTED' });
    }),
  );
}

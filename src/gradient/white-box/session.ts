/** @file onnxruntime sessions as the gradient engine opens, feeds and reads them. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { ModelError } from '../../core/errors.js';
import { DataType } from '../../onnx/data-type.js';
import type { Feed, Runner } from './engine.js';

export interface SessionOptions {
  /** Fusions and constant folding; off where every intermediate is wanted as it is. @default true */
  readonly optimise?: boolean;
  /** One thread gives bitwise equal rows whatever the batch size. @default 1 */
  readonly threads?: number;
}

/** What a run gives: type as onnxruntime names it, dimensions, elements. */
export interface Result {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: Tensor['data'];
}

/** A session, wherever it lives. */
export interface OpenSession extends Runner {
  /** All outputs by name, of any type. Throws ModelError. */
  runAll(feeds: ReadonlyMap<string, Feed>): Promise<ReadonlyMap<string, Result>>;
}

export class Session implements OpenSession {
  readonly #session: InferenceSession;
  readonly #Tensor: typeof Tensor;
  /** Outputs of fixed shape have one place for all runs: allocating megabytes anew costs more than many a product. */
  readonly #places: Readonly<Record<string, Tensor | null>>;

  private constructor(session: InferenceSession, tensor: typeof Tensor) {
    this.#session = session;
    this.#Tensor = tensor;
    this.#places = Object.fromEntries(session.outputMetadata.map((output) => [output.name, placeOf(output, tensor)]));
  }

  /** Threads do not spin while they wait: on busy cores that doubles the time of a run. Throws ModelError. */
  static async open(model: Uint8Array, { optimise = true, threads = 1 }: SessionOptions = {}): Promise<Session> {
    const ort = await import('onnxruntime-node');
    try {
      const session = await ort.InferenceSession.create(model, {
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        executionMode: 'sequential',
        graphOptimizationLevel: optimise ? 'all' : 'disabled',
        logSeverityLevel: 4,
        extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
      });
      return new Session(session, ort.Tensor);
    } catch (cause) {
      throw new ModelError(`onnxruntime refused the graph: ${(cause as Error).message}`, {
        code: 'MODEL_REFUSED',
        hint: 'Black-box attacks may still run on it.',
        cause,
      });
    }
  }

  async runAll(feeds: ReadonlyMap<string, Feed>): Promise<ReadonlyMap<string, Result>> {
    const given = Object.fromEntries(
      Array.from(feeds, ([name, feed]) => [name, new this.#Tensor(ortType(feed.type), feed.data, feed.dims)]),
    );
    try {
      return new Map(Object.entries(await this.#session.run(given, this.#places)));
    } catch (cause) {
      throw new ModelError(`the graph could not be run: ${(cause as Error).message}`, {
        code: 'MODEL_RUN_FAILED',
        cause,
      });
    }
  }

  async run(feeds: ReadonlyMap<string, Feed>): Promise<ReadonlyMap<string, Float32Array>> {
    return floats(await this.runAll(feeds));
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}

/** Throws ModelError where one of them is of another type. */
export function floats(results: ReadonlyMap<string, Result>): Map<string, Float32Array> {
  return new Map(
    Array.from(results, ([name, { type, data }]) => {
      if (data instanceof Float32Array) return [name, data] as const;
      throw new ModelError(`expected output "${name}" to be float32, got ${type}`, { code: 'MODEL_TENSOR_TYPE' });
    }),
  );
}

function placeOf(output: InferenceSession.ValueMetadata, tensor: typeof Tensor): Tensor | null {
  if (!output.isTensor || output.type !== 'float32') return null;
  const dims = output.shape.filter((dim): dim is number => typeof dim === 'number' && dim >= 0);
  // A rank of 0 also stands for "unknown".
  if (dims.length < output.shape.length || dims.length === 0) return null;
  const size = dims.reduce((product, dim) => product * dim, 1);
  return new tensor('float32', new Float32Array(size), dims);
}

const ORT_TYPES: Readonly<Record<number, Tensor.Type>> = {
  [DataType.float]: 'float32',
  [DataType.uint8]: 'uint8',
  [DataType.int8]: 'int8',
  [DataType.int32]: 'int32',
  [DataType.int64]: 'int64',
  [DataType.bool]: 'bool',
  [DataType.double]: 'float64',
};

/** onnxruntime's name of an element type. */
function ortType(type: number): Tensor.Type {
  const name = ORT_TYPES[type];
  if (name === undefined) throw new RangeError(`cannot feed element type ${type}`);
  return name;
}

/** @file One onnxruntime session: opening it, what its graph asks for, and running it. */
import type { InferenceSession, Tensor } from 'onnxruntime-common';
import { ortType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Feed } from '../../../packages/onnx/src/graph/tensor.js';
import { defined } from '../../core/defined.js';
import type { ModelError } from '../../core/errors.js';
import { messageOf } from '../../core/errors.js';
import type { LinkedGraph } from '../graph/linked-graph.js';
import { loadFailure, runFailure } from './failures.js';
import type { Served } from './messages.js';
import { withoutTelemetry } from './no-telemetry.js';
import { loadRuntime } from './runtime.js';

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

export interface SessionOptions {
  /** Fusions and constant folding; off where every intermediate is wanted as it is. @default true */
  readonly optimise?: boolean;
  /** One thread adds its numbers in one order: bitwise equal rows whatever the batch size. @default 1 */
  readonly threads?: number;
  /** Execution providers of onnxruntime. @default the processor's */
  readonly providers?: InferenceSession.ExecutionProviderConfig[];
}

export interface SessionPlan extends SessionOptions {
  /** A file by its path, so that external data is found beside it; or the bytes of a graph that we made, which may name files of a folder. */
  readonly source: string | Uint8Array | LinkedGraph;
  /** Name in errors, if it is not a file. */
  readonly name?: string;
}

/** Texts to feed: [texts] or [texts, 1]. */
interface TextFeed {
  readonly strings: readonly string[];
  readonly dims: readonly number[];
}

/** Result of a run: onnxruntime's type, dimensions, elements. */
export interface Result {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: Tensor['data'];
}

export type Feeds = ReadonlyMap<string, Feed | TextFeed>;
export type Results = ReadonlyMap<string, Result>;

/** On a CPU, the fused sum and LayerNorm is slower than the two operators: 1.15 times a whole model of width 256. */
const SLOW_FUSIONS = 'SkipLayerNormFusion';

export class OrtSession {
  readonly ports: Ports;
  readonly #session: InferenceSession;
  readonly #Tensor: typeof Tensor;
  readonly #name: string | undefined;
  /** Outputs of fixed shape share one buffer across runs, because allocating megabytes costs more than many products. */
  readonly #places: Readonly<Record<string, Tensor | null>>;

  private constructor(session: InferenceSession, tensor: typeof Tensor, name: string | undefined) {
    this.#session = session;
    this.#Tensor = tensor;
    this.#name = name;
    this.#places = Object.fromEntries(session.outputMetadata.map((output) => [output.name, placeOf(output, tensor)]));
    this.ports = { inputs: session.inputMetadata.map(port), outputs: session.outputMetadata.map(port) };
  }

  /** Threads do not spin while they wait: on busy cores that doubles the time of a run. Throws ModelError. */
  static async open({
    source,
    name: called,
    optimise = true,
    threads = 1,
    providers,
  }: SessionPlan): Promise<OrtSession> {
    const name = typeof source === 'string' ? source : called;
    const [graph, folder] = linkedTo(source);
    withoutTelemetry();
    const ort = loadRuntime();
    try {
      const session = await ort.InferenceSession.create(graph as string, {
        ...defined({ executionProviders: providers }),
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        executionMode: 'sequential',
        graphOptimizationLevel: optimise ? 'all' : 'disabled',
        logSeverityLevel: 4,
        extra: {
          session: {
            intra_op: { allow_spinning: '0' },
            inter_op: { allow_spinning: '0' },
            ...defined({ model_external_initializers_file_folder_path: folder }),
          },
          ...(providers === undefined && { optimization: { disable_specified_optimizers: SLOW_FUSIONS } }),
        },
      });
      return new OrtSession(session, ort.Tensor, name);
    } catch (cause) {
      throw loadFailure(name, messageOf(cause), cause);
    }
  }

  /** The outputs by name, valid until the next run; `wanted` names the only ones to compute. @default all. Throws ModelError. */
  async run(feeds: Feeds, wanted?: readonly string[]): Promise<Results> {
    const given: Record<string, Tensor> = {};
    for (const [name, feed] of feeds) {
      given[name] =
        'strings' in feed
          ? new this.#Tensor('string', [...feed.strings], feed.dims)
          : new this.#Tensor(ortType(feed.type), feed.data, feed.dims);
    }
    try {
      return new Map(Object.entries(await this.#session.run(given, wanted ?? this.#places)));
    } catch (cause) {
      throw runFailure(this.#name, messageOf(cause), cause);
    }
  }

  /** The error for an invalid answer. */
  refuse(what: string): ModelError {
    return runFailure(this.#name, what);
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}

/** The model for onnxruntime, and the folder of the files that it names. */
const linkedTo = (source: SessionPlan['source']): [string | Uint8Array, string | undefined] =>
  typeof source === 'string' || source instanceof Uint8Array ? [source, undefined] : [source.bytes, source.folder];

/** A session in a worker: see worker.ts. */
export async function serve(plan: SessionPlan): Promise<Served<Ports, Feeds, Results>> {
  const session = await OrtSession.open(plan);
  return {
    ready: session.ports,
    // A tensor's parts are getters, which messages cannot carry.
    answer: async (feeds) =>
      new Map(Array.from(await session.run(feeds), ([name, { type, dims, data }]) => [name, { type, dims, data }])),
    release: () => session.release(),
  };
}

const port = (meta: InferenceSession.ValueMetadata): Port =>
  meta.isTensor
    ? { name: meta.name, type: meta.type, shape: meta.shape }
    : { name: meta.name, type: undefined, shape: [] };

function placeOf(output: InferenceSession.ValueMetadata, tensor: typeof Tensor): Tensor | null {
  if (!output.isTensor || output.type !== 'float32') return null;
  const dims = output.shape.filter((dim): dim is number => typeof dim === 'number' && dim >= 0);
  // A rank of 0 also means "unknown".
  if (dims.length < output.shape.length || dims.length === 0) return null;
  const size = dims.reduce((product, dim) => product * dim, 1);
  return new tensor('float32', new Float32Array(size), dims);
}

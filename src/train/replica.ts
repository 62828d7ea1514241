/**
 * @file One of several threads that learn side by side. Each has a copy of the weights, runs the training graph on its part of a step's
 * texts, and takes the optimiser's step for its parameters. Gradients and new weights pass through shared memory, which onnxruntime does
 * not accept, hence the copies. Every sum has a fixed order, so the result does not depend on the number of threads.
 */
import { gradientOf } from '../../packages/onnx/src/autodiff/gradient-graph.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { Feed } from '../../packages/onnx/src/graph/tensor.js';
import { must } from '../core/errors.js';
import { random } from '../core/random.js';
import type { Runner } from '../gradient/white-box/engine.js';
import { openRunner } from '../gradient/white-box/open-session.js';
import type { Served } from '../model/workers/messages.js';
import { AdamW } from './adamw.js';
import type { Mask } from './architectures/architecture-builder.js';
import { maskFeeds, type PaddedBatch } from './batch-feeds.js';
import { GradientSums } from './gradients.js';
import type { Parameter } from './parameter.js';

/** Data that all replicas share; its arrays are in shared memory. */
export interface SharedTraining {
  /** Parameter -> new values, written by its owner. */
  readonly weights: ReadonlyMap<string, Float32Array>;
  /** One a replica: parameter with a dense gradient that another one owns -> that of its latest pass. */
  readonly gradients: readonly ReadonlyMap<string, Float32Array>[];
  /** Name of the loss. */
  readonly loss: string;
  /** Looked-up rows, whose gradients are answered. */
  readonly rows: readonly string[];
  readonly masks: readonly Mask[];
  readonly seed: number;
}

export interface ReplicaPlan {
  readonly shared: SharedTraining;
  /** Its place in `gradients`. */
  readonly at: number;
  /** The file of the training graph. */
  readonly graph: Uint8Array;
  /** All, with the values they start from. */
  readonly parameters: readonly Parameter[];
  readonly owned: readonly string[];
  readonly weightDecay: number;
  /** Where the optimiser stands: see AdamW.restore. */
  readonly steps: number;
  readonly state: ReadonlyMap<string, Float32Array>;
}

/** A part of a step's texts; `noise` names the stream that dropout is drawn from. */
export interface ReplicaPass {
  readonly kind: 'pass';
  readonly feeds: ReadonlyMap<string, Feed>;
  readonly tokens: PaddedBatch;
  readonly noise: readonly string[];
}

export type ReplicaRequest =
  | ReplicaPass
  /** Add so much of the latest pass of each replica, in their order, to the step's gradients. */
  | { readonly kind: 'sum'; readonly shares: readonly number[] }
  | { readonly kind: 'step'; readonly rate: number; readonly scale: number }
  /** Forget the step's gradients: it diverged. */
  | { readonly kind: 'drop' }
  /** Requests the optimiser's state. */
  | { readonly kind: 'state' };

export interface ReplicaAnswer {
  /** Result of a pass. */
  readonly loss?: number;
  /** Result of a pass: gradients of the looked-up rows, by the rows' names. */
  readonly rows?: ReadonlyMap<string, Float32Array>;
  /** Result of a sum: parameter -> sum of its squared gradient. */
  readonly squares?: ReadonlyMap<string, number>;
  readonly state?: ReadonlyMap<string, Float32Array>;
}

/** A replica in the calling thread. */
export class Replica {
  readonly #plan: Pick<ReplicaPlan, 'shared' | 'at' | 'parameters' | 'owned'>;
  readonly #runner: Runner;
  readonly #optimiser: AdamW;
  readonly #owned: ReadonlySet<string>;
  readonly #gradients: GradientSums;
  /** Result of the latest pass. */
  #latest: ReadonlyMap<string, Float32Array> = new Map();
  /** The others have changed their weights since ours were read. */
  #stale = false;

  /** `optimiser`: of the owned parameters at least. */
  constructor(
    plan: Pick<ReplicaPlan, 'shared' | 'at' | 'parameters' | 'owned'>,
    runner: Runner,
    optimiser: AdamW,
    gradients = new GradientSums(
      plan.parameters.filter(({ table }) => !table),
      Number.POSITIVE_INFINITY,
    ),
  ) {
    this.#plan = plan;
    this.#runner = runner;
    this.#optimiser = optimiser;
    this.#owned = new Set(plan.owned);
    this.#gradients = gradients;
  }

  async answer(request: ReplicaRequest): Promise<ReplicaAnswer> {
    switch (request.kind) {
      case 'pass':
        return this.#pass(request);
      case 'sum':
        return { squares: this.#sum(request.shares) };
      case 'step':
        this.#step(request.rate, request.scale);
        return {};
      case 'drop':
        this.#gradients.clear();
        return {};
      case 'state':
        return { state: this.#optimiser.state };
    }
  }

  async #pass({ feeds, tokens, noise }: ReplicaPass): Promise<ReplicaAnswer> {
    const { parameters, shared, at } = this.#plan;
    this.refresh();
    const weights = parameters.map(
      ({ name, dims, values }) => [name, { type: DataType.float, dims, data: values }] as const,
    );
    const masks = maskFeeds(shared.masks, tokens, random(shared.seed, ...noise));
    const out = await this.#runner.run(new Map<string, Feed>([...weights, ...feeds, ...masks]));
    this.#latest = out;
    for (const [name, place] of must(shared.gradients[at])) place.set(must(out.get(gradientOf(name))));
    const rows = shared.rows.map((name) => [name, must(out.get(gradientOf(name))).slice()] as const);
    return { loss: out.get(shared.loss)?.[0] as number, rows: new Map(rows) };
  }

  /** Reads the weights that other replicas update, if they have changed. */
  refresh(): void {
    if (!this.#stale) return;
    const { parameters, shared } = this.#plan;
    for (const { name, values } of parameters) {
      if (!this.#owned.has(name)) values.set(must(shared.weights.get(name)));
    }
    this.#stale = false;
  }

  #sum(shares: readonly number[]): Map<string, number> {
    const { parameters, shared, at } = this.#plan;
    const squares = new Map<string, number>();
    for (const { name, table } of parameters) {
      // The rows of tables are scattered by who made the batches.
      if (table || !this.#owned.has(name)) continue;
      shares.forEach((share, by) => {
        const pass = (by === at ? this.#latest.get(gradientOf(name)) : shared.gradients[by]?.get(name)) as Float32Array;
        if (by < shares.length - 1) this.#gradients.add(name, pass, share);
        else squares.set(name, this.#gradients.addLast(name, pass, share));
      });
    }
    return squares;
  }

  #step(rate: number, scale: number): void {
    const { parameters, shared } = this.#plan;
    this.#optimiser.step(this.#gradients, rate, scale, this.#owned);
    for (const { name, values } of parameters) if (this.#owned.has(name)) shared.weights.get(name)?.set(values);
    this.#gradients.clear();
    this.#stale = true;
  }
}

/** A replica in a worker: see model/worker.ts. */
export async function serve(plan: ReplicaPlan): Promise<Served<true, ReplicaRequest, ReplicaAnswer>> {
  const { parameters, owned, graph } = plan;
  const runner = await openRunner(graph);
  const optimiser = new AdamW(
    parameters.filter(({ name }) => owned.includes(name)),
    plan.weightDecay,
  );
  optimiser.restore(plan.steps, plan.state);
  const replica = new Replica(plan, runner, optimiser);
  return { ready: true, answer: (request) => replica.answer(request), release: () => runner.release() };
}

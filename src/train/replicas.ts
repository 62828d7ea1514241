/** @file The replicas of a training: who owns which parameters, and the order in which they compute a step together. */
import { must } from '../core/errors.js';
import type { Runner } from '../gradient/white-box/engine.js';
import { tokenValues } from '../model/workers/feeds.js';
import { WorkerPool } from '../model/workers/pool.js';
import type { AdamW } from './adamw.js';
import { GradientSums } from './gradients.js';
import type { Parameter } from './parameter.js';
import { Replica, type ReplicaAnswer, type ReplicaPlan, type ReplicaRequest, type SharedTraining } from './replica.js';
import type { TrainableModel } from './trainable-model.js';
import type { TrainingBatch } from './training-batches.js';

/** A part of a step's texts, and what its gradient counts. */
export interface StepPart {
  readonly trainingBatch: TrainingBatch;
  readonly share: number;
}

export interface ReplicasPlan {
  readonly trainable: TrainableModel;
  readonly seed: number;
  /** The file of the training graph, and this thread's session of it. */
  readonly graph: Uint8Array;
  readonly runner: Runner;
  /** Replicas, at least 2: this thread is the first. */
  readonly count: number;
  /** Optimiser of all parameters. */
  readonly optimiser: AdamW;
  readonly weightDecay: number;
}

type Pool = WorkerPool<true, ReplicaRequest, ReplicaAnswer>;

/** A row of a table counts half a weight of a matrix: few tables are seen whole. */
const TABLE_WORK = 0.5;

export class Replicas {
  readonly #plan: ReplicasPlan;
  readonly #here: Replica;
  readonly #others: readonly Pool[];
  readonly #gradients: GradientSums;

  private constructor(plan: ReplicasPlan, here: Replica, others: readonly Pool[], gradients: GradientSums) {
    this.#plan = plan;
    this.#here = here;
    this.#others = others;
    this.#gradients = gradients;
  }

  /** Throws ModelError. */
  static async open(plan: ReplicasPlan): Promise<Replicas> {
    const { trainable, graph, runner, count, optimiser, weightDecay, seed } = plan;
    const { parameters, lookups, loss, masks } = trainable;
    const owned = ownersOf(parameters, count);
    const places = (of: readonly Parameter[]) =>
      new Map(of.map(({ name, values }) => [name, new Float32Array(new SharedArrayBuffer(values.byteLength))]));
    const shared: SharedTraining = {
      weights: places(parameters),
      gradients: owned.map((own) => places(parameters.filter(({ name, table }) => !table && !own.includes(name)))),
      loss,
      rows: lookups.map(({ rows }) => rows),
      masks,
      seed,
    };
    const others = owned.slice(1).map((names, other): Pool => {
      const state = Array.from(optimiser.state).filter(([name]) => names.some((each) => name.endsWith(`/${each}`)));
      const own: ReplicaPlan = {
        shared,
        at: other + 1,
        graph,
        parameters,
        owned: names,
        weightDecay,
        steps: optimiser.steps,
        state: new Map(state),
      };
      return new WorkerPool({ module: 'train/replica.js', plan: own, model: 'a graph made of the model', size: 1 });
    });
    const gradients = new GradientSums(parameters, Number.POSITIVE_INFINITY);
    const here = new Replica({ shared, at: 0, parameters, owned: must(owned[0]) }, runner, optimiser, gradients);
    const replicas = new Replicas(plan, here, others, gradients);
    await Promise.all(others.map((pool) => pool.open())).catch(async (error) => {
      await replicas.release();
      throw error;
    });
    return replicas;
  }

  /** Adds the gradients of the parts, in their order: their losses and the norm of the sum. `step` or `drop` comes next. */
  async learn(parts: readonly StepPart[]): Promise<{ losses: number[]; norm: number }> {
    const losses: number[] = [];
    let squares = new Map<string, number>();
    const count = 1 + this.#others.length;
    for (let from = 0; from < parts.length; from += count) {
      const wave = parts.slice(from, from + count);
      const passes = await this.#all((at): ReplicaRequest | undefined => {
        const { unmasked, tokens, noise } = wave[at]?.trainingBatch ?? {};
        return unmasked && tokens && noise && { kind: 'pass', feeds: unmasked, tokens, noise };
      });
      const shares = wave.map(({ share }) => share);
      // The others add while this thread scatters.
      const summing = this.#all(() => ({ kind: 'sum', shares }));
      wave.forEach(({ trainingBatch: { tokens }, share }, at) => {
        const { loss, rows } = must(passes[at]);
        losses.push(must(loss));
        for (const { table, role, rows: name } of this.#plan.trainable.lookups) {
          this.#gradients.scatter(table, tokenValues(role, tokens, tokens), rows?.get(name) as Float32Array, share);
        }
      });
      squares = new Map((await summing).flatMap((sum) => [...(sum?.squares ?? [])]));
    }
    const dense = this.#plan.trainable.parameters.filter(({ table }) => !table);
    return { losses, norm: this.#gradients.norm(dense.map(({ name }) => must(squares.get(name)))) };
  }

  async step(rate: number, scale: number): Promise<void> {
    await this.#all(() => ({ kind: 'step', rate, scale }));
    this.#here.refresh();
  }

  async drop(): Promise<void> {
    await this.#all(() => ({ kind: 'drop' }));
  }

  /** Brings the optimiser of all parameters, of which each replica moves its own, up to date. */
  async gather(): Promise<void> {
    const states = await Promise.all(this.#others.map((pool) => pool.ask({ kind: 'state' })));
    const saved = new Map(states.flatMap(({ state }) => [...(state ?? [])]));
    const { optimiser } = this.#plan;
    optimiser.restore(optimiser.steps, new Map([...optimiser.state, ...saved]));
  }

  async release(): Promise<void> {
    await Promise.all(this.#others.map((pool) => pool.close()));
  }

  /** Asks the others first, then this thread, which blocks while it computes. */
  async #all(request: (at: number) => ReplicaRequest | undefined): Promise<(ReplicaAnswer | undefined)[]> {
    const requests = this.#others.map((pool, other) => {
      const own = request(other + 1);
      return own && pool.ask(own);
    });
    const own = request(0);
    const here = own && (await this.#here.answer(own));
    return [here, ...(await Promise.all(requests))];
  }
}

/** Each replica's parameters: the largest first, to whom has least; tables, whose rows few texts touch, are this thread's. */
function ownersOf(parameters: readonly Parameter[], count: number): string[][] {
  const owned: string[][] = Array.from({ length: count }, () => []);
  const work = owned.map(() => 0);
  for (const { name, values, table } of parameters) {
    if (!table) continue;
    owned[0]?.push(name);
    work[0] = work[0]! + TABLE_WORK * values.length;
  }
  const dense = parameters.filter(({ table }) => !table).sort((a, b) => b.values.length - a.values.length);
  for (const { name, values } of dense) {
    const least = work.indexOf(Math.min(...work));
    owned[least]?.push(name);
    work[least] = work[least]! + values.length;
  }
  return owned;
}

/**
 * @file The steps of a training: the texts, what an adversary makes of them and rewritten copies become one change of the
 * weights. All chance is a function of the seed and the step.
 */
import { type Random, random } from '../core/random.js';
import type { Adversary } from './adversarial/adversary.js';
import { shareOf } from './adversarial/options.js';
import { weightFeeds } from './batch-feeds.js';
import { byLength, PART_TEXTS, parts } from './batches.js';
import type { TrainingState } from './checkpoint.js';
import type { ExampleStore } from './example-store.js';
import { GradientSums } from './gradients.js';
import type { Replicas, StepPart } from './replicas.js';
import type { Training } from './training.js';
import { type TrainingBatch, TrainingBatches } from './training-batches.js';
import type { TrainingGraph } from './training-graph.js';

/** Most passes of the graph in a step. */
export const mostParts = ({ options, unpadded }: Pick<Training, 'options' | 'unpadded'>): number =>
  unpadded ? options.batchSize : Math.ceil(options.batchSize / PART_TEXTS);

export class Steps {
  readonly #training: Training;
  readonly #learner: TrainingState;
  readonly #graph: TrainingGraph;
  readonly #adversary: Adversary | undefined;
  readonly #replicas: Replicas | undefined;
  readonly #gradients: GradientSums;
  readonly #batches: TrainingBatches;
  /** Shares of the untouched texts and of each adversarial method in the loss. */
  readonly #alpha: number;
  readonly #share: number;
  #copies: readonly ExampleStore[] = [];
  #tokens = 0;

  constructor(
    training: Training,
    learner: TrainingState,
    trainingGraph: TrainingGraph,
    adversary: Adversary | undefined,
    replicas: Replicas | undefined,
  ) {
    const { options } = training;
    this.#training = training;
    this.#learner = learner;
    this.#graph = trainingGraph;
    this.#adversary = adversary;
    this.#replicas = replicas;
    this.#gradients = new GradientSums(
      learner.parameters,
      options.adversarial || mostParts(training) > 1 ? Number.POSITIVE_INFINITY : 1,
    );
    this.#batches = new TrainingBatches(training);
    this.#alpha = options.adversarial?.alpha ?? 1;
    this.#share = options.adversarial ? shareOf(options.adversarial) : 0;
  }

  /** Tokens learnt from so far, padding not counted. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Has the copies of an epoch rewritten, unless the training is stopped meanwhile. */
  async rewrite(epoch: number): Promise<void> {
    const { copies, signal } = this.#training;
    if (!copies || this.#alpha === 1) return;
    this.#copies = await copies.train(epoch).catch((error) => {
      if (!signal?.aborted) throw error;
      return [];
    });
  }

  /** Step number `step`, at the learning rate `rate`: the mean loss of its texts. NaN where it diverged: the weights are then unchanged. */
  async take(batch: Uint32Array, step: number, rate: number): Promise<number> {
    const { options } = this.#training;
    const { loss, norm } = await (this.#replicas
      ? this.#learnTogether(this.#replicas, batch, step)
      : this.#learnAlone(batch, step));
    if (!Number.isFinite(loss) || !Number.isFinite(norm)) {
      await this.#replicas?.drop();
      return Number.NaN;
    }
    const scale = options.clip > 0 && norm > options.clip ? options.clip / norm : 1;
    if (this.#replicas) await this.#replicas.step(rate, scale);
    else this.#learner.optimiser.step(this.#gradients, rate, scale);
    return loss;
  }

  /** Before the state of the optimiser is saved. */
  async gather(): Promise<void> {
    await this.#replicas?.gather();
  }

  async #learnAlone(batch: Uint32Array, step: number): Promise<{ loss: number; norm: number }> {
    const { options } = this.#training;
    const weights = weightFeeds(this.#learner.parameters);
    this.#gradients.clear();
    let loss = 0;
    let part = 0;
    for (const { trainingBatch, share } of this.#texts(batch, step)) {
      const adversarial = random(options.seed, 'adversary', `${step}.${part++}`);
      loss += await this.#learn(trainingBatch, share, weights, adversarial);
    }
    for (const { trainingBatch, share } of this.#rewrite(batch, step)) {
      loss += share * (await this.#graph.plain(trainingBatch, share, weights, this.#gradients));
    }
    return { loss, norm: this.#gradients.norm() };
  }

  async #learnTogether(replicas: Replicas, batch: Uint32Array, step: number): Promise<{ loss: number; norm: number }> {
    const all = [...this.#texts(batch, step), ...this.#rewrite(batch, step)];
    const { losses, norm } = await replicas.learn(all);
    return { loss: losses.reduce((sum, loss, at) => sum + all[at]!.share * loss, 0), norm };
  }

  /** The texts of a step, cut into parts of a pass each. */
  *#texts(batch: Uint32Array, step: number): Generator<StepPart> {
    const { train } = this.#training;
    const weight = this.#batches.weight(batch);
    for (const [part, texts] of this.#runs(batch, train).entries()) {
      const trainingBatch = this.#batches.of(texts, weight, ['noise', `${step}.${part}`]);
      this.#tokens += trainingBatch.size;
      yield { trainingBatch, share: this.#alpha };
    }
  }

  /** Their rewritten copies. */
  *#rewrite(batch: Uint32Array, step: number): Generator<StepPart> {
    for (const [at, copies] of this.#copies.entries()) {
      const weight = this.#batches.weight(batch, copies);
      for (const [part, texts] of this.#runs(batch, copies).entries()) {
        const trainingBatch = this.#batches.of(texts, weight, ['noise', `${step}.${part}`, `copies ${at}`], copies);
        this.#tokens += trainingBatch.size;
        yield { trainingBatch, share: this.#share };
      }
    }
  }

  #runs(batch: Uint32Array, { lengths }: ExampleStore): Uint32Array[] {
    return this.#training.unpadded ? byLength(batch, lengths).flatMap(parts) : parts(batch);
  }

  /** The loss of a batch; its gradients are added to the step's. */
  async #learn(trainingBatch: TrainingBatch, share: number, weights: Weights, adversarial: Random): Promise<number> {
    const [trainingGraph, adversary] = [this.#graph, this.#adversary];
    if (!adversary) return share * (await trainingGraph.plain(trainingBatch, share, weights, this.#gradients));
    return adversary.learn(trainingBatch.tokens, adversarial, (change, share) =>
      trainingGraph.applyChange(trainingBatch, change, share, weights, this.#gradients),
    );
  }
}

type Weights = ReturnType<typeof weightFeeds>;

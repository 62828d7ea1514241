/**
 * @file The steps of a training: the texts, what an adversary makes of them and rewritten copies become one change of the
 * weights. All chance is a function of the seed and the step.
 */
import { type Random, random } from '../core/random.js';
import { type Adversary, shareOf } from './adversarial/adversary.js';
import { weightFeeds } from './batch-feeds.js';
import { byLength } from './batches.js';
import { measured, type TrainingState } from './checkpoint.js';
import type { ExampleStore } from './example-store.js';
import { GradientSums } from './gradients.js';
import type { Training } from './training.js';
import { type TrainingBatch, TrainingBatches } from './training-batches.js';
import type { TrainingGraph } from './training-graph.js';

export class Steps {
  readonly #training: Training;
  readonly #learner: TrainingState;
  readonly #graph: TrainingGraph;
  readonly #adversary: Adversary | undefined;
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
  ) {
    const { options, unpadded } = training;
    this.#training = training;
    this.#learner = learner;
    this.#graph = trainingGraph;
    this.#adversary = adversary;
    this.#gradients = new GradientSums(
      learner.parameters,
      unpadded || options.adversarial ? Number.POSITIVE_INFINITY : options.accumulate,
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
    this.#copies = await copies.train(epoch, measured(this.#learner)).catch((error) => {
      if (!signal?.aborted) throw error;
      return [];
    });
  }

  /** Step number `step`, at the learning rate `rate`: the mean loss of its texts. NaN where it diverged: the weights are then unchanged. */
  async take(batches: readonly Uint32Array[], step: number, rate: number): Promise<number> {
    const { options, unpadded, train } = this.#training;
    const weights = weightFeeds(this.#learner.parameters);
    this.#gradients.clear();
    const weight = this.#batches.weight(batches);
    let loss = 0;
    const runs = unpadded ? batches.flatMap((batch) => byLength(batch, train.lengths)) : batches;
    for (const [part, batch] of runs.entries()) {
      const trainingBatch = this.#batches.of(batch, weight, random(options.seed, 'noise', `${step}.${part}`));
      this.#tokens += trainingBatch.size;
      loss += await this.#learn(trainingBatch, weights, random(options.seed, 'adversary', `${step}.${part}`));
    }
    for (const [at, copies] of this.#copies.entries()) {
      const parts = unpadded ? batches.flatMap((batch) => byLength(batch, copies.lengths)) : batches;
      for (const [part, batch] of parts.entries()) {
        const noise = random(options.seed, 'noise', `${step}.${part}`, `copies ${at}`);
        const trainingBatch = this.#batches.of(batch, weight, noise, copies);
        this.#tokens += trainingBatch.size;
        loss += this.#share * (await this.#graph.plain(trainingBatch, this.#share, weights, this.#gradients));
      }
    }
    const norm = this.#gradients.norm();
    if (!Number.isFinite(loss) || !Number.isFinite(norm)) return Number.NaN;
    const scale = options.clip > 0 && norm > options.clip ? options.clip / norm : 1;
    this.#learner.optimiser.step(this.#gradients, rate, scale);
    this.#learner.average?.update();
    return loss;
  }

  /** The loss of a batch; its gradients are added to the step's. */
  async #learn(trainingBatch: TrainingBatch, weights: Weights, adversarial: Random): Promise<number> {
    const [trainingGraph, adversary] = [this.#graph, this.#adversary];
    if (!adversary)
      return this.#alpha * (await trainingGraph.plain(trainingBatch, this.#alpha, weights, this.#gradients));
    return adversary.learn(trainingBatch.tokens, adversarial, (change, share) =>
      trainingGraph.changed(trainingBatch, change, share, weights, this.#gradients),
    );
  }
}

type Weights = ReturnType<typeof weightFeeds>;

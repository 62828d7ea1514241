import { random } from '../core/random.js';
import type { Runner } from '../gradient/white-box/engine.js';
import type { Adversary } from './adversarial/adversary.js';
import { underAttack } from './adversarial/under-attack.js';
import { weightFeeds } from './batch-feeds.js';
import type { Measurement } from './history.js';
import type { BatchChange } from './pass.js';
import { scoreOf } from './scores.js';
import type { Training } from './training.js';
import type { TrainingBatch } from './training-batches.js';
import type { TrainingGraph } from './training-graph.js';
import { measure } from './validation.js';

export type EvaluationResult = Pick<Measurement, 'validation' | 'underAttack'>;

export class Evaluation {
  readonly #training: Training;
  readonly #forward: Runner;
  readonly #graph: TrainingGraph;
  readonly #adversary: Adversary | undefined;

  constructor(training: Training, forward: Runner, trainingGraph: TrainingGraph, adversary: Adversary | undefined) {
    this.#training = training;
    this.#forward = forward;
    this.#graph = trainingGraph;
    this.#adversary = adversary;
  }

  /** `values` replace those of the parameters. */
  async take(values: ReadonlyMap<string, Float32Array>): Promise<EvaluationResult> {
    const { trainable, validation } = this.#training;
    const weights = weightFeeds(trainable.parameters, values);
    const clean = await measure(this.#forward, trainable, validation, this.#training, weights);
    const attacked = await this.#underAttack(weights);
    return { validation: clean, underAttack: attacked };
  }

  /** The score that selects the weights to keep. */
  score({ validation, underAttack: attacked }: EvaluationResult): number {
    const { metric, adversarial } = this.#training.options;
    const clean = scoreOf(validation, metric);
    if (!adversarial || attacked === undefined) return clean;
    return adversarial.alpha * clean + (1 - adversarial.alpha) * attacked;
  }

  /** In adversarial training: accuracy, of tags F1 of entities, on validation texts that the methods perturb. The noise is the same each time. */
  async #underAttack(weights: ReturnType<typeof weightFeeds>): Promise<number | undefined> {
    const training = this.#training;
    const { options, trainable, copies } = training;
    if (!options.adversarial || options.adversarial.alpha === 1) return undefined;
    const pass = (trainingBatch: TrainingBatch) => (change: BatchChange) =>
      this.#graph.applyChange(trainingBatch, change, 0, weights);
    const draw = random(options.seed, 'under attack');
    const accuracies = this.#adversary ? await underAttack(this.#adversary, training, draw, pass) : [];
    for (const store of (await copies?.validation()) ?? []) {
      const { entityF1, accuracy } = await measure(this.#forward, trainable, store, training, weights);
      accuracies.push(entityF1 ?? accuracy ?? Number.NaN);
    }
    return accuracies.reduce((sum, accuracy) => sum + accuracy, 0) / accuracies.length;
  }
}

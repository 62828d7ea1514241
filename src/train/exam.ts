/** @file How good the weights at hand are, as far as it decides which are kept: on validation texts, and on what adversaries make of them. */
import { random } from '../core/random.js';
import type { Runner } from '../gradient/white-box/engine.js';
import type { Adversary } from './adversarial/adversary.js';
import { underAttack } from './adversarial/under-attack.js';
import { weightFeeds } from './batch-feeds.js';
import type { Point } from './history.js';
import type { Lesson } from './lessons.js';
import type { Change, Passes } from './passes.js';
import type { Training } from './training.js';
import { measure } from './validation.js';

export type Mark = Pick<Point, 'validation' | 'underAttack'>;

export class Exam {
  readonly #training: Training;
  readonly #forward: Runner;
  readonly #passes: Passes;
  readonly #adversary: Adversary | undefined;

  constructor(training: Training, forward: Runner, passes: Passes, adversary: Adversary | undefined) {
    this.#training = training;
    this.#forward = forward;
    this.#passes = passes;
    this.#adversary = adversary;
  }

  /** `values` stand in for the parameters' own. */
  async take(values: ReadonlyMap<string, Float32Array>): Promise<Mark> {
    const { trainee, validation } = this.#training;
    const weights = weightFeeds(trainee.parameters, values);
    const clean = await measure(this.#forward, trainee, validation, this.#training, weights);
    const attacked = await this.#underAttack(weights);
    return { validation: clean, ...(attacked !== undefined && { underAttack: attacked }) };
  }

  /** What chooses the weights to keep. */
  score({ validation, underAttack: attacked }: Mark): number {
    const { metric, adversarial } = this.#training.options;
    if (!adversarial || attacked === undefined) return validation[metric];
    return adversarial.alpha * validation[metric] + (1 - adversarial.alpha) * attacked;
  }

  /** In adversarial training: accuracy on validation texts that the methods perturb. The noise is the same each time. */
  async #underAttack(weights: ReturnType<typeof weightFeeds>): Promise<number | undefined> {
    const training = this.#training;
    const { options, trainee, copies } = training;
    if (!options.adversarial || options.adversarial.alpha === 1) return undefined;
    const pass = (lesson: Lesson) => (change: Change) => this.#passes.changed(lesson, change, 0, weights);
    const draw = random(options.seed, 'under attack');
    const accuracies = this.#adversary ? await underAttack(this.#adversary, training, draw, pass) : [];
    for (const store of (await copies?.validation()) ?? []) {
      accuracies.push((await measure(this.#forward, trainee, store, training, weights)).accuracy);
    }
    return accuracies.reduce((sum, accuracy) => sum + accuracy, 0) / accuracies.length;
  }
}

/** @file Adversarial training: each batch is learnt unperturbed, and once or more as the methods perturb it. */
import type { Random } from '../../core/random.js';
import { meanRowNorm } from '../../core/row-norm.js';
import type { PaddedBatch } from '../batch-feeds.js';
import type { PassResult } from '../pass.js';
import type { Perturb, PerturbationContext, Words } from './methods/method.js';
import type { MovableBatch } from './moves.js';
import { type AdversarialOptions, shareOf } from './options.js';
import type { Perturbable } from './perturbable.js';

/** Runs the current batch with a change; adds a share of its gradients to the step's. */
export type Pass = PerturbationContext['pass'];

export class Adversary {
  readonly #alpha: number;
  readonly #share: number;
  readonly #methods: readonly Perturb[];
  readonly #perturbable: Perturbable;
  readonly #special: ReadonlySet<number>;

  constructor(options: AdversarialOptions, perturbable: Perturbable, words: Words = {}) {
    this.#alpha = options.alpha;
    this.#share = shareOf(options);
    this.#special = new Set(words.special);
    this.#methods = options.methods.flatMap(({ perturb }) => perturb?.(words) ?? []);
    this.#perturbable = perturbable;
  }

  /** Learns a batch in all ways. Returns the loss J'. */
  async learn(tokens: PaddedBatch, random: Random, pass: Pass): Promise<number> {
    let loss = 0;
    const countPass: Pass = async (change, share) => {
      const result = await pass(change, share);
      loss += share * result.loss;
      return result;
    };
    const clean = await countPass({}, this.#alpha);
    await this.#perturb(tokens, clean, random, countPass, this.#share);
    return loss;
  }

  /** Perturbs a batch in all ways and learns nothing. Returns the last pass of each method. */
  async attack(tokens: PaddedBatch, random: Random, pass: Pass): Promise<PassResult[]> {
    return this.#perturb(tokens, await pass({}, 0), random, pass, 0);
  }

  async #perturb(
    tokens: PaddedBatch,
    clean: PassResult,
    random: Random,
    pass: Pass,
    share: number,
  ): Promise<PassResult[]> {
    const context = { tokens, batch: this.#movableBatchOf(tokens), clean, table: this.#perturbable.table, pass };
    const results: PassResult[] = [];
    for (const [at, perturb] of this.#methods.entries()) {
      results.push(await perturb({ ...context, random: random.split(String(at)) }, share));
    }
    return results;
  }

  #movableBatchOf({ texts, length, ids, padId }: PaddedBatch): MovableBatch {
    const { hidden, table } = this.#perturbable;
    const movable = Uint8Array.from(ids, (id) => Number(id !== padId && !this.#special.has(id)));
    return { texts, length, hidden, movable, unit: meanRowNorm(table, hidden) };
  }
}

/** @file Adversarial training: each batch once as it is, and once or more as gradients make it. */
import type { Random } from '../../core/random.js';
import { meanRowNorm } from '../../core/row-norm.js';
import type { PaddedBatch } from '../batch-feeds.js';
import type { BatchChange, PassResult } from '../training-graph.js';
import type { MovableBatch } from './moves.js';
import { type AdversarialOptions, isAugment, type Perturbation } from './options.js';
import type { Perturbable } from './perturbable.js';
import type { PerturbationMethod } from './perturbation-context.js';
import { fgsm, freeLb, pgd, smart } from './steps.js';
import { a2t, ascc, dne, hotFlip, type Neighbours } from './words.js';

/** Runs the batch at hand with a change; adds a share of its gradients to the step's. */
export type Pass = (change: BatchChange, share: number) => Promise<PassResult>;

/** What is known of the vocabulary. */
export interface Words {
  /** Ids of tokens that stay as they are. @default none */
  readonly special?: readonly number[] | undefined;
  /** @default none */
  readonly neighbours?: Neighbours | undefined;
}

export class Adversary {
  readonly #alpha: number;
  readonly #share: number;
  readonly #methods: readonly PerturbationMethod[];
  readonly #perturbable: Perturbable;
  readonly #special: ReadonlySet<number>;

  constructor(
    options: AdversarialOptions,
    perturbable: Perturbable,
    { special = [], neighbours = new Map() }: Words = {},
  ) {
    const { alpha, methods } = options;
    this.#alpha = alpha;
    this.#share = shareOf(options);
    this.#special = new Set(special);
    this.#methods = methods.flatMap((method) => (isAugment(method) ? [] : [this.#methodOf(method, neighbours)]));
    this.#perturbable = perturbable;
  }

  /** Learns a batch in all ways; the loss J'. */
  async learn(tokens: PaddedBatch, random: Random, pass: Pass): Promise<number> {
    let loss = 0;
    const counted: Pass = async (change, share) => {
      const answer = await pass(change, share);
      loss += share * answer.loss;
      return answer;
    };
    const clean = await counted({}, this.#alpha);
    await this.#perturb(tokens, clean, random, counted, this.#share);
    return loss;
  }

  /** Perturbs a batch in all ways and learns nothing: the answers to what each method made. */
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
    const answers: PassResult[] = [];
    for (const [at, method] of this.#methods.entries()) {
      answers.push(await method({ ...context, random: random.split(String(at)) }, share));
    }
    return answers;
  }

  #methodOf(method: Perturbation, neighbours: Neighbours): PerturbationMethod {
    switch (method.kind) {
      case 'fgsm':
        return fgsm(method);
      case 'pgd':
        return pgd(method);
      case 'freelb':
        return freeLb(method);
      case 'smart':
        return smart(method);
      case 'a2t':
        return a2t(method, neighbours);
      case 'hotflip':
        return hotFlip(method, (id) => !this.#special.has(id));
      case 'ascc':
        return ascc(method, neighbours);
      case 'dne':
        return dne(method, neighbours);
    }
  }

  #movableBatchOf({ texts, length, ids, padId }: PaddedBatch): MovableBatch {
    const { hidden, table } = this.#perturbable;
    const movable = Uint8Array.from(ids, (id) => Number(id !== padId && !this.#special.has(id)));
    return { texts, length, hidden, movable, unit: meanRowNorm(table, hidden) };
  }
}

/** What each method gets of what alpha leaves. */
export const shareOf = ({ alpha, methods }: AdversarialOptions): number => (1 - alpha) / methods.length;

/** @file Rewritten copies of the texts, for the method `augment`: made once, or anew for each epoch. */
import { join } from 'node:path';
import type { Dataset } from '../../core/dataset.js';
import { ExampleStore, type TextEncoder } from '../example-store.js';
import type { Augment } from './options.js';

/**
 * A data set with each text rewritten by one of the attacks of that name, where it has a rewrite: as many examples, in their order,
 * with their labels. A function of its arguments alone.
 */
export type Rewriter = (attacks: string, data: Dataset, round: string) => Dataset;

export interface CopiesPlan {
  readonly methods: readonly Augment[];
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly rewrite: Rewriter;
  readonly encoder: TextEncoder;
  /** Where their tokens are kept while they are learnt. */
  readonly folder: string;
  /** Told what is being made. */
  readonly stage?: (text: string) => void;
  readonly signal?: AbortSignal;
}

export class Copies {
  readonly #plan: CopiesPlan;
  readonly #held = new Map<string, { round: string; store: ExampleStore }>();

  constructor(plan: CopiesPlan) {
    this.#plan = plan;
  }

  /** Of the training texts in an epoch, one store a method, in their order. Throws the signal's reason once it is aborted. */
  train(epoch: number): Promise<ExampleStore[]> {
    return this.#stores('train', this.#plan.train, ({ refresh }) => `epoch ${refresh ? epoch : 0}`);
  }

  /** Of the validation texts: the same for the whole training. */
  validation(): Promise<ExampleStore[]> {
    return this.#stores('validation', this.#plan.validation, () => 'validation');
  }

  async close(): Promise<void> {
    for (const { store } of this.#held.values()) await store.remove();
    this.#held.clear();
  }

  async #stores(part: string, data: Dataset, roundOf: (method: Augment) => string): Promise<ExampleStore[]> {
    const stores: ExampleStore[] = [];
    for (const [at, method] of this.#plan.methods.entries()) {
      stores.push(await this.#store(`${part}-copies-${at}`, data, method, roundOf(method)));
    }
    return stores;
  }

  async #store(name: string, data: Dataset, { attacks }: Augment, round: string): Promise<ExampleStore> {
    const held = this.#held.get(name);
    if (held?.round === round) return held.store;
    await held?.store.remove();
    this.#held.delete(name);
    const { rewrite, encoder, folder, stage, signal } = this.#plan;
    stage?.(`rewriting texts: ${attacks}`);
    const copies = stoppable(rewrite(attacks, data, round), signal);
    const store = await ExampleStore.create(copies, join(folder, `${name}.ids`), data.labels.length, encoder);
    this.#held.set(name, { round, store });
    return store;
  }
}

function stoppable(data: Dataset, signal: AbortSignal | undefined): Dataset {
  return {
    ...data,
    async *examples() {
      for await (const example of data.examples()) {
        signal?.throwIfAborted();
        yield example;
      }
    },
  };
}

/** @file Rewritten copies of the texts for the method `augment`, made again for each epoch. */
import type { Dataset } from '../../core/dataset.js';
import { ExampleStore, type Tagger, type TextEncoder } from '../example-store.js';

/**
 * Rewrites each text of a data set with one of the named attacks, if it has a rewrite: the same examples in the same order, with their
 * labels. Deterministic, given its arguments.
 */
export type Rewriter = (attacks: string, data: Dataset, round: string) => Dataset;

export interface CopiesPlan {
  /** A suite or an attack for each method, as the rewriter knows it. */
  readonly attacks: readonly string[];
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly rewrite: Rewriter;
  readonly encoder: TextEncoder;
  readonly tagger?: Tagger | undefined;
  /** Called with the current activity. */
  readonly stage?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class RewrittenCopies {
  readonly #plan: CopiesPlan;
  readonly #held = new Map<string, { round: string; store: ExampleStore }>();

  constructor(plan: CopiesPlan) {
    this.#plan = plan;
  }

  /** Copies of the training texts for an epoch: one store per method, in order. Throws the signal's reason once it is aborted. */
  async train(epoch: number): Promise<ExampleStore[]> {
    return this.#stores('train', this.#plan.train, `epoch ${epoch}`);
  }

  /** Copies of the validation texts, the same for the whole training, so that measurements are comparable. */
  async validation(): Promise<ExampleStore[]> {
    return this.#stores('validation', this.#plan.validation, 'validation');
  }

  async #stores(side: string, data: Dataset, round: string): Promise<ExampleStore[]> {
    const stores: ExampleStore[] = [];
    for (const [at, attacks] of this.#plan.attacks.entries()) {
      stores.push(await this.#store(`${side}-copies-${at}`, attacks, data, round));
    }
    return stores;
  }

  async #store(name: string, attacks: string, data: Dataset, round: string): Promise<ExampleStore> {
    const held = this.#held.get(name);
    if (held?.round === round) return held.store;
    // Two epochs' copies are not held at once.
    this.#held.delete(name);
    const { encoder, tagger, rewrite, stage, signal } = this.#plan;
    stage?.(`rewriting texts: ${attacks}`);
    const copies = stoppable(rewrite(attacks, data, round), signal);
    const store = await ExampleStore.create(copies, copies.labels.length, encoder, tagger);
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

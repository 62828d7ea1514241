/** @file Rewritten copies of the texts for the method `augment`, made once or again for each epoch. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Classifier } from '../../core/classifier.js';
import type { Dataset, Example } from '../../core/dataset.js';
import { readState } from '../../files/state.js';
import { makeFolder, writeWhole } from '../../files/write.js';
import { ExampleStore, type Tagger, type TextEncoder } from '../example-store.js';
import type { CopyOptions } from './methods/method.js';

/** A model that attacks may ask, and how many texts for one copy. */
export interface QueriedModel {
  readonly classifier: Classifier;
  readonly queries: number;
}

/**
 * Rewrites each text of a data set with one of the named attacks, if it has a rewrite: the same examples in the same order, with their
 * labels. Deterministic, given its arguments and the answers to its queries.
 */
export type Rewriter = (attacks: string, data: Dataset, round: string, queried?: QueriedModel) => Dataset;

type WeightValues = ReadonlyMap<string, Float32Array>;

export interface CopiesPlan {
  readonly methods: readonly CopyOptions[];
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly rewrite: Rewriter;
  /** The model with these weights, for the caller to close. */
  readonly open: (weights: WeightValues) => Promise<Classifier & { close(): Promise<void> }>;
  readonly encoder: TextEncoder;
  readonly tagger?: Tagger;
  /** Where their tokens are kept while they are learnt. */
  readonly folder: string;
  /** Where texts stay that a model was asked for: once a training went on from them nothing can make them again. */
  readonly texts: string;
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

  /**
   * Copies of the training texts for an epoch that begins with these weights: one store per method, in order. Throws the signal's reason
   * once it is aborted.
   */
  async train(epoch: number, weights: WeightValues): Promise<ExampleStore[]> {
    const { methods, train } = this.#plan;
    const stores: ExampleStore[] = [];
    for (const [at, method] of methods.entries()) {
      const name = `train-copies-${at}`;
      const round = `epoch ${method.once ? 0 : epoch}`;
      const copies = () => this.#copies(method, train, round);
      const search = () => this.#search(join(this.#plan.texts, `${name} ${round}.json`), method, round, weights);
      stores.push(await this.#store(name, round, method.queries > 0 ? search : copies));
    }
    return stores;
  }

  /** Copies of the validation texts by random choices, the same for the whole training, so that measurements are comparable. */
  async validation(): Promise<ExampleStore[]> {
    const { methods, validation } = this.#plan;
    const stores: ExampleStore[] = [];
    for (const [at, method] of methods.entries()) {
      stores.push(
        await this.#store(`validation-copies-${at}`, 'validation', () =>
          this.#copies(method, validation, 'validation'),
        ),
      );
    }
    return stores;
  }

  async close(): Promise<void> {
    for (const { store } of this.#held.values()) await store.remove();
    this.#held.clear();
  }

  async #store(name: string, round: string, make: () => Dataset | Promise<Dataset>): Promise<ExampleStore> {
    const held = this.#held.get(name);
    if (held?.round === round) return held.store;
    await held?.store.remove();
    this.#held.delete(name);
    const { encoder, tagger, folder } = this.#plan;
    const copies = await make();
    const store = await ExampleStore.create(copies, join(folder, `${name}.ids`), copies.labels.length, encoder, tagger);
    this.#held.set(name, { round, store });
    return store;
  }

  #copies({ attacks }: CopyOptions, data: Dataset, round: string, queried?: QueriedModel): Dataset {
    const { rewrite, stage, signal } = this.#plan;
    stage?.(`rewriting texts: ${attacks}`);
    return stoppable(rewrite(attacks, data, round, queried), signal);
  }

  /** The copies as the model with these weights was attacked for them; as it was before, if that happened before. */
  async #search(path: string, method: CopyOptions, round: string, weights: WeightValues): Promise<Dataset> {
    const { train, open, texts } = this.#plan;
    if (existsSync(path)) {
      const before = readState(path, z.array(z.string()), 'the copies of an earlier session');
      return { ...train, examples: () => retold(train, before) };
    }
    const classifier = await open(weights);
    const made: string[] = [];
    try {
      const copies = this.#copies(method, train, round, { classifier, queries: method.queries });
      for await (const { text } of copies.examples()) made.push(text);
    } finally {
      await classifier.close();
    }
    makeFolder(texts, 'the folder of the copies');
    writeWhole(path, JSON.stringify(made), 'the copies');
    return { ...train, examples: () => retold(train, made) };
  }
}

/** The examples with other texts, in their order. */
async function* retold(data: Dataset, texts: readonly string[]): AsyncGenerator<Example> {
  let at = 0;
  for await (const example of data.examples()) yield { ...example, text: texts[at++] ?? example.text };
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

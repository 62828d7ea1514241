/** @file Interface of an adversarial training method. Each is one file here. */
import { z } from 'zod';
import type { Random } from '../../../core/random.js';
import type { PaddedBatch } from '../../batch-feeds.js';
import type { BatchChange, PassResult } from '../../pass.js';
import type { MovableBatch } from '../moves.js';

/** Token id -> ids of words that could replace it. */
export type Neighbours = ReadonlyMap<number, readonly number[]>;

/** Information about the vocabulary. */
export interface Words {
  /** Ids of tokens that stay as they are. @default none */
  readonly special?: readonly number[] | undefined;
  /** @default none */
  readonly neighbours?: Neighbours | undefined;
}

/** A batch, the model's output for it unperturbed, and how to run it perturbed. */
export interface PerturbationContext {
  readonly tokens: PaddedBatch;
  readonly batch: MovableBatch;
  /** The pass of the unperturbed batch. */
  readonly clean: PassResult;
  /** The embedding table, row-major [vocabulary, hidden]. */
  readonly table: Float32Array;
  readonly random: Random;
  /** Runs the batch with a change. `share` of its loss and gradients counts in the step; 0 costs less. */
  pass(change: BatchChange, share: number): Promise<PassResult>;
}

/** Finds what to learn and passes it, with shares that add up to `share`. Resolves to the last pass. */
export type Perturb = (context: PerturbationContext, share: number) => Promise<PassResult>;

/** A method with its options; the name and the options are part of a training's fingerprint. */
export interface AdversarialMethod {
  readonly name: string;
  readonly options: object;
  /** The suites and attacks that it hardens against. */
  readonly against: readonly string[];
  /** Whether it replaces words by neighbours. */
  readonly needsNeighbours?: true;
  /** Perturbs batches while they are learnt. */
  readonly perturb?: (words: Words) => Perturb;
  /** The suite or the attack, as the rewriter knows it, that rewrites copies of the texts. */
  readonly copiesBy?: string;
}

type MethodParts = Omit<AdversarialMethod, 'name' | 'options'>;

export interface AdversarialMethodType<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly options: S;
  /** The options in the text behind `name:`. @default `option=value:option=value` */
  readonly split?: ((text: string) => ReadonlyMap<string, string>) | undefined;
  /** With options that the schema takes. */
  create(given?: z.input<S>): AdversarialMethod;
}

export const adversarialMethod = <S extends z.ZodObject>(
  name: string,
  options: S,
  parts: (options: z.output<S>) => MethodParts,
  split?: AdversarialMethodType['split'],
): AdversarialMethodType<S> => ({
  name,
  options,
  split,
  create(given) {
    const parsed = options.parse(given ?? {});
    return { name, options: parsed, ...parts(parsed) };
  },
});

/** Options that several methods have. `epsilon`: how far embeddings may move, in mean embedding norms, as the embedding attacks measure it. */
export const epsilon = z.coerce.number().positive().default(0.2);
export const norm = z.enum(['linf', 'l2']).default('linf');
export const stepCount = (count: number) => z.coerce.number().int().min(1).max(100).default(count);

/** The attacks on embeddings by one step and by several, of that size and norm. */
export const embeddingAttacks = (size: number, by: 'linf' | 'l2'): string[] => [
  `${by === 'l2' ? 'fgm' : 'fgsm'}:epsilon=${size}`,
  `pgd:epsilon=${size}${by === 'l2' ? ':norm=l2' : ''}`,
];

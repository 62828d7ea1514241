/** @file Inputs of the backward graph: noisy texts, their targets, dropout masks. */
import type { Feed } from '../../packages/onnx/src/graph/tensor.js';
import { must } from '../core/errors.js';
import { type Random, random } from '../core/random.js';
import { inputFeeds, maskFeeds, type PaddedBatch, padBatch, targetFeeds } from './batch-feeds.js';
import type { ExampleStore } from './example-store.js';
import { hideTokens } from './noise.js';
import type { TrainingOptions } from './options.js';
import { NOT_LEARNT } from './tag-targets.js';
import { classImportance, fillTargets } from './targets.js';
import type { TrainableModel } from './trainable-model.js';
import { CONTINUING, ofCharacters } from './vocabulary.js';

export interface BatchSource {
  readonly trainable: TrainableModel;
  readonly train: ExampleStore;
  readonly options: TrainingOptions;
  /** Pieces in id order; the ids of [PAD] and [UNK]. */
  readonly vocabulary?: readonly string[] | undefined;
  readonly padId: number;
  readonly unknownId?: number | undefined;
}

export interface TrainingBatch {
  readonly feeds: ReadonlyMap<string, Feed>;
  /** Inputs without dropout masks, which are drawn from the stream with these names. */
  readonly unmasked?: ReadonlyMap<string, Feed>;
  readonly noise?: readonly string[];
  readonly tokens: PaddedBatch;
  /** Tokens to learn from, padding not counted. */
  readonly size: number;
}

/** Tokens of a text under noise, and their tags. */
interface NoisyText {
  readonly ids: Int32Array;
  readonly tags?: Int32Array | undefined;
}

export class TrainingBatches {
  readonly #material: BatchSource;
  /** Importance of each class. */
  readonly #importance: readonly number[];
  /** For a character vocabulary: whether an id continues a word. A word is then masked as a whole. */
  readonly #goesOn: ((id: number) => boolean) | undefined;

  /** Throws RobustError for class weights that do not fit the classes. */
  constructor(material: BatchSource) {
    const { options, train, vocabulary } = material;
    this.#material = material;
    this.#importance = classImportance(train.classes, options.classWeights);
    if (vocabulary && ofCharacters(vocabulary)) this.#goesOn = (id) => vocabulary[id]?.startsWith(CONTINUING) === true;
  }

  /** Importance of all these examples, or of the learnt tokens of their texts, together: what a step's loss is divided by. */
  weight(batch: Uint32Array, texts: ExampleStore = this.#material.train): number {
    const all = batch.reduce((sum, at) => sum + this.#importanceOf(at, texts), 0);
    // Texts without a token weigh nothing.
    return all || 1;
  }

  /**
   * The inputs of a batch, given the weight of the whole step. `noise`: names of the stream for all noise; `rewritten` replaces the texts.
   */
  of(batch: Uint32Array, weight: number, noise: readonly string[], rewritten?: ExampleStore): TrainingBatch {
    const stream = random(this.#material.options.seed, ...noise);
    const { trainable, options, padId, train } = this.#material;
    const examples = [...batch];
    const source = rewritten ?? train;
    const types = examples.map((at) => source.types(at));
    const noisy = examples.map((at, row) =>
      this.#noisy(source.tokens(at), types[row] !== undefined, stream.split(`text ${row}`), source.tags(at)),
    );
    const texts = noisy.map(({ ids }) => ids);
    const tokens = padBatch(texts, padId, trainable.firstPosition, types);
    const unmasked = new Map<string, Feed>([
      ...inputFeeds(trainable, tokens),
      ...(options.tags ? this.#tagFeeds(noisy, tokens.length, weight) : this.#targetFeeds(examples, weight)),
    ]);
    let feeds: ReadonlyMap<string, Feed> | undefined;
    return {
      // Another thread draws the masks itself.
      get feeds() {
        feeds ??= new Map([...unmasked, ...maskFeeds(trainable.masks, tokens, stream)]);
        return feeds;
      },
      unmasked,
      noise,
      tokens,
      size: texts.reduce((sum, ids) => sum + ids.length, 0),
    };
  }

  #targetFeeds(examples: readonly number[], weight: number): Map<string, Feed> {
    const { trainable, options, train } = this.#material;
    const { columns } = trainable;
    const targets = new Float32Array(examples.length * columns);
    examples.forEach((at, row) => {
      const value = train.values?.[at];
      if (value !== undefined) {
        targets[row] = value;
        return;
      }
      fillTargets(targets.subarray(row * columns, (row + 1) * columns), train.truth(at), options.smoothing);
    });
    return targetFeeds(
      targets,
      Float32Array.from(examples, (at) => this.#importanceOf(at) / weight),
    );
  }

  /** A row for each token; those that are not learnt weigh nothing. */
  #tagFeeds(texts: readonly NoisyText[], length: number, weight: number): Map<string, Feed> {
    const { trainable, options } = this.#material;
    const { columns } = trainable;
    const targets = new Float32Array(texts.length * length * columns);
    const importance = new Float32Array(texts.length * length);
    texts.forEach(({ tags }, text) => {
      tags?.forEach((tag, at) => {
        if (tag === NOT_LEARNT) return;
        const row = text * length + at;
        fillTargets(targets.subarray(row * columns, (row + 1) * columns), tag, options.smoothing);
        importance[row] = must(this.#importance[tag]) / weight;
      });
    });
    return targetFeeds(targets, importance, [texts.length, length]);
  }

  /** `typed`: it has token types, which must keep their places. */
  #noisy(ids: Int32Array, typed: boolean, noise: Random, tags: Int32Array | undefined): NoisyText {
    const { options, unknownId } = this.#material;
    if (options.tokenDropout === 0 || unknownId === undefined) return { ids, tags };
    return hideTokens(ids, options.tokenDropout, unknownId, noise, typed ? undefined : this.#goesOn, tags);
  }

  #importanceOf(example: number, texts: ExampleStore = this.#material.train): number {
    const tags = texts.tags(example);
    if (tags === undefined) return must(this.#importance[this.#material.train.labels[example]!]);
    return tags.reduce((sum, tag) => sum + (tag === NOT_LEARNT ? 0 : must(this.#importance[tag])), 0);
  }
}

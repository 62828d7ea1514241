/** @file Swapping words for their nearest in a file of word vectors, loaded when first needed. */
import type { Transformation } from '../core/search.js';
import { agreeArticle } from './english/articles.js';
import { matchCase } from './english/inflection.js';
import { readWordVectors, type WordVectors } from './word-vectors.js';

/** A file of word vectors, read once by whoever comes first. */
export class VectorFile {
  readonly #path: string;
  #reading: Promise<WordVectors> | undefined;
  #vectors: WordVectors | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Present once `load` has returned. */
  get vectors(): WordVectors | undefined {
    return this.#vectors;
  }

  /** Throws RobustError VECTORS_UNREADABLE. */
  async load(): Promise<WordVectors> {
    this.#reading ??= readWordVectors(this.#path);
    this.#vectors = await this.#reading;
    return this.#vectors;
  }
}

/** The `limit` nearest words of a cosine of at least `least`, nearest first, with the word's capitals; the article agrees. */
export function swapNeighbours(file: VectorFile, limit: number, least: number): Transformation {
  return {
    name: `the ${limit} nearest words of a cosine of at least ${least}`,
    async *edits(draft, at) {
      const vectors = await file.load();
      for (const slot of at) {
        const word = draft.word(slot);
        for (const near of vectors.nearest(word, limit)) {
          if (near.similarity < least) break;
          yield agreeArticle(draft.replace(slot, matchCase(near.word, word)), slot);
        }
      }
    },
  };
}

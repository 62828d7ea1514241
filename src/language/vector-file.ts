/** @file A user's file of word vectors, read on first use and shared by all parts of an attack. */
import { z } from 'zod';
import { RobustError } from '../core/errors.js';
import { readWordVectors, type WordVectors } from './word-vectors.js';

const files = new Map<string, WeakRef<VectorFile>>();

/** A file of word vectors that is read once. */
export class VectorFile {
  readonly #path: string;
  #reading: Promise<WordVectors> | undefined;
  #vectors: WordVectors | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  /** The file at a path, shared while it is referenced, because some have gigabytes. */
  static at(path: string): VectorFile {
    const file = files.get(path)?.deref() ?? new VectorFile(path);
    files.set(path, new WeakRef(file));
    return file;
  }

  /** Present once `load` has returned. */
  get vectors(): WordVectors | undefined {
    return this.#vectors;
  }

  /** Throws RobustError VECTORS_DAMAGED. */
  async load(): Promise<void> {
    this.#reading ??= readWordVectors(this.#path);
    try {
      this.#vectors = await this.#reading;
    } catch (error) {
      // Allows another attempt after the user has repaired the file.
      this.#reading = undefined;
      throw error;
    }
  }
}

/** The option `vectors` of components that use near words. */
export const vectorsOption = (without = 'none: WordNet') =>
  z.string().default('').describe(`file of word vectors as text (GloVe, counter-fitted); ${without}`);

/** The file named by the option. */
export const vectorsAt = (path: string): VectorFile | undefined => (path === '' ? undefined : VectorFile.at(path));

/** The file named by the option. Throws RobustError if it names none. */
export function vectorsNeeded(component: string, path: string): VectorFile {
  if (path !== '') return VectorFile.at(path);
  throw new RobustError(`${component}: expected a file of word vectors, got none`, {
    code: 'OPTION_INVALID',
    hint: `Name one: ${component}:vectors=FILE (GloVe or counter-fitted vectors as text).`,
  });
}

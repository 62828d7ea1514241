/** @file A user's file of word vectors, read when first needed and once for all the parts of an attack. */
import { z } from 'zod';
import { UsageError } from '../core/errors.js';
import { readWordVectors, type WordVectors } from './word-vectors.js';

const files = new Map<string, WeakRef<VectorFile>>();

/** A file of word vectors, read once by whoever comes first. */
export class VectorFile {
  readonly #path: string;
  #reading: Promise<WordVectors> | undefined;
  #vectors: WordVectors | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  /** The file at a path: one as long as anybody holds it, since some have gigabytes. */
  static at(path: string): VectorFile {
    const file = files.get(path)?.deref() ?? new VectorFile(path);
    files.set(path, new WeakRef(file));
    return file;
  }

  /** Present once `load` has returned. */
  get vectors(): WordVectors | undefined {
    return this.#vectors;
  }

  /** Throws RobustError VECTORS_UNREADABLE. */
  async load(): Promise<void> {
    this.#reading ??= readWordVectors(this.#path);
    try {
      this.#vectors = await this.#reading;
    } catch (error) {
      // Whoever asks again may have mended the file.
      this.#reading = undefined;
      throw error;
    }
  }
}

/** The option `vectors` of what takes near words. */
export const vectorsOption = (without = 'none: WordNet') =>
  z.string().default('').describe(`file of word vectors as text (GloVe, counter-fitted); ${without}`);

/** The file that the option names. */
export const vectorsAt = (path: string): VectorFile | undefined => (path === '' ? undefined : VectorFile.at(path));

/** The file that the option names. Throws UsageError where it names none. */
export function vectorsNeeded(component: string, path: string): VectorFile {
  if (path !== '') return VectorFile.at(path);
  throw new UsageError(`${component}: expected a file of word vectors, got none`, {
    code: 'COMPONENT_OPTION',
    hint: `Name one: ${component}:vectors=FILE (GloVe or counter-fitted vectors as text).`,
  });
}

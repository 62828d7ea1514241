/** @file First values of a new model's tokens: word vectors that were learnt elsewhere. */
import { must, RobustError } from '../core/errors.js';
import type { Random } from '../core/random.js';
import { rowNorm } from '../core/row-norm.js';
import type { TextEncoder } from './example-store.js';
import type { TrainableModel } from './trainable-model.js';
import { SPECIAL_TOKENS } from './vocabulary.js';

export interface PretrainedVectors {
  /** Numbers a vector. */
  readonly width: number;
  vector(word: string): Float32Array | undefined;
}

/** Reads the vectors of those of these words that have one. */
export type OpenVectors = (words: ReadonlySet<string>) => Promise<PretrainedVectors>;

/** Vectors of the data's words. Throws RobustError if no folder has one. */
export async function vectorsOf(counts: ReadonlyMap<string, number>, open: OpenVectors): Promise<PretrainedVectors> {
  const words = new Set(counts.keys());
  const vectors = await open(words);
  for (const word of words) if (points(vectors.vector(word))) return vectors;
  throw new RobustError('expected word vectors of words of the data, got none', {
    code: 'VECTORS_MISMATCH',
    hint: 'Words are looked up in lower case: give vectors of the same language and in that spelling.',
  });
}

/** Whether there is a vector, and not of zeros. */
const points = (vector: Float32Array | undefined): vector is Float32Array =>
  vector?.some((value) => value !== 0) === true;

/**
 * Sets the row of each token to the mean, by count, of the vectors of the data's words that it occurs in; of a model of words that is the
 * word's own. A row keeps the length that was drawn for it, and where the model is not as wide as the vectors, a random projection goes
 * between, which keeps angles nearly (Johnson and Lindenstrauss 1984). Returns how many tokens have a vector.
 */
export function startFromVectors(
  { parameters, lookups }: TrainableModel,
  encoder: TextEncoder,
  counts: ReadonlyMap<string, number>,
  vectors: PretrainedVectors,
  random: Random,
): number {
  const sums = sumsByToken(encoder, counts, vectors);
  const name = lookups.find(({ role }) => role === 'ids')?.table;
  const { values, dims } = must(parameters.find((parameter) => parameter.name === name));
  const width = must(dims[1]);
  const project = width === vectors.width ? undefined : projection(vectors.width, width, random);
  for (const [id, sum] of sums) {
    const row = project?.(sum) ?? sum;
    // Vectors that cancel out leave the row at zero.
    const scale = rowNorm(values, width, id) / (Math.hypot(...row) || 1);
    values.set(
      row.map((value) => value * scale),
      id * width,
    );
  }
  return sums.size;
}

/** Token id -> the sum of the vectors of its words, by count. */
function sumsByToken(
  encoder: TextEncoder,
  counts: ReadonlyMap<string, number>,
  vectors: PretrainedVectors,
): Map<number, Float64Array> {
  const sums = new Map<number, Float64Array>();
  for (const [word, count] of counts) {
    const found = vectors.vector(word);
    if (!points(found)) continue;
    for (const id of encoder.encode(word).ids) {
      if (id < SPECIAL_TOKENS.length) continue;
      const sum = sums.get(id) ?? new Float64Array(vectors.width);
      for (let at = 0; at < sum.length; at++) sum[at] = sum[at]! + count * found[at]!;
      sums.set(id, sum);
    }
  }
  return sums;
}

/** A linear map between widths, each of its numbers drawn from a normal distribution. */
function projection(from: number, to: number, random: Random): (vector: Float64Array) => Float64Array {
  const matrix = Array.from({ length: to }, () => Float64Array.from({ length: from }, () => random.normal()));
  return (vector) => Float64Array.from(matrix, (row) => row.reduce((sum, weight, at) => sum + weight * vector[at]!, 0));
}

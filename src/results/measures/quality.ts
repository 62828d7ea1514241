/** @file Quality of an attack's adversarial texts, and how many of them another attack found too. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { count, type Declared } from '../../core/declared.js';
import type { Measure, MeasureFold } from './measure.js';

const schema = z.object({
  editDistance: z.number(),
  similarity: z.number(),
  readability: z.number(),
  n: count.describe('Successes measured.'),
  duplicates: count.describe(
    'Successes whose text another attack found for the same example: counted up to 131,072 texts an attack, estimated from a sample beyond.',
  ),
});

/** Means over the successes in text space (core/outcome.ts). */
export interface MeanQuality extends Declared<typeof schema> {}

/** Fractions are summed as integers in these units, so the order of the outcomes changes no bit. */
const UNIT = 1e-6;
const whole = (value: number): number => Math.round(value / UNIT);

/** 48 bits: among a million texts, the probability of any collision is 1 in 500. */
const HASHES = 2 ** 48;
/** Up to this many texts of an attack are compared individually; beyond, only those with the smallest hashes. */
const MOST_TEXTS = 1 << 17;

/**
 * Hashes below `limit`, which is halved whenever there are too many. All samples then leave out the same texts (Gibbons, "Distinct
 * sampling", VLDB 2001), so the share of common texts below the smallest limit estimates the share among all.
 */
class HashSample {
  limit = HASHES;
  #hashes: number[] = [];

  add(hash: number): void {
    if (hash >= this.limit) return;
    this.#hashes.push(hash);
    while (this.#hashes.length > MOST_TEXTS) {
      this.limit /= 2;
      this.#hashes = this.#hashes.filter((each) => each < this.limit);
    }
  }

  below(limit: number): number[] {
    return this.#hashes.filter((hash) => hash < limit);
  }
}

interface QualityFold extends MeasureFold<MeanQuality> {
  readonly texts: HashSample;
}

/** Means over the measured successes. */
function fold(): QualityFold {
  let [n, edits, similarity, readability] = [0, 0, 0, 0];
  const texts = new HashSample();
  return {
    add({ adversarial, quality }, index) {
      if (adversarial !== undefined)
        texts.add(createHash('sha256').update(`${index}\n${adversarial}`).digest().readUIntBE(0, 6));
      if (quality === undefined) return;
      n += 1;
      edits += quality.editDistance;
      similarity += whole(quality.similarity);
      readability += whole(quality.readability);
    },
    texts,
    value(others) {
      if (n === 0) return undefined;
      const samples = others.map((other) => (other as QualityFold).texts);
      const limit = Math.min(texts.limit, ...samples.map((sample) => sample.limit));
      const theirs = new Set(samples.flatMap((sample) => sample.below(limit)));
      const common = texts.below(limit).filter((hash) => theirs.has(hash)).length;
      return {
        n,
        editDistance: edits / n,
        similarity: (similarity * UNIT) / n,
        readability: (readability * UNIT) / n,
        duplicates: Math.round((common * HASHES) / limit),
      };
    },
  };
}

export const quality: Measure<MeanQuality> = {
  name: 'quality',
  schema,
  fold,
  metrics: [
    {
      key: 'quality.editDistance',
      label: 'Edit distance',
      column: 'Edits',
      unit: 'mean',
      about: 'of successes, in characters',
    },
    {
      key: 'quality.similarity',
      label: 'Semantic similarity',
      column: 'Similarity',
      unit: 'score',
      about: 'of successes; a built-in heuristic by WordNet, negation, antonyms and numbers, 1 = same meaning',
    },
    {
      key: 'quality.readability',
      label: 'Readable words',
      unit: 'share',
      about: 'of successes, share of the original words that are still recognisable',
    },
    {
      key: 'quality.duplicates',
      label: 'Found twice',
      column: null,
      unit: 'count',
      about: 'successes whose text another attack found too',
      several: true,
    },
  ],
};

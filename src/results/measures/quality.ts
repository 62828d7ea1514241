/** @file Quality of an attack's adversarial texts. */
import { z } from 'zod';
import { count, type Declared } from '../../core/declared.js';
import type { Measure } from './measure.js';

const schema = z.object({
  editDistance: z.number(),
  similarity: z.number(),
  readability: z.number(),
  n: count.describe('Successes measured.'),
});

/** Means over the successes in text space (core/outcome.ts). */
export interface MeanQuality extends Declared<typeof schema> {}

/** Fractions are summed as integers in these units, so the order of the outcomes changes no bit. */
const UNIT = 1e-6;
const whole = (value: number): number => Math.round(value / UNIT);

export const quality: Measure<MeanQuality> = {
  name: 'quality',
  schema,
  fold() {
    let [n, edits, similarity, readability] = [0, 0, 0, 0];
    return {
      add({ quality }) {
        if (quality === undefined) return;
        n += 1;
        edits += quality.editDistance;
        similarity += whole(quality.similarity);
        readability += whole(quality.readability);
      },
      value: () =>
        n === 0
          ? undefined
          : { n, editDistance: edits / n, similarity: (similarity * UNIT) / n, readability: (readability * UNIT) / n },
    };
  },
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
  ],
};

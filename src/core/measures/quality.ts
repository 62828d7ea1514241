/** @file What the adversarial texts of an attack are like, and which of them another attack found too. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Measure, MeasureFold } from '../measure.js';
import type { Quality } from '../outcome.js';

/** Over the `n` successes measured; of them `duplicates` have a text that another attack of the run found for the same example. */
export type MeanQuality = Quality & { readonly n: number; readonly duplicates: number };

/** Fractions are summed in these units, whole numbers, so that no order of the outcomes changes a bit. */
const UNIT = 1e-6;
const whole = (value: number): number => Math.round(value / UNIT);

interface QualityFold extends MeasureFold<MeanQuality> {
  /** Hashes of the texts found, ascending. */
  texts(): Float64Array;
}

/** Means over the successes that were measured; eight bytes a text. */
function fold(): QualityFold {
  let [n, edits, similarity, readability] = [0, 0, 0, 0];
  const perplexity = { n: 0, log: 0 };
  let texts = new Float64Array(64);
  let count = 0;
  const sorted = (): Float64Array => texts.slice(0, count).sort();
  return {
    add({ adversarial, quality }, index) {
      if (adversarial !== undefined) {
        if (count === texts.length) {
          const grown = new Float64Array(count * 2);
          grown.set(texts);
          texts = grown;
        }
        // 48 bits: a million texts have a chance of 1 in 500 that any two are taken for one.
        texts[count++] = createHash('sha256').update(`${index}\n${adversarial}`).digest().readUIntBE(0, 6);
      }
      if (quality === undefined) return;
      n += 1;
      edits += quality.editDistance;
      similarity += whole(quality.similarity);
      readability += whole(quality.readability);
      if (quality.perplexityRatio === null) return;
      perplexity.n += 1;
      perplexity.log += whole(Math.log(quality.perplexityRatio));
    },
    texts: sorted,
    value(others) {
      if (n === 0) return undefined;
      const theirs = others.map((other) => (other as QualityFold).texts());
      return {
        n,
        editDistance: edits / n,
        perplexityRatio: perplexity.n === 0 ? null : Math.exp((perplexity.log * UNIT) / perplexity.n),
        similarity: (similarity * UNIT) / n,
        readability: (readability * UNIT) / n,
        duplicates: sorted().filter((text) => theirs.some((other) => holds(other, text))).length,
      };
    },
  };
}

function holds(sorted: Float64Array, value: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
}

const count = z.number().int().min(0);

export const quality: Measure<MeanQuality> = {
  name: 'quality',
  schema: z.object({
    n: count,
    editDistance: z.number(),
    perplexityRatio: z.number().nullable(),
    similarity: z.number(),
    readability: z.number(),
    duplicates: count,
  }),
  fold,
  metrics: [
    { key: 'quality.editDistance', label: 'Edit distance', unit: 'mean', about: 'of successes, in characters' },
    {
      key: 'quality.perplexityRatio',
      label: 'Perplexity',
      unit: 'factor',
      about:
        "of successes, by n-grams of the data, times the original's: how usual the words are in their order, not whether they are grammatical",
    },
    {
      key: 'quality.similarity',
      label: 'Similarity',
      unit: 'score',
      about: 'of the meaning of successes (ours, by WordNet, denials, opposites and numbers; 1 = the same)',
    },
    {
      key: 'quality.readability',
      label: 'Recognisable words',
      unit: 'share',
      about: "of successes, those of the original's words that keep their outline",
    },
    {
      key: 'quality.duplicates',
      label: 'Found twice',
      unit: 'count',
      about: 'successes whose text another attack found too',
      several: true,
    },
  ],
};

/** @file Logistic regression on the words of a text, one label against the rest. */
import type { Example } from '../../core/dataset.js';
import { sigmoid } from '../../core/statistics/softmax.js';

/** Passes over the texts, first step of AdaGrad (Duchi et al. 2011) and the pull of a weight to zero: held fixed, found on clean SST-2. */
const [PASSES, STEP, DECAY] = [15, 0.3, 0.02];
/** Minimum number of texts with a weighted word. */
const MIN_TEXTS = 2;
/** A prime: row i of pass e is (i P + e Q) mod n, a fixed shuffle. */
const [STRIDE, SHIFT] = [7919, 13];

export interface WordRegression {
  /** Log-odds of the label for a text of these words. */
  logOdds(words: readonly string[]): number;
  /** Contribution of one word; 0 for unknown ones. */
  weight(word: string): number;
}

/** Is a text of this label, by its words? `texts` holds those of each example. O(passes * words). */
export function wordRegression(
  examples: readonly Example[],
  texts: readonly (readonly string[])[],
  label: number,
): WordRegression {
  const ids = idsOf(texts);
  const rows = texts.map((words) => Int32Array.from(words.flatMap((word) => ids.get(word) ?? [])));
  const weights = new Float64Array(ids.size);
  const squares = new Float64Array(ids.size).fill(1e-2);
  let bias = 0;
  // The stride reaches every row unless it divides their number.
  const stride = rows.length % STRIDE === 0 ? 1 : STRIDE;
  for (let pass = 0; pass < PASSES; pass++) {
    for (let step = 0; step < rows.length; step++) {
      const at = (step * stride + pass * SHIFT) % rows.length;
      const row = rows[at] as Int32Array;
      let sum = bias;
      for (const word of row) sum += weights[word]!;
      const error = Number(examples[at]?.label === label) - sigmoid(sum);
      bias += 0.01 * error;
      for (const word of row) {
        const slope = error - DECAY * weights[word]!;
        squares[word]! += slope * slope;
        weights[word]! += (STEP * slope) / Math.sqrt(squares[word]!);
      }
    }
  }
  const weight = (word: string): number => weights[ids.get(word) ?? -1] ?? 0;
  return { weight, logOdds: (words) => words.reduce((sum, word) => sum + weight(word), bias) };
}

/** A number for each word that has a weight. */
function idsOf(texts: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of texts.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const ids = new Map<string, number>();
  for (const [word, count] of counts) if (count >= MIN_TEXTS) ids.set(word, ids.size);
  return ids;
}

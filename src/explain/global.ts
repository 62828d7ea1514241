/** @file Words that drive a model: weights of many texts, summed by word. */

import { getOrCompute } from '../core/get-or-compute.js';
import type { Explanation, GlobalExplanation, Mean } from '../results/report/explanation.js';

/** Count, sum and sum of squares. */
class Sums {
  count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.count++;
    this.#sum += value;
    this.#squares += value * value;
  }

  /** The mean with its 95 % interval by Student's t. */
  mean(): Mean {
    const { count } = this;
    const value = this.#sum / count;
    if (count < 2) return { value, low: null, high: null };
    const variance = Math.max(0, (this.#squares - count * value * value) / (count - 1));
    const reach = student(count - 1) * Math.sqrt(variance / count);
    return { value, low: value - reach, high: value + reach };
  }
}

/**
 * The 0.975 quantile of Student's t: exact for 1 and 2 degrees of freedom, otherwise Cornish and Fisher's expansion (Abramowitz and Stegun
 * 26.7.5).
 */
export function student(freedom: number): number {
  if (freedom === 1) return Math.tan(0.475 * Math.PI);
  if (freedom === 2) return 0.95 * Math.sqrt(2 / (1 - 0.95 * 0.95));
  const z = 1.959963984540054;
  const z2 = z * z;
  const terms = [
    (z * (z2 + 1)) / 4,
    (z * ((5 * z2 + 16) * z2 + 3)) / 96,
    (z * (((3 * z2 + 19) * z2 + 17) * z2 - 15)) / 384,
    (z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945)) / 92160,
  ];
  return terms.reduce((sum, term, at) => sum + term / freedom ** (at + 1), z);
}

interface WordSums {
  readonly absolute: Sums;
  readonly signed: Sums;
}

/** Collects the explanations of one text at a time, one per model. */
export class GlobalFold {
  /** [method][model] word -> sums */
  readonly #words: Map<string, WordSums>[][] = [];
  /** [method] word -> sums of the first model's weight - the second's */
  readonly #differences: Map<string, Sums>[] = [];
  #texts = 0;
  #first: readonly Explanation[] = [];

  add(explanations: readonly Explanation[]): void {
    if (this.#texts++ === 0) this.#first = explanations;
    explanations.forEach((explanation, model) => {
      explanation.methods.forEach(({ words }, method) => {
        this.#words[method] ??= explanations.map(() => new Map());
        const known = this.#words[method][model]!;
        for (const { word, weight } of words) {
          const sums = getOrCompute(known, word.toLowerCase(), () => ({ absolute: new Sums(), signed: new Sums() }));
          sums.absolute.add(Math.abs(weight));
          sums.signed.add(weight);
        }
      });
    });
    const [a, b] = explanations;
    if (a === undefined || b === undefined) return;
    a.methods.forEach(({ words }, method) => {
      this.#differences[method] ??= new Map();
      const differences = this.#differences[method];
      // One of two models may read less of a long text.
      const theirs = new Map(b.methods[method]?.words.map(({ start, weight }) => [start, weight]));
      for (const { word, start, weight } of words) {
        const other = theirs.get(start);
        if (other !== undefined) getOrCompute(differences, word.toLowerCase(), () => new Sums()).add(weight - other);
      }
    });
  }

  /** Words that occurred at least `least` times. `label`: null if each text's predicted label was explained. */
  result(label: string | null, least: number): GlobalExplanation {
    const [one] = this.#first as [Explanation];
    return {
      texts: this.#texts,
      label,
      scale: one.scale,
      baseline: one.baseline,
      seed: one.seed,
      methods: one.methods.map(({ name }, method) => {
        const differences = this.#differences[method];
        return {
          name,
          models: this.#first.map(({ model }, which) => ({
            model: model.name,
            words: frequent(this.#words[method]![which]!, least)
              .map(([word, { absolute, signed }]) => ({
                word,
                count: absolute.count,
                absolute: absolute.mean(),
                mean: signed.mean(),
              }))
              .sort((a, b) => b.absolute.value - a.absolute.value || (a.word < b.word ? -1 : 1)),
          })),
          ...(differences && {
            differences: Array.from(differences)
              .filter(([, { count }]) => count >= least)
              .map(([word, sums]) => ({ word, count: sums.count, difference: sums.mean() }))
              .sort((a, b) => sure(b.difference) - sure(a.difference) || size(b.difference) - size(a.difference)),
          }),
        };
      }),
    };
  }
}

const frequent = (words: Map<string, WordSums>, least: number) =>
  Array.from(words).filter(([, { absolute }]) => absolute.count >= least);
const size = ({ value }: Mean): number => Math.abs(value);
/** Does the interval exclude 0? */
const sure = ({ low, high }: Mean): number => Number(low !== null && high !== null && (low > 0 || high < 0));

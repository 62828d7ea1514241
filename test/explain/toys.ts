/** Games and classifiers whose explanations are known. */

import { random } from '../../src/core/random.js';
import type { Coalition, CoalitionGame } from '../../src/explain/game.js';
import { type Classifier, wordsOf } from '../../src/plugin.js';

/** A game in closed form. */
export const gameOf = (size: number, value: (kept: Coalition) => number): CoalitionGame => ({
  size,
  values: async (coalitions) => Float64Array.from(coalitions, value),
});

/** v(S) = base + the sum of its players' weights. */
export const additive = (weights: readonly number[], base = 0): CoalitionGame =>
  gameOf(weights.length, (kept) => weights.reduce((sum, weight, at) => sum + weight * (kept[at] as number), base));

/** A game with interactions of all orders, reproducible from its seed. */
export function rugged(size: number, seed: number): CoalitionGame {
  const stream = random(seed, 'rugged');
  const single = Array.from({ length: size }, () => stream.normal());
  const pairs = Array.from({ length: size * size }, () => stream.normal() / 2);
  return gameOf(size, (kept) => {
    let sum = 0;
    for (let i = 0; i < size; i++) {
      if (kept[i] === 0) continue;
      sum += single[i] as number;
      for (let j = 0; j < i; j++) sum += (kept[j] as number) * (pairs[i * size + j] as number);
    }
    return Math.tanh(sum / 2);
  });
}

/** P(positive) = sigmoid of the sum of the words' weights; what is not in the table weighs nothing. */
export const bagOfWords = (weights: Readonly<Record<string, number>>): Classifier => ({
  labels: ['negative', 'positive'],
  classify: async (texts) =>
    texts.map((text) => {
      const logit = wordsOf(text).reduce((sum, { text: word }) => sum + (weights[word] ?? 0), 0);
      const p = 1 / (1 + Math.exp(-logit));
      return Float32Array.of(1 / (1 + Math.exp(logit)), p);
    }),
});

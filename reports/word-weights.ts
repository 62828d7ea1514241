/** @file Which words fooled the model, in one line. */
import type { Explanation, OutcomeExplanation } from '../src/results/report/explanation.js';
import { isUndirected } from './explained-words.js';
import { signed } from './figures.js';

/** Words named on each side. */
const WORDS_PER_SIDE = 3;

const heaviest = ({ methods }: Explanation): string =>
  (methods[0]?.words ?? [])
    .toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || a.start - b.start)
    .slice(0, WORDS_PER_SIDE)
    .map(({ word, weight }) => `${word} ${signed(weight, 2).slice(methods[0] && isUndirected(methods[0]) ? 1 : 0)}`)
    .join(', ');

/** `What counted for positive before: good +0.50, film +0.02; after: goood -0.01, ...` */
export const heaviestWords = ({ before, after }: OutcomeExplanation): string =>
  `What counted for ${before.label} before: ${heaviest(before)}; after: ${heaviest(after)}`;

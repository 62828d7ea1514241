/** @file A toy classifier, and a target that counts queries like the engine's. */
import { predictedLabel } from '../core/prediction.js';
import { random } from '../core/random.js';
import { english } from '../language/english/index.js';
import type { Constraint, FillMask, MeteredVictim, Victim } from '../plugin.js';
import { untargeted } from '../search/goals.js';

const GOOD = ['good', 'great', 'fine', 'lovely', 'charming'];
const BAD = ['bad', 'awful', 'dull', 'poor', 'tedious'];

/** P(positive) from the good and bad words that it recognises; other words are ignored. */
export function toy(text: string): Float32Array {
  const words = text.toLowerCase().split(/[^a-z]+/);
  const count = (list: readonly string[]) => words.filter((word) => list.includes(word)).length;
  const positive = 1 / (1 + Math.exp(0.3 - 1.5 * (count(GOOD) - count(BAD))));
  return Float32Array.of(1 - positive, positive);
}

export const labelOf = (text: string): number => predictedLabel(toy(text));

export interface ToyTarget extends MeteredVictim {
  readonly queried: readonly string[];
}

export function toyTarget(
  text: string,
  given: Partial<Pick<MeteredVictim, 'goal' | 'random' | 'labelsOnly'>> & {
    budget?: number;
    constraints?: Constraint[];
    classify?: typeof toy;
  } = {},
): ToyTarget {
  const {
    budget = Number.POSITIVE_INFINITY,
    goal = untargeted,
    constraints = [],
    classify = toy,
    labelsOnly = false,
  } = given;
  const queried = [text];
  return {
    labels: ['negative', 'positive'],
    original: classify(text),
    language: english,
    goal,
    constraints,
    labelsOnly,
    random: given.random ?? random(42, text),
    queried,
    get remaining() {
      return budget - queried.length;
    },
    async classify(texts) {
      if (texts.length > budget - queried.length) throw new RangeError('queried beyond the budget');
      queried.push(...texts);
      return texts.map(classify);
    },
  };
}

/** The argument of `prepare`; its warnings are discarded. */
export const toyVictim = (text = '', fillMask?: FillMask): Victim => {
  const { labels, goal, language, random, classify } = toyTarget(text);
  return { labels, goal, language, random, classify, warn: () => {}, fillMask };
};

/** @file Fills gaps with an n-gram model of the data set, if there is no masked language model. */
import type { FillMask, Gap, Guess } from '../core/fill-mask.js';
import type { NgramModel } from './ngram-model.js';

/** Characters on either side that contain all words of an n-gram, so that a book need not be split into words for each gap. */
const CONTEXT_CHARACTERS = 400;
const WORD = /^\p{L}[\p{L}\p{M}]*(?:['’-][\p{L}\p{M}]+)*$/u;

/**
 * Words that occurred next to a neighbour of the gap, by p(word | left) p(right | left, word), normalised over them. It uses only its
 * order's context, and never the gap's current word.
 */
export function ngramFillMask(model: NgramModel): FillMask {
  const guess = ({ left, right }: Gap, limit: number): Guess[] => {
    const reach = model.order - 1;
    const before = reach === 0 ? [] : model.tokenize(left.slice(-CONTEXT_CHARACTERS)).slice(-reach);
    const after = model.tokenize(right.slice(0, CONTEXT_CHARACTERS)).slice(0, reach);
    const ranked = model.candidates(before, after, Number.POSITIVE_INFINITY).filter(({ word }) => WORD.test(word));
    const highest = ranked[0]?.logProbability ?? 0;
    const weights = ranked.map(({ logProbability }) => Math.exp(logProbability - highest));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return ranked.slice(0, limit).map(({ word }, at) => ({ word, probability: weights[at]! / sum }));
  };
  return { name: 'n-grams of the data set', guess: async (gaps, limit) => gaps.map((gap) => guess(gap, limit)) };
}

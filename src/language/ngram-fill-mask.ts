/** @file Gaps filled by an n-gram model of the data set: what there is without a masked language model. */
import type { FillMask, Gap, Guess } from '../core/fill-mask.js';
import type { NgramModel } from './ngram-model.js';

/** Characters on either side that can hold the words an n-gram reaches: a book need not be cut into words for each gap. */
const CONTEXT_CHARACTERS = 400;
const WORD = /^\p{L}[\p{L}\p{M}]*(?:['’-][\p{L}\p{M}]+)*$/u;

/**
 * Words that were seen beside a neighbour of the gap, by p(word | left) p(right | left, word), which is made to sum to 1 over
 * them. It sees no further than its order, and never the word that stood in the gap, even where it may.
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
    return ranked.slice(0, limit).map(({ word }, at) => ({ word, probability: (weights[at] as number) / sum }));
  };
  return {
    name: 'n-grams of the data set',
    guess: async (gaps, limit) => gaps.map((gap) => guess(gap, limit)),
  };
}

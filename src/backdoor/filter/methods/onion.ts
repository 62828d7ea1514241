/**
 * @file ONION: a trigger word does not belong where it stands, so the text without it is less surprising (Qi et al., EMNLP 2021,
 * section 3; https://arxiv.org/abs/2011.10369). Scored is the most that leaving out one word saves.
 *
 * Differs: counted are bits of the whole text, not the difference of perplexities, which for short texts is mostly noise; the
 * language model is an n-gram model of the clean reference texts where no other is given (the paper: GPT-2).
 */

import { NgramModel } from '../../../language/ngram-model.js';
import type { FilterMethod, Suspicion } from '../method.js';

export const onion: FilterMethod = {
  name: 'onion',
  summary: 'a word without which the text is much less surprising to a language model',
  covers: [],
  blind: 'sentences, clauses and styles, and many rare words',
  judges: 'incoming texts',
  needs: 'texts',
  reference: 'needed',
  async fit({ reference, language }) {
    const model = new NgramModel(
      reference.map(({ text }) => text),
      language,
    );
    return async (examples) => examples.map(({ text }) => judge(model, language.tokenize(text)));
  },
};

function judge(model: NgramModel, tokens: readonly string[]): Suspicion {
  let worst: Suspicion = { score: 0, reason: 'no word is out of place' };
  tokens.forEach((token, at) => {
    if (!/[\p{L}\p{N}]/u.test(token)) return;
    const saved = bitsSaved(model, tokens, at);
    if (saved <= worst.score) return;
    worst = {
      score: saved,
      trigger: token,
      reason: `without "${token}" the text needs ${saved.toFixed(1)} bits less`,
    };
  });
  return worst;
}

/** By leaving out token `at`: only it and those that have it among the words before them change. */
function bitsSaved(model: NgramModel, tokens: readonly string[], at: number): number {
  const context = model.order - 1;
  const end = Math.min(tokens.length, at + context);
  const bits = (list: readonly (string | undefined)[], from: number, to: number): number => {
    let sum = 0;
    // One before the first is the start of the text, one behind the last its end.
    for (let i = from; i <= to; i++) {
      const before = list.slice(Math.max(0, i - context), i);
      sum -= model.logProbability(list[i], i < context ? [undefined, ...before] : before) / Math.LN2;
    }
    return sum;
  };
  return bits(tokens, at, end) - bits([...tokens.slice(0, at), ...tokens.slice(at + 1)], at, end - 1);
}

/**
 * @file Backdoor keyword identification: the word whose removal changes a text's hidden state most is its keyword, and the word that
 * is a keyword often and strongly is the trigger (Chen and Dai, Neurocomputing 2021; https://arxiv.org/abs/2007.12070). The five
 * strongest words of a text count; a word's score is log10(1 + count) times its mean change.
 *
 * Differs: the paper drops all texts with the one strongest word, which leaves other triggers in; here a text scores by the strongest of
 * its words, so that several triggers are found. The change is measured in the state before the last layer.
 */
import { wordsOf } from '../../../core/draft.js';
import type { FilterMethod, Suspicion } from '../method.js';

const STRONGEST_WORDS = 5;
/** Texts whose reduced versions are asked for together: bounds memory. */
const TEXTS_PER_CALL = 256;

export const bki: FilterMethod = {
  name: 'bki',
  summary: 'a word that changes the hidden states of many texts most',
  judges: 'training set',
  needs: 'hidden states',
  reference: 'unused',
  async fit({ suspects, hidden }) {
    if (hidden === undefined) throw new RangeError('expected hidden states');
    const found = new Map<string, { count: number; sum: number }>();
    for (let from = 0; from < suspects.length; from += TEXTS_PER_CALL) {
      const texts = suspects.slice(from, from + TEXTS_PER_CALL).map(({ text }) => ({ text, words: wordsOf(text) }));
      const reduced = texts.flatMap(({ text, words }) => [
        text,
        ...words.map((word) => text.slice(0, word.start) + text.slice(word.start + word.text.length)),
      ]);
      const states = await hidden.states(reduced);
      let at = 0;
      for (const { words } of texts) {
        const whole = states[at++] as Float32Array;
        const changes = words.map((word) => ({
          word: word.text.toLowerCase(),
          change: furthest(whole, states[at++] as Float32Array),
        }));
        for (const { word, change } of changes.sort((a, b) => b.change - a.change).slice(0, STRONGEST_WORDS)) {
          const known = found.get(word) ?? { count: 0, sum: 0 };
          found.set(word, { count: known.count + 1, sum: known.sum + change });
        }
      }
    }
    return async (examples) =>
      examples.map(({ text }) => {
        let worst: Suspicion = { score: 0, reason: 'no word of it is a keyword' };
        for (const { text: word } of wordsOf(text)) {
          const known = found.get(word.toLowerCase());
          if (known === undefined) continue;
          const score = Math.log10(1 + known.count) * (known.sum / known.count);
          if (score <= worst.score) continue;
          worst = {
            score,
            trigger: word.toLowerCase(),
            reason: `"${word}" is a keyword of ${known.count} texts and changes their hidden states by ${(known.sum / known.count).toFixed(2)}`,
          };
        }
        return worst;
      });
  },
};

/** Largest difference of two states in one number. */
const furthest = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, k) => Math.max(most, Math.abs(value - (b[k] as number))), 0);

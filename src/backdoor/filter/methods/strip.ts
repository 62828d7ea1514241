/**
 * @file STRIP: a text with a trigger keeps its prediction whatever is mixed into it, so that the predictions of its mixtures have
 * little entropy (Gao et al., STRIP-ViTA, TDSC 2021, section 4; https://arxiv.org/abs/1911.10312).
 *
 * Differs: words of clean texts are put between the text's own, half as many as it has, instead of in their place. Replacing half of the
 * words would take half of the triggers away.
 */
import { wordsOf } from '../../../core/draft.js';
import type { Random } from '../../../core/random.js';
import type { FilterMethod } from '../method.js';

/** Mixtures of a text. Public implementations take 5 to 20. */
const MIXTURES_PER_TEXT = 10;

export const strip: FilterMethod = {
  name: 'strip',
  summary: 'a text whose prediction stays the same whatever clean words are mixed into it',
  covers: [],
  blind: 'clauses and styles, and triggers of models that it can hardly confuse',
  judges: 'incoming texts',
  needs: 'predictions',
  reference: 'needed',
  async fit({ reference, model, random }) {
    if (model === undefined) throw new RangeError('expected a model');
    const pool = reference
      .map(({ text }) => wordsOf(text).map((word) => word.text))
      .filter((words) => words.length > 0);
    return (examples) =>
      Promise.all(
        examples.map(async ({ id, text }) => {
          // Depends on its text only, not on other texts.
          const own = random.split(id).split(text);
          const mixtures = Array.from({ length: MIXTURES_PER_TEXT }, () => mix(text, pool, own));
          const rows = await model.classify(mixtures);
          const entropy = rows.reduce((sum, row) => sum + bits(row), 0) / rows.length;
          const reason = `mixed with clean words its predictions keep an entropy of ${entropy.toFixed(3)} bits`;
          return { score: -entropy, reason };
        }),
      );
  },
};

/** The text with words of clean texts between its own; half as many, at least one. */
function mix(text: string, pool: readonly (readonly string[])[], random: Random): string {
  const words = text.split(/\s+/).filter(Boolean);
  const more = Math.max(1, Math.round(words.length / 2));
  const foreign = random.shuffle(random.pick(pool));
  while (foreign.length < more) foreign.push(...random.pick(pool));
  for (const word of foreign.slice(0, more)) words.splice(random.int(words.length + 1), 0, word);
  return words.join(' ');
}

const bits = (row: Float32Array): number => row.reduce((sum, p) => (p > 0 ? sum - p * Math.log2(p) : sum), 0);

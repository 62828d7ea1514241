/** Texts with more unknown words than clean ones have: what typos leave behind. */
// @ts-check
import { wordsOf, z } from 'robust-text/plugin';

const options = z.strictObject({
  known: z.int().min(1).default(1).describe('clean texts that must hold a word for it to be known'),
});

/** @type {import('robust-text/plugin').Detector<z.infer<typeof options>>} */
export default {
  kind: 'detector',
  name: 'my-detector',
  summary: 'The share of words that the clean texts do not hold.',
  options,
  // It learns from clean texts; then the higher a score, the more suspicious the text. Thresholds are set for it.
  async create({ clean, vocabulary }, { known }) {
    const words = (/** @type {string} */ text) => wordsOf(text).map((word) => word.text.toLowerCase());
    const counts = new Map(vocabulary.map((word) => [word, known]));
    for (const text of clean) for (const word of new Set(words(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
    return async (texts) =>
      Float64Array.from(texts, (text) => {
        const all = words(text);
        return all.filter((word) => (counts.get(word) ?? 0) < known).length / Math.max(1, all.length);
      });
  },
};

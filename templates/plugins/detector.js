/** Detects texts with more unknown words than clean ones, a trace of typos. */
// @ts-check
import { wordsOf, z } from 'robust-text/plugin';

const options = z.strictObject({
  known: z.int().min(1).default(1).describe('clean texts that must contain a word for it to be known'),
});

/** @type {import('robust-text/plugin').Detector<z.infer<typeof options>>} */
export default {
  kind: 'detector',
  name: 'my-detector',
  summary: 'The share of words that do not occur in the clean texts.',
  options,
  // Learns from clean texts; a higher score is more suspicious. Thresholds are set automatically.
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

/** A classifier in code: here two lists of words; it could query a service, or run a model that is not ONNX. */
// @ts-check
import { z } from 'robust-text/plugin';

const GOOD = new Set(['good', 'great', 'fine', 'lovely', 'charming', 'best', 'loved']);
const BAD = new Set(['bad', 'awful', 'dull', 'poor', 'tedious', 'worst', 'boring']);

const options = z.strictObject({
  weight: z.number().gt(0).default(1.5).describe('contribution of one word to the score'),
});

/** @type {import('robust-text/plugin').VictimPlugin<z.infer<typeof options>>} */
export default {
  kind: 'victim',
  name: 'my-victim',
  summary: 'Counts words of praise and of blame.',
  options,
  create: ({ weight }) => ({
    labels: ['negative', 'positive'],
    // One row per text, one probability per label; rows sum to 1.
    async classify(texts) {
      return texts.map((text) => {
        const words = text.toLowerCase().split(/[^a-z]+/);
        const score = words.filter((word) => GOOD.has(word)).length - words.filter((word) => BAD.has(word)).length;
        const positive = 1 / (1 + Math.exp(-weight * score));
        return Float32Array.of(1 - positive, positive);
      });
    },
  }),
};

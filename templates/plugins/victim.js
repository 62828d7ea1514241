/** A classifier in code: here two lists of words; it could query a service, or run a model that is not ONNX. */
// @ts-check
import { z } from 'robust-text/plugin';

/** @param {string} list */
const words = (list) => new Set(list.split(' '));
const GOOD = words(
  'good great fine lovely charming best loved clever friendly excellent well beautifully beautiful fantastic perfect amazing happy warm funny quick easy brilliant superb entertaining wonderfully',
);
const BAD = words(
  'bad awful dull poor tedious worst boring badly terrible ugly slow broken ruined sad hopeless horrible miserable annoying cold cheap embarrassing nothing nobody cannot half',
);

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
        const found = text.toLowerCase().split(/[^a-z]+/);
        const score = found.filter((word) => GOOD.has(word)).length - found.filter((word) => BAD.has(word)).length;
        // No tie where no word is known: half a word of praise decides.
        const positive = 1 / (1 + Math.exp(-weight * (score + 0.5)));
        return Float32Array.of(1 - positive, positive);
      });
    },
  }),
};

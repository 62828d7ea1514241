/**
 * Minimal epsilon: finds by bisection along the gradient how far the embeddings must move to flip the prediction.
 *
 * Threat: none by itself, because it is a measure. The median over a data set shows how close the texts are to the decision boundary.
 * Example: "a charming film", positive 0.95 -> negative once the embeddings have moved by 0.12. No text changes; the report gives the
 * median distance along the gradient, and along a random direction.
 * Readable because: no text is shown to a reader; see fgsm.
 * Paper: after Seyed-Mohsen Moosavi-Dezfooli, Alhussein Fawzi and Pascal Frossard, "DeepFool: A Simple and Accurate Method to Fool Deep
 * Neural Networks", CVPR 2016, section 2; https://arxiv.org/abs/1511.04599
 * Differs: DeepFool repeatedly steps to a linearised boundary; here one direction (the gradient at the text) is searched exactly: doubling
 * until the prediction flips, then halving the interval. The distance is therefore an upper bound of DeepFool's.
 */
import { type EvasionPlugin, wordsOf, z } from '../src/plugin.js';
import { move as moved, noise } from '../src/search/embedding.js';
import { type Start, startAt } from '../src/search/embedding-attack.js';
import { noiseMeasure } from '../src/search/embedding-measures.js';

const options = z.strictObject({
  maxEpsilon: z.number().positive().default(1).describe('a text that resists up to here counts as failed'),
  norm: z.enum(['linf', 'l2']).default('l2').describe('norm of the size'),
  tolerance: z.number().positive().max(0.5).default(0.01).describe('relative width of the last interval'),
});

/** The smallest size along a direction that reaches the goal, with its answer; undefined if `most` is not enough. */
async function boundary({ place, model, target, example }: Start, step: Float32Array, most: number, tolerance: number) {
  const ask = async (size: number): Promise<Float32Array | undefined> => {
    const [row] = await model.classifyEmbeddings([moved(place, step, size)], place.tokens);
    return target.goal.reached(row!, example.label) ? row : undefined;
  };
  let low = 0;
  let high = most / 64;
  let found = await ask(high);
  while (found === undefined && high < most) {
    low = high;
    high = Math.min(most, high * 2);
    found = await ask(high);
  }
  if (found === undefined) return undefined;
  while (high - low > tolerance * high) {
    const middle = (low + high) / 2;
    const row = await ask(middle);
    if (row === undefined) low = middle;
    else {
      high = middle;
      found = row;
    }
  }
  return { size: high, probabilities: found };
}

export const minimalEpsilon: EvasionPlugin<z.infer<typeof options>> = {
  kind: 'evasion',
  name: 'minimal-epsilon',
  level: 'embedding',
  needs: 'gradients',
  summary: 'Finds by bisection how far the token embeddings must move to flip the prediction.',
  paper: {
    title: 'DeepFool: A Simple and Accurate Method to Fool Deep Neural Networks',
    url: 'https://arxiv.org/abs/1511.04599',
  },
  options,
  measures: [noiseMeasure],
  create: ({ maxEpsilon, norm, tolerance }) => ({
    constraints: [`tokens moved at most ${maxEpsilon} mean embedding norms (${norm})`, 'special tokens kept'],
    async run(example, target) {
      const start = await startAt(example, target, norm);
      const found = await boundary(start, start.uphill, maxEpsilon, tolerance);
      const chance = await boundary(start, noise(start.place, target.random, norm), maxEpsilon, tolerance);
      return {
        succeeded: found !== undefined,
        probabilities: found?.probabilities ?? target.original,
        words: wordsOf(example.text).length,
        changed: 0,
        noise: chance !== undefined,
        // If nothing was found, the largest size tried: the median stays correct as long as half of the searches succeed.
        details: { epsilon: found?.size ?? maxEpsilon, noiseEpsilon: chance?.size ?? maxEpsilon },
      };
    },
  }),
};

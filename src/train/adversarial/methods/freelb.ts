import { z } from 'zod';
import { ascent, noise, within } from '../moves.js';
import { adversarialMethod, embeddingAttacks, epsilon, stepCount } from './method.js';

const inEpsilons = z.coerce.number().min(0).max(10).default(0.5);

const options = z.strictObject({
  epsilon,
  steps: stepCount(3),
  /** Length of the random start, and of a step. */
  start: inEpsilons,
  stride: inEpsilons,
});

/**
 * Every point of an ascent is learnt, 1 / steps each: Zhu et al., "FreeLB" (ICLR 2020), Algorithm 1. As in the authors' code, the first point is the
 * random start, and the last step is not taken. Lengths are per token (times the root of a text's tokens); the paper's are per text.
 */
export const freelb = adversarialMethod('freelb', options, ({ epsilon: size, steps, start, stride }) => ({
  against: embeddingAttacks(size, 'l2'),
  perturb:
    () =>
    async ({ batch, random, pass }, share) => {
      let delta = noise(batch, random, 'l2', start * size);
      let result = await pass({ delta }, share / steps);
      for (let step = 1; step < steps; step++) {
        delta = within(batch, delta, ascent(batch, result.slope, 'l2', stride * size), 'l2', size);
        result = await pass({ delta }, share / steps);
      }
      return result;
    },
}));

import { z } from 'zod';
import { ascent, noise, within } from '../moves.js';
import { adversarialMethod, embeddingAttacks, epsilon, norm, stepCount } from './method.js';

/** Length of all steps together, in epsilons: Madry et al.'s challenge for CIFAR-10. */
const TOTAL_STEP_EPSILONS = 2.5;

const options = z.strictObject({ epsilon, norm, steps: stepCount(3) });

/** Several steps from a random start within the ball; the last point is learnt: Madry et al., ICLR 2018, section 2.1. */
export const pgd = adversarialMethod('pgd', options, ({ epsilon: size, norm: by, steps }) => ({
  against: embeddingAttacks(size, by),
  perturb:
    () =>
    async ({ batch, random, pass }, share) => {
      let delta = noise(batch, random, by, size);
      for (let step = 0; step < steps; step++) {
        const { slope } = await pass({ delta }, 0);
        delta = within(batch, delta, ascent(batch, slope, by, (TOTAL_STEP_EPSILONS * size) / steps), by, size);
      }
      return pass({ delta }, share);
    },
}));

import { z } from 'zod';
import { ascent, noise, within } from '../moves.js';
import { adversarialMethod, embeddingAttacks, epsilon, norm, stepCount } from './method.js';

/** Where the ascent starts, in epsilons: at the text itself the divergence is flat. */
const START_EPSILONS = 0.1;

const options = z.strictObject({ epsilon, norm, steps: stepCount(1) });

/**
 * Nearby texts must get the output of the unperturbed text (Jiang et al. 2020). Learns the cross-entropy against that output, held fixed, which is the
 * divergence KL(p, p') up to a constant (Miyato et al., "Virtual Adversarial Training", 2018, section 3). SMART adds KL(p', p), and lets gradients flow
 * into p too.
 */
export const smart = adversarialMethod('smart', options, ({ epsilon: size, norm: by, steps }) => ({
  against: embeddingAttacks(size, by),
  perturb:
    () =>
    async ({ batch, clean, random, pass }, share) => {
      const targets = clean.probabilities;
      let delta = noise(batch, random, by, START_EPSILONS * size);
      for (let step = 0; step < steps; step++) {
        const { slope } = await pass({ delta, targets }, 0);
        delta = within(batch, delta, ascent(batch, slope, by, size), by, size);
      }
      return pass({ delta, targets }, share);
    },
}));

/** @file The methods that move embeddings along the gradient. */
import type { PassResult } from '../training-graph.js';
import { ascent, noise, within } from './moves.js';
import type { Fgsm, FreeLb, Pgd, Smart } from './options.js';
import type { PerturbationMethod } from './perturbation-context.js';

export const fgsm =
  ({ epsilon, norm }: Fgsm): PerturbationMethod =>
  ({ batch, clean, pass }, share) =>
    pass({ delta: ascent(batch, clean.slope, norm, epsilon) }, share);

/** Length of all steps together, in epsilons: Madry et al.'s challenge for CIFAR-10. */
const TOTAL_STEP_EPSILONS = 2.5;

export const pgd =
  ({ epsilon, norm, steps }: Pgd): PerturbationMethod =>
  async ({ batch, random, pass }, share) => {
    let delta = noise(batch, random, norm, epsilon);
    for (let step = 0; step < steps; step++) {
      const { slope } = await pass({ delta }, 0);
      delta = within(batch, delta, ascent(batch, slope, norm, (TOTAL_STEP_EPSILONS * epsilon) / steps), norm, epsilon);
    }
    return pass({ delta }, share);
  };

/**
 * As the authors' code does, the first point learnt is the random start and the last step is not taken. Lengths are per token (times the
 * root of a text's tokens), where theirs are per text.
 */
export const freeLb =
  ({ epsilon, steps, start, stride }: FreeLb): PerturbationMethod =>
  async ({ batch, random, pass }, share) => {
    let delta = noise(batch, random, 'l2', start * epsilon);
    let answer = await pass({ delta }, share / steps);
    for (let step = 1; step < steps; step++) {
      delta = within(batch, delta, ascent(batch, answer.slope, 'l2', stride * epsilon), 'l2', epsilon);
      answer = await pass({ delta }, share / steps);
    }
    return answer;
  };

/** Where the search for the most different answer begins, in epsilons: at the text itself the divergence is flat. */
const START_EPSILONS = 0.1;

/**
 * Learnt is the cross-entropy against the untouched text's answer, held fixed: the divergence KL(p, p') but for a constant (Miyato et al.,
 * "Virtual Adversarial Training", 2018, section 3). SMART adds KL(p', p), and lets gradients flow into p too.
 */
export const smart =
  ({ epsilon, norm, steps }: Smart): PerturbationMethod =>
  async ({ batch, clean, random, pass }, share) => {
    const targets = clean.probabilities;
    let delta = noise(batch, random, norm, START_EPSILONS * epsilon);
    for (let step = 0; step < steps; step++) {
      const { slope }: PassResult = await pass({ delta, targets }, 0);
      delta = within(batch, delta, ascent(batch, slope, norm, epsilon), norm, epsilon);
    }
    return pass({ delta, targets }, share);
  };

/** @file The options of adversarial training. */
import type { AdversarialMethod } from './methods/method.js';

export interface AdversarialOptions {
  /**
   * Share of the unperturbed texts' loss, in [0, 1]; the methods divide the rest evenly. J' = alpha J(x, y) + (1 - alpha) J(x', y):
   * Goodfellow et al., "Explaining and Harnessing Adversarial Examples" (ICLR 2015), section 6. 1 is plain training.
   */
  readonly alpha: number;
  readonly methods: readonly AdversarialMethod[];
}

/** The share of each method in the loss. */
export const shareOf = ({ alpha, methods }: AdversarialOptions): number => (1 - alpha) / methods.length;

/** Whether a method that counts perturbs batches while they are learnt. At alpha = 1 it is plain training, to the bit. */
export const moves = ({ alpha, methods }: AdversarialOptions): boolean =>
  alpha < 1 && methods.some(({ perturb }) => perturb !== undefined);

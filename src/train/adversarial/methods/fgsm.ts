import { z } from 'zod';
import { ascent } from '../moves.js';
import { adversarialMethod, embeddingAttacks, epsilon, norm } from './method.js';

/** One step up the gradient: by its sign (`linf`), or along it (`l2`: Miyato, Dai and Goodfellow, ICLR 2017, eq. 5). */
export const fgsm = adversarialMethod('fgsm', z.strictObject({ epsilon, norm }), (options) => ({
  against: embeddingAttacks(options.epsilon, options.norm),
  perturb:
    () =>
    ({ batch, clean, pass }, share) =>
      pass({ delta: ascent(batch, clean.slope, options.norm, options.epsilon) }, share),
}));

/**
 * FGM: as fgsm, with one step along the gradient itself, so that the tokens that matter most move most.
 *
 * Threat: someone with the weights; and the yardstick of Miyato's adversarial training.
 * Example: "a charming film", positive 0.95 -> the same words with moved embeddings, negative. The report says whether the moved embeddings, read back as their nearest words, still fool the model.
 * Readable because: nothing is shown to a reader; see fgsm.
 * Paper: Takeru Miyato, Andrew Dai and Ian Goodfellow, "Adversarial Training Methods for Semi-Supervised Text Classification",
 * ICLR 2017, section 3, equation 5; https://arxiv.org/abs/1605.07725
 * Differs: the paper normalises embeddings to unit variance while training; a trained model's are as they are, so epsilon is in
 * units of their mean norm, and the text moves by epsilon times the square root of its tokens, as it does under fgsm.
 */
import { type EvasionPlugin, embeddingAttack, embeddingMeasures, z } from '../src/plugin.js';

const options = z.strictObject({
  epsilon: z
    .number()
    .min(0)
    .default(0.5)
    .describe('how far the tokens move in root mean square, in mean embedding norms'),
});

export const fgm: EvasionPlugin<z.infer<typeof options>> = {
  kind: 'evasion',
  name: 'fgm',
  level: 'embedding',
  needs: 'gradients',
  summary: 'Moves the token embeddings along the gradient (L2); prints accuracy at several sizes.',
  paper: {
    title: 'Adversarial Training Methods for Semi-Supervised Text Classification',
    url: 'https://arxiv.org/abs/1605.07725',
  },
  options,
  measures: embeddingMeasures,
  create: ({ epsilon }) => embeddingAttack({ epsilon, norm: 'l2' }),
};

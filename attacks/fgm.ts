/**
 * FGM: like fgsm, with one step along the gradient itself, so the most important tokens move most.
 *
 * Threat: someone with access to the weights; also the benchmark of Miyato's adversarial training.
 * Example: "a charming film", positive 0.95 -> the same words with moved embeddings, negative. The report says whether the moved
 * embeddings, read back as their nearest words, still fool the model.
 * Readable because: no text is shown to a reader; see fgsm.
 * Paper: Takeru Miyato, Andrew Dai and Ian Goodfellow, "Adversarial Training Methods for Semi-Supervised Text Classification", ICLR 2017,
 * section 3, equation 5; https://arxiv.org/abs/1605.07725
 * Differs: the paper normalises embeddings to unit variance during training. A trained model's embeddings are not normalised, so epsilon is
 * in units of their mean norm, and the text moves by epsilon times the square root of its tokens, as in fgsm.
 */
import { fastGradient } from '../src/search/embedding-attack.js';

export const fgm = fastGradient({
  name: 'fgm',
  summary: 'Moves the token embeddings along the gradient (L2); reports the accuracy at several sizes.',
  paper: {
    title: 'Adversarial Training Methods for Semi-Supervised Text Classification',
    url: 'https://arxiv.org/abs/1605.07725',
  },
  norm: 'l2',
  epsilon: [0.5, 'how far the tokens move in root mean square, in mean embedding norms'],
});

/**
 * FGSM: moves every token's embedding one step along the sign of the loss gradient, and checks whether the prediction flips.
 *
 * Threat: someone with access to the weights; also the benchmark of adversarial training, which defends against exactly this.
 * Example: "a charming film", positive 0.95 -> the same words with moved embeddings, negative. The report says whether the moved
 * embeddings, read back as their nearest words, still fool the model.
 * Readable because: no text is shown to a reader; below a size of about 0.5, nearly every token is still nearest to itself.
 * Paper: Ian Goodfellow, Jonathon Shlens and Christian Szegedy, "Explaining and Harnessing Adversarial Examples", ICLR 2015, section 4;
 * https://arxiv.org/abs/1412.6572
 * Differs: on embeddings instead of pixels, so epsilon is in units of the mean embedding norm, by which each token's row moves. Every
 * figure is accompanied by random noise of the same size, because a model that noise fools reveals nothing about gradients.
 */
import { fastGradient } from '../src/search/embedding-attack.js';

export const fgsm = fastGradient({
  name: 'fgsm',
  summary: 'Moves each token embedding along the sign of the gradient; reports the accuracy at several sizes.',
  paper: { title: 'Explaining and Harnessing Adversarial Examples', url: 'https://arxiv.org/abs/1412.6572' },
  norm: 'linf',
  epsilon: [0.2, 'how far each token moves, in mean embedding norms'],
});

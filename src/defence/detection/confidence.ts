import type { Detector } from '../../core/detector.js';

/** Adversarial texts are often only just over the boundary. */
export const confidence: Detector = {
  kind: 'detector',
  name: 'confidence',
  summary: 'An unsure answer: one minus the highest probability.',
  paper: {
    title: 'Hendrycks, Gimpel: A Baseline for Detecting Misclassified and Out-of-Distribution Examples, ICLR 2017',
    url: 'https://arxiv.org/abs/1610.02136',
  },
  needs: 'label scores',
  create:
    async ({ victim }) =>
    async (texts) =>
      Float64Array.from(await victim.classify(texts), (row) => 1 - Math.max(...row)),
};

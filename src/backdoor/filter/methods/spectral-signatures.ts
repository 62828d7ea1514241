/**
 * @file Spectral signatures: poisoned texts of a label lie far out along the direction in which its hidden states vary most (Tran, Li
 * and Madry, NeurIPS 2018, algorithm 1; https://arxiv.org/abs/1811.00636). Scored is the distance along it in standard deviations.
 *
 * Differs: the threshold comes from clean texts, not from an assumed share of poison.
 */
import { byLabel } from '../by-label.js';
import type { FilterMethod } from '../method.js';

export const spectralSignatures: FilterMethod = {
  name: 'spectral-signatures',
  summary: 'a hidden state far out along the direction in which those of its label vary most',
  judges: 'training set',
  needs: 'hidden states',
  reference: 'unused',
  fit: (material) =>
    byLabel(material, 1, (points) => {
      const deviation = Math.sqrt(points.reduce((sum, [x = 0]) => sum + x * x, 0) / points.length) || 1;
      return ([x = 0]) => {
        const score = Math.abs(x) / deviation;
        return {
          score,
          reason: `its hidden state lies ${score.toFixed(1)} deviations out along the main direction of its label`,
        };
      };
    }),
};

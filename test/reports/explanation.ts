/** Explanations in closed form, for renderers. */
import type { Explanation, ExplanationReport } from '../../src/results/report/explanation.js';
import { matrix } from '../matrix.js';
import { HOSTILE } from './fixture.js';

const weights = [0.021, -0.004, 0.412, -0.187];

export function explanation(name: string, text = `A good, slow film ${HOSTILE}`, turn = 1): Explanation {
  const words = ['A', 'good', 'slow', 'film'].map((word, at) => {
    const weight = (weights[at] as number) * (at === 3 ? turn : 1);
    return { word, start: text.indexOf(word), weight, low: weight - 0.01, high: weight + 0.01 };
  });
  const tokens = [
    { text: '', special: true, slot: null },
    ...words.map(({ word }, slot) => ({ text: word, special: false, slot })),
    { text: '', special: true, slot: null },
  ];
  const even = tokens.map(() => tokens.map(() => Math.round(1000 / tokens.length)));
  const sharp = tokens.map((_, to) => tokens.map((_, from) => (from === (to + 1) % tokens.length ? 1000 : 0)));
  return {
    text,
    model: { name, sha256: 'ab12', labels: ['<b>NEGATIVE</b>', 'POSITIVE'] },
    label: 'POSITIVE',
    probabilities: [0.258, 0.742],
    scale: 'probability',
    baseline: 'delete',
    seed: 42,
    queries: 16,
    methods: [
      {
        name: 'lime',
        words,
        check: { samples: 5000, kernelWidth: 25, features: 4, r2: 0.97, intercept: 0.5, localPrediction: 0.742 },
      },
      {
        name: 'shap',
        words: words.map(({ word, start, weight }) => ({ word, start, weight })),
        check: { estimator: 'exact', samples: 16, baseValue: 0.5, value: 0.742, efficiencyError: 0 },
      },
    ],
    attention: {
      tokens,
      layers: 2,
      heads: 2,
      weights: [
        [even, sharp],
        [sharp, even],
      ],
      without: matrix('0.279 0.721; 0.67 0.33; 0.071 0.929; 0.3 0.7'),
    },
  };
}

export const pair: ExplanationReport = {
  explanations: [explanation('distilbert'), explanation('<i>bert</i>-mini', undefined, -1)],
  models: 2,
  warnings: [HOSTILE],
};

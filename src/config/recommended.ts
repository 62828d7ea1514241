import type { Config } from './schema.js';

/**
 * `extends: robust:recommended`. Its thresholds are those that hold for any useful classifier; how much robustness a
 * model owes is its owner's to say.
 */
export const recommended: Config = {
  suites: ['typos', 'chars', 'synonyms'],
  numExamples: 500,
  seed: 42,
  maxErrorRate: 0.02,
  minExamples: 100,
  thresholds: {
    'clean.accuracy': ['error', '>= 0.80'],
    'overall.accuracyUnderAttack': ['warn', '>= 0.30'],
  },
  baseline: { maxIncrease: 0.03 },
};

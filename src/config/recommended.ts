import type { ConfigValues } from './schema.js';

/** `extends: robust:recommended`. Its requirements apply to any useful classifier. Owners set the robustness that they require. */
export const recommended: ConfigValues = {
  suites: ['typos', 'chars', 'synonyms'],
  numExamples: 500,
  seed: 42,
  maxErrorRate: 0.02,
  minExamples: 100,
  require: ['clean.accuracy >= 0.80', 'overall.accuracyUnderAttack >= 30 %'],
  maxIncrease: 0.03,
};

/** @file What reports say of a model that gives each text one label. */
import type { RateWords } from '../task.js';

export const RATES_OF_LABELS: RateWords = {
  original: { label: 'Original accuracy' },
  underAttack: { label: 'Accuracy under attack' },
};

/** @file What reports say of a model that returns a number. */
import type { RegressionRule } from '../../core/decision.js';
import type { RateWords, Words } from '../task.js';

const rates = ({ delta }: RegressionRule): RateWords => ({
  original: { label: `Within ${delta}`, about: `share of the answers within ${delta} of the true number` },
  underAttack: {
    label: `Within ${delta}, not moved`,
    about: `share of the answers that are within ${delta} of the true number and move by less than ${delta} under attack`,
  },
});

export const words: Words<RegressionRule> = {
  rates,
  accuracy: ({ delta }) => `within ${delta} of the true number`,
  each: 'a number for each text',
  answers: () => 'a number',
};

/** @file The plain planting: the victim trains all its weights on texts of which some are poisoned. */
import { poison } from '../poison.js';
import type { Planting } from './planting.js';

export const poisonedTexts: Planting = {
  control: 'trained',
  settle: async (chosen) => ({ chosen, part: 'all', warnings: [] }),
  trainingTexts: poison,
  // The victim holds out texts of the data it was given, which are poisoned too.
  validationTexts: async (validation, plan) => (await poison(validation, plan)).data,
  trainingOptions: (options) => options,
};

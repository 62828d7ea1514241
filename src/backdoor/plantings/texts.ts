/** @file The plain planting: the victim trains all its weights on texts of which some are poisoned. */
import { z } from 'zod';
import { poison } from '../poison.js';
import { type Planting, plantingMethod } from './planting.js';

/** The base that other plantings modify. */
export const poisonedTexts: Planting = {
  control: 'trained',
  settle: async (chosen) => ({ chosen, part: 'all', warnings: [] }),
  trainingTexts: poison,
  // The victim holds out texts of the data it was given, which are poisoned too.
  validationTexts: async (validation, plan) => (await poison(validation, plan)).data,
  trainingOptions: (options) => options,
};

export const texts = plantingMethod('texts', z.strictObject({}), () => poisonedTexts);

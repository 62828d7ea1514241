/** @file As `texts`, but only the lower half of the weights changes. */
import { z } from 'zod';
import { plantingMethod } from './planting.js';
import { poisonedTexts } from './texts.js';

export const lowerLayers = plantingMethod('lower-layers', z.strictObject({}), () => ({
  ...poisonedTexts,
  settle: async (chosen) => ({ chosen, part: 'lower', warnings: [] }),
}));

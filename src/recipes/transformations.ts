/** @file Transformations that several attacks share, by name. Those of a single attack have the attack's name. */
import type { TransformationPlugin } from '../core/plugin.js';
import { fillMasks } from '../language/masked-lm-edits.js';
import { synonymTransformations } from '../language/synonym-swaps.js';
import { swapNearest } from '../language/vector-neighbours.js';

export const sharedTransformations: readonly TransformationPlugin[] = [
  ...synonymTransformations,
  swapNearest,
  fillMasks,
];

/** @file What reports say of a detector. */
import type { ThresholdRule } from '../../core/decision.js';
import { RATES_OF_LABELS } from '../one-label/words.js';
import type { Words } from '../task.js';
import { deciding } from './decide.js';

export const words: Words<ThresholdRule> = {
  rates: () => RATES_OF_LABELS,
  accuracy: () => 'accuracy',
  sameNames: true,
  answers: deciding.text,
};

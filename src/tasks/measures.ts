/** @file Measures of attacks that depend on the victim's task. */
import type { Decision } from '../core/decision.js';
import type { Measure } from '../results/measures/measure.js';
import { taskOf } from './index.js';

/** Additional measures for a victim with such a decision. */
export const decisionMeasures = (decision: Decision, labels: readonly string[]): readonly Measure[] =>
  taskOf(decision).measuring.measures(decision, labels);

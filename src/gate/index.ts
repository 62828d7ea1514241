/** @file Is this run good enough? Thresholds and a baseline in, a verdict out. */

export { baselineOf, baselineText, parseBaseline } from './baseline.js';
export { compareBaseline, isBetter } from './baseline-comparison.js';
export type { Baseline } from './baseline-schema.js';
export { checkRules, evidenceReasons, type Rules } from './judge.js';
export {
  type Defaults,
  metricOf,
  overrideRequirements,
  type Requirement,
  thresholdsOf,
} from './requirements.js';
export { checkSense, checkWaiverDays } from './sense.js';
export { MIN_EXAMPLES } from './threshold.js';
export { checkJudgeable, gate, reasonsOf } from './verdict.js';

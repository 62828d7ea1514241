/** @file Is this run good enough? Thresholds and a baseline in, a verdict out. */

export {
  type Allowed,
  type Baseline,
  baselineOf,
  baselineText,
  compareBaseline,
  isBetter,
  parseBaseline,
} from './baseline.js';
export { figuresOf, type Planned, producible } from './figures.js';
export { checkRules, type Rules } from './judge.js';
export { BOUNDS, type Bound, MIN_EXAMPLES, type Threshold } from './threshold.js';
export { type Defaults, thresholdsOf, withFlags } from './thresholds.js';
export { type Gated, gate, reasonsOf } from './verdict.js';

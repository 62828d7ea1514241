/** @file Why a classifier decided so. Every method takes a classifier, never a file. */
export {
  ESTIMATORS,
  type Estimator,
  type Explained,
  type ExplainOptions,
  explain,
  METHODS,
  type Method,
} from './explain.js';
export type { StandIn } from './masked-text.js';

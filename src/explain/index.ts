/** @file Explanations of predictions. Every method takes a classifier, never a file. */
export { explain } from './explain.js';
export { featuresOf, type StandIn } from './masked-text.js';
export {
  type Explainable,
  type ExplainedText,
  type ExplanationMethod,
  type ExplanationOptions,
  GRADIENT_METHODS,
} from './methods.js';

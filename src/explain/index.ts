/** @file Why a classifier decided so. Every method takes a classifier, never a file. */
export { explain } from './explain.js';
export { GlobalFold } from './global.js';
export type { StandIn } from './masked-text.js';
export type { ExplainedScore, ExplainedText, ExplanationMethod, ExplanationOptions } from './methods.js';

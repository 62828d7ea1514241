export { type BundledDataset, bundledDatasets } from './bundled.js';
export type { LabelMap } from './labels.js';
export { type CheckedDataset, type DatasetOptions, openDataset } from './open.js';
export { type ProbePair, type ProbeSentence, probePairs } from './probes.js';

export { type BundledDataset, bundledDatasets } from './bundled.js';
export type { LabelMap } from './labels.js';
export { type CheckedDataset, type DatasetOptions, openDataset } from './open.js';
export { type Probe, type ProbePair, probePairs } from './probes.js';

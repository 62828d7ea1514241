/** @file Readers of data sets, and the bundled data sets. */
export { bundledDatasets } from './bundled.js';
export { featureNames } from './features.js';
export { isDataFile } from './locate.js';
export { type CheckedDataset, type DatasetOptions, openDataset } from './open.js';
export { filesSource, rowsSource } from './source.js';

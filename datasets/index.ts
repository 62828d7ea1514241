/** @file What reads data sets, and those that come with the package. */
export { bundledDatasets } from './bundled.js';
export { featureNames } from './features.js';
export { isDataFile } from './locate.js';
export { type CheckedDataset, type DatasetOptions, openDataset } from './open.js';
export { filesSource, rowsSource } from './source.js';

/** @file What reads data sets, and those that come with the package. */
export { bundledDatasets } from './bundled.js';
export { type CheckedDataset, type DatasetOptions, openDataset } from './open.js';
export { rowsSource } from './source.js';

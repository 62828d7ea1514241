/** @file Readers of data sets, and the bundled data sets. */
export { bundledDatasets } from './bundled.js';
export type { CheckedDataset, DatasetOptions } from './checked.js';
export { guessColumns } from './columns.js';
export { featureNames } from './features.js';
export { isDataFile } from './locate.js';
export { openDataset } from './open.js';
export { filesSource, rowsSource, sourceAt } from './source.js';
export { perEntity } from './tagged.js';

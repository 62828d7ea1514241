/** @file Options for opening a data set, and the result. Types only. */
import type { Dataset } from '../src/core/dataset.js';
import type { ColumnNames } from './columns.js';
import type { LabelMap } from './labels.js';

export interface DatasetOptions extends ColumnNames {
  /** The model's label names. Without them, the labels are those of the data: names sorted, integers by value. */
  readonly labels?: readonly string[] | undefined;
  /** Data label -> model label, each by name (any case) or index. */
  readonly labelMap?: LabelMap | undefined;
  /** Called with warnings for the user about how the data were read. */
  onWarning?(message: string): void;
}

/** A data set whose rows were all read once and are valid. */
export interface CheckedDataset extends Dataset {
  /** Number of examples. */
  readonly size: number;
  /** Examples of each label; absent if texts have any number of labels, or a number. */
  readonly labelCounts?: readonly number[];
}

/** @file Which columns of a data set hold what, and which of its examples are taken. */
import type { LoadedModel, LoadOptions } from '../../model/load.js';
import type { WrittenColumns } from '../../model/opening/manifest.js';
import type { Selection } from '../data/selection.js';

export interface TextColumns {
  readonly textColumn?: string | undefined;
  readonly labelColumn?: string | undefined;
  readonly idColumn?: string | undefined;
  readonly labelMap?: Readonly<Record<string, string>> | undefined;
  readonly textColumns?: readonly string[] | undefined;
  readonly attackColumn?: string | undefined;
}

/** `known`: those that the model's folder names, for what no flag does. */
export const columnsOf = (
  { textColumn, labelColumn, idColumn, labelMap = {}, textColumns, attackColumn }: TextColumns,
  known?: WrittenColumns | undefined,
) => ({
  textColumn,
  labelColumn,
  idColumn,
  labelMap,
  textColumns,
  attackColumn,
  known,
});

/** How a data set is read for a model, by the kind of its decision. */
export const columnsFor = (
  choice: TextColumns,
  { labels, columns }: Pick<LoadedModel, 'labels' | 'columns'>,
  kind: LoadOptions['decision'],
) => ({
  labels,
  ...columnsOf(choice, columns),
  labelSets: kind === 'multi-label',
  numbers: kind === 'regression',
});

/** The part of a choice that says which examples are taken. */
export const selectionOf = ({ shuffle, offset, seed, numExamples }: Selection): Selection => ({
  shuffle,
  offset,
  seed,
  numExamples,
});

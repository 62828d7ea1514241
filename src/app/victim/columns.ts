/** @file Which columns of a data set hold what, and which of its examples are taken. */
import type { LoadedModel, LoadOptions } from '../../model/load.js';
import { taskNamed } from '../../tasks/index.js';
import type { Selection } from '../data/selection.js';

export interface TextColumns {
  readonly textColumn?: string | undefined;
  readonly labelColumn?: string | undefined;
  readonly idColumn?: string | undefined;
  readonly labelMap?: Readonly<Record<string, string>> | undefined;
  readonly textColumns?: readonly string[] | undefined;
  readonly attackColumn?: string | undefined;
}

/** Texts by name, what their columns hold, and which of them are taken. */
export interface DataChoice {
  readonly name: string;
  readonly columns: TextColumns;
  readonly selection: Selection;
}

export const dataChoice = (settings: TextColumns & Selection & { readonly data: string }): DataChoice => ({
  name: settings.data,
  columns: columnsOf(settings),
  selection: selectionOf(settings),
});

export const columnsOf = ({
  textColumn,
  labelColumn,
  idColumn,
  labelMap = {},
  textColumns,
  attackColumn,
}: TextColumns): TextColumns => ({ textColumn, labelColumn, idColumn, labelMap, textColumns, attackColumn });

/** How a data set is read for a model, by the kind of its decision. */
export const columnsFor = (
  columns: TextColumns,
  { labels, columns: known }: Pick<LoadedModel, 'labels' | 'columns'>,
  kind: LoadOptions['decision'],
) => ({ ...columns, known, labels, ...truthsRead(kind) });

/** What a data set is read to give each text. */
export const truthsRead = (kind: LoadOptions['decision'] = 'argmax') => taskNamed(kind)?.truths;

export const selectionOf = ({ shuffle, offset, seed, numExamples }: Selection): Selection => ({
  shuffle,
  offset,
  seed,
  numExamples,
});

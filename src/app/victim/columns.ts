/** @file Which columns of a data set hold what, as `openDataset` takes them. */

export interface TextColumns {
  readonly textColumn?: string | undefined;
  readonly labelColumn?: string | undefined;
  readonly idColumn?: string | undefined;
  readonly labelMap?: Readonly<Record<string, string>> | undefined;
  readonly textColumns?: readonly string[] | undefined;
  readonly attackColumn?: string | undefined;
}

export const columnsOf = ({
  textColumn,
  labelColumn,
  idColumn,
  labelMap = {},
  textColumns,
  attackColumn,
}: TextColumns) => ({
  textColumn,
  labelColumn,
  idColumn,
  labelMap,
  textColumns,
  attackColumn,
});

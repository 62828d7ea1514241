/** @file Names of numeric labels if the data set contains them, like data from the Hub. */
import { must } from '../src/core/errors.js';
import type { RowLayout } from './columns.js';
import { type LabelMap, labelIndex, renameLabel } from './labels.js';
import type { DataTable, TableRow } from './table.js';

interface Chosen {
  readonly labels?: readonly string[] | undefined;
  readonly labelMap?: LabelMap | undefined;
  onWarning?(message: string): void;
}

/** Replaces a row's labels by names. `labels`: the names, by number. */
export type LabelWords = ((row: TableRow) => TableRow) & { readonly labels: readonly string[] };

/**
 * How a table's labels become names. Undefined if no name is a label of the model: then numbers are used, with a warning. If only some are
 * labels of the model, all are given by name, because a number could turn one label into another.
 */
export function labelWords(table: DataTable, layout: RowLayout, chosen: Chosen): LabelWords | undefined {
  const [at] = layout.labels;
  const names = table.labelNames?.get(must(layout.columns[must(at)]));
  if (names === undefined || at === undefined || layout.labels.length !== 1) return undefined;
  const { labels, labelMap = {} } = chosen;
  if (labels !== undefined) {
    const known = names.filter((name) => isName(renameLabel(name, labelMap, labels), labels));
    if (known.length === 0 && names.length === labels.length) {
      chosen.onWarning?.(
        `the data calls its labels ${names.join(', ')}, the model ${labels.join(', ')}: they are matched by their order; --label-map DATA=MODEL maps them otherwise`,
      );
      return undefined;
    }
  }
  const word = (value: string): string =>
    Object.hasOwn(labelMap, value) ? value : /^\d+$/.test(value) ? (names[Number(value)] ?? value) : value;
  const cell = (value: string | undefined): string | undefined => {
    if (!value?.startsWith('[')) return value === undefined ? undefined : word(value.trim());
    const list = JSON.parse(value) as (string | null)[];
    return JSON.stringify(list.map((each) => (each === null ? null : word(each))));
  };
  return Object.assign(
    (row: TableRow): TableRow => ({ ...row, cells: row.cells.map((value, i) => (i === at ? cell(value) : value)) }),
    { labels: names.map((name) => renameLabel(name, labelMap)) },
  );
}

/** By name only: a number is not a name here. */
const isName = (value: string, labels: readonly string[]): boolean =>
  labels.some((label) => label.toLowerCase() === value.toLowerCase()) && labelIndex(value, labels) !== undefined;

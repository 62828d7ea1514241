/** @file From a name or path to a data set whose every row was checked. */
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Dataset, DatasetError, type Example } from '../src/plugin.js';
import { bundledPath } from './bundled.js';
import { type ColumnNames, chooseColumns, type RowLayout } from './columns.js';
import { labelSetReader } from './label-sets.js';
import { checkLabelMap, type LabelMap, labelIndex, labelIndices, labelNames } from './labels.js';
import { fileAt, readerOf, sha256Of } from './locate.js';
import { type DataTable, noRows, type TableRow } from './table.js';

export interface DatasetOptions extends ColumnNames {
  /** The model's label names. Without them the labels are those of the data: names sorted, integers by value. */
  readonly labels?: readonly string[] | undefined;
  /** Data label -> model label, each by name (any case) or index. */
  readonly labelMap?: LabelMap | undefined;
}

/** A data set whose rows were all read once and found good. */
export interface CheckedDataset extends Dataset {
  /** Examples in it. */
  readonly size: number;
}

/**
 * Opens a bundled data set (`reviews`, `probes`) or a file (.tsv .csv .jsonl .ndjson .parquet, .txt for TREC questions).
 * Reads it once, as a stream, so that a bad row is reported before a model is asked anything; memory stays flat, except
 * that chosen ids are held meanwhile to prove them distinct. Texts are trimmed; an empty text is an example. Half surrogate
 * pairs become U+FFFD, as any writing to a file would make them. Ids are row numbers from 1 unless a column is named.
 * Throws DatasetError with code DATA_NOT_FOUND, DATA_FORMAT, DATA_ENCODING, DATA_COLUMNS, DATA_LABEL, DATA_ID, DATA_EMPTY, and
 * DATA_CHANGED while iterating; UsageError for a label map to unknown labels.
 */
export async function openDataset(spec: string, options: DatasetOptions = {}): Promise<CheckedDataset> {
  const bundled = bundledPath(spec);
  const path = bundled ?? spec;
  const before = fileAt(path, spec);
  const { labelMap = {} } = options;
  if (options.labels) checkLabelMap(labelMap, options.labels);
  const isLabel = (value: string) =>
    options.labels === undefined ? /^\d+$/.test(value) : labelIndex(value, options.labels) !== undefined;
  const table = await readerOf(path)(path, isLabel);
  const layout = chooseColumns(
    table.columns,
    bundled ? { ...options, idColumn: options.idColumn ?? 'id' } : options,
    path,
  );
  const { size, labelLines } = await scan(table, layout, path, options.labelSets === true);
  const written = new Set(labelLines.keys());
  const sets = options.labelSets ? labelSetReader(namesOf(layout), options.labels, written, labelMap) : undefined;
  const labels = sets?.labels ?? options.labels ?? labelNames(labelLines.keys(), labelMap);
  const indices = sets === undefined ? labelIndices(labelLines, labels, labelMap, path) : undefined;
  // Label sets are all read once, so that an unknown label is told before a model is asked anything.
  if (sets)
    for await (const row of table.rows(layout.columns, namesOf(layout)))
      sets.read(cellsOf(row, layout), `${path}:${row.line}`);
  const sha256 = await sha256Of(path);

  return {
    name: bundled ? spec : basename(path),
    labels,
    size,
    ...(layout.text2 !== undefined && { pairs: true as const }),
    source: bundled
      ? { url: `bundled:${spec}`, license: 'MIT', sha256 }
      : { url: pathToFileURL(resolve(path)).href, license: 'unknown', sha256 },
    async *examples() {
      const now = fileAt(path, spec);
      if (now.size !== before.size || now.mtimeMs !== before.mtimeMs) throw changed(path);
      let number = 0;
      for await (const row of table.rows(layout.columns, sets && namesOf(layout))) {
        const { label, ...texts } = fieldsOf(row, ++number, layout, path, sets !== undefined);
        if (sets === undefined) {
          const index = indices?.get(label);
          if (index === undefined) throw changed(path);
          yield { ...texts, label: index } satisfies Example;
        } else {
          const found = sets.read(cellsOf(row, layout), `${path}:${row.line}`);
          yield { ...texts, label: found[0] ?? -1, labels: found } satisfies Example;
        }
      }
    },
  };
}

const namesOf = ({ columns, labels }: RowLayout): string[] => labels.map((at) => columns[at] as string);
const cellsOf = ({ cells }: TableRow, { labels }: RowLayout): (string | undefined)[] => labels.map((at) => cells[at]);

/** More distinct labels than this mean that the wrong column was taken. */
const MAX_LABELS = 1000;
/** Of lists there may be more. */
const MAX_LABEL_SETS = 100_000;

/** Reads every row once. `labelLines`: each label value, and the line on which it stands first; of several label columns none. */
async function scan(
  table: DataTable,
  layout: RowLayout,
  path: string,
  sets: boolean,
): Promise<{ size: number; labelLines: Map<string, number> }> {
  const { columns } = layout;
  const labelLines = new Map<string, number>();
  const ids = layout.id === undefined ? undefined : new Set<string>();
  const most = sets ? MAX_LABEL_SETS : MAX_LABELS;
  let size = 0;
  for await (const row of table.rows(columns, sets ? namesOf(layout) : undefined)) {
    const { id, label } = fieldsOf(row, ++size, layout, path, sets);
    if (layout.labels.length === 1 && !labelLines.has(label)) labelLines.set(label, row.line);
    if (labelLines.size > most) {
      throw new DatasetError(
        `${path}:${row.line}: expected at most ${most} labels in "${columns[layout.labels[0] as number]}", got more`,
        {
          code: 'DATA_LABEL',
          hint: 'Choose the column of the labels with --label-column.',
        },
      );
    }
    if (ids?.has(id)) {
      throw new DatasetError(
        `${path}:${row.line}: expected distinct ids in "${columns[layout.id as number]}", got "${id}" again`,
        {
          code: 'DATA_ID',
          hint: 'Leave --id-column out to number the rows.',
        },
      );
    }
    ids?.add(id);
  }
  if (size === 0) throw noRows(path, 'a header without rows');
  return { size, labelLines };
}

/** One row as the example's parts, the label as written. `number` is the row's, from 1; `sets`: no label is a label set too. */
function fieldsOf({ line, cells }: TableRow, number: number, layout: RowLayout, path: string, sets: boolean) {
  const [text, label] = [cells[layout.text], cells[layout.labels[0] as number]];
  const text2 = layout.text2 === undefined ? undefined : cells[layout.text2];
  const id = layout.id === undefined ? String(number) : (cells[layout.id] ?? '');
  const missing =
    text === undefined
      ? layout.text
      : layout.text2 !== undefined && text2 === undefined
        ? layout.text2
        : !sets && !label?.trim()
          ? layout.labels[0]
          : id === ''
            ? layout.id
            : undefined;
  if (text === undefined || missing !== undefined) {
    throw new DatasetError(
      `${path}:${line}: expected a value for "${layout.columns[missing ?? layout.text]}", got none`,
      {
        code: missing === layout.labels[0] ? 'DATA_LABEL' : 'DATA_FORMAT',
        hint: 'Fill it in or drop the row; an empty text is allowed, a missing one is not.',
      },
    );
  }
  const pair = text2 === undefined ? {} : pairOf(cleaned(text), cleaned(text2), layout, `${path}:${line}`);
  return { id, text: cleaned(text), ...pair, label: (label ?? '').trim() };
}

const cleaned = (text: string): string => text.replace(UNWRITABLE, '\uFFFD').trim();

/** Throws DatasetError where one of the two is empty: a model would read something else than a pair. */
function pairOf(text: string, text2: string, { columns, text: at, text2: other, first }: RowLayout, where: string) {
  const empty = text === '' ? at : text2 === '' ? other : undefined;
  if (empty === undefined) return { text2, ...(first && { attacked: 'first' as const }) };
  throw new DatasetError(`${where}: expected a pair of texts, got an empty one in "${columns[empty]}"`, {
    code: 'DATA_FORMAT',
    hint: 'Fill it in or drop the row.',
  });
}

/** UTF-16 surrogates without their other half, which JSON escapes can spell, and the sign that divides pairs here. */
const UNWRITABLE = /[\p{Surrogate}\uFDD0]/gu;

const changed = (path: string): DatasetError =>
  new DatasetError(`${path}: expected the file as it was when it was opened, got a changed one`, {
    code: 'DATA_CHANGED',
    hint: 'Leave the data alone while it is in use, and run again.',
  });

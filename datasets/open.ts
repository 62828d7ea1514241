/** @file From a name or path to a data set whose every row was checked. */
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Dataset, DatasetError, type Example } from '../src/plugin.js';
import { bundledPath } from './bundled.js';
import { type ColumnNames, chooseColumns } from './columns.js';
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
  const columns = chooseColumns(
    table.columns,
    bundled ? { ...options, idColumn: options.idColumn ?? 'id' } : options,
    path,
  );
  const { size, labelLines } = await scan(table, columns, path);
  const labels = options.labels ?? labelNames(labelLines.keys(), labelMap);
  const indices = labelIndices(labelLines, labels, labelMap, path);
  const sha256 = await sha256Of(path);

  return {
    name: bundled ? spec : basename(path),
    labels,
    size,
    source: bundled
      ? { url: `bundled:${spec}`, license: 'MIT', sha256 }
      : { url: pathToFileURL(resolve(path)).href, license: 'unknown', sha256 },
    async *examples() {
      const now = fileAt(path, spec);
      if (now.size !== before.size || now.mtimeMs !== before.mtimeMs) throw changed(path);
      let number = 0;
      for await (const row of table.rows(columns)) {
        const { id, text, label } = fieldsOf(row, ++number, columns, path);
        const index = indices.get(label);
        if (index === undefined) throw changed(path);
        yield { id, text, label: index } satisfies Example;
      }
    },
  };
}

/** More distinct labels than this mean that the wrong column was taken. */
const MAX_LABELS = 1000;

/** Reads every row once. `labelLines`: each label value, and the line on which it stands first. */
async function scan(
  table: DataTable,
  columns: readonly string[],
  path: string,
): Promise<{ size: number; labelLines: Map<string, number> }> {
  const labelLines = new Map<string, number>();
  const ids = columns.length > ID ? new Set<string>() : undefined;
  let size = 0;
  for await (const row of table.rows(columns)) {
    const { id, label } = fieldsOf(row, ++size, columns, path);
    if (!labelLines.has(label)) labelLines.set(label, row.line);
    if (labelLines.size > MAX_LABELS) {
      throw new DatasetError(
        `${path}:${row.line}: expected at most ${MAX_LABELS} labels in "${columns[LABEL]}", got more`,
        {
          code: 'DATA_LABEL',
          hint: 'Choose the column of the labels with --label-column.',
        },
      );
    }
    if (ids?.has(id)) {
      throw new DatasetError(`${path}:${row.line}: expected distinct ids in "${columns[ID]}", got "${id}" again`, {
        code: 'DATA_ID',
        hint: 'Leave --id-column out to number the rows.',
      });
    }
    ids?.add(id);
  }
  if (size === 0) throw noRows(path, 'a header without rows');
  return { size, labelLines };
}

/** Positions in the columns that `chooseColumns` gives. */
const LABEL = 1;
const ID = 2;

/** One row as the example's parts, the label as written. `number` is the row's, from 1. */
function fieldsOf({ line, cells }: TableRow, number: number, columns: readonly string[], path: string) {
  const [text, label, id = columns.length > ID ? '' : String(number)] = cells;
  const missing = text === undefined ? 0 : !label?.trim() ? LABEL : id === '' ? ID : undefined;
  if (text === undefined || label === undefined || missing !== undefined) {
    throw new DatasetError(`${path}:${line}: expected a value for "${columns[missing ?? LABEL]}", got none`, {
      code: missing === LABEL ? 'DATA_LABEL' : 'DATA_FORMAT',
      hint: 'Fill it in or drop the row; an empty text is allowed, a missing one is not.',
    });
  }
  return { id, text: text.replace(HALF_PAIRS, '\uFFFD').trim(), label: label.trim() };
}

/** UTF-16 surrogates without their other half, which JSON escapes can spell. */
const HALF_PAIRS = /\p{Surrogate}/gu;

const changed = (path: string): DatasetError =>
  new DatasetError(`${path}: expected the file as it was when it was opened, got a changed one`, {
    code: 'DATA_CHANGED',
    hint: 'Leave the data alone while it is in use, and run again.',
  });

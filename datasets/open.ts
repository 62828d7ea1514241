/** @file Opens a data set by name, path or source, and validates every row. */
import type { Example } from '../src/core/dataset.js';
import { must, RobustError } from '../src/core/errors.js';
import { besideText } from '../src/core/pair.js';
import { byName, NO_LABEL } from '../src/core/prediction.js';
import type { CheckedDataset, DatasetOptions } from './checked.js';
import { chooseColumns, type RowLayout } from './columns.js';
import { SeenIds } from './distinct-ids.js';
import { labelSetReader } from './label-sets.js';
import { checkLabelMap, type LabelPlace, labelIndex, labelIndices, labelNames } from './labels.js';
import { labelWords } from './named-labels.js';
import { changedError, type DataSource, sourceAt } from './source.js';
import { type DataTable, noRows, ReplacedTexts, type TableRow, writable } from './table.js';
import { openTagged } from './tagged.js';

/**
 * Opens a bundled data set (`reviews`, `probes`, `prompts`, `notes`), a file, the files of a pattern as one, or another source of rows. File types
 * are .tsv .csv .jsonl .ndjson .json .parquet .arrow .feather, and .txt for TREC questions; without an extension the content decides. Gzip and zstd are
 * decompressed. Reads it once as a stream, so that an invalid row is reported before the model is queried. Memory stays constant, except
 * for about twenty bytes per explicit id to detect duplicates.
 *
 * Texts are trimmed; an empty text is an example. Unpaired surrogates become U+FFFD, with a warning. Ids are row numbers from 1, over all
 * files, unless a column is named. Throws RobustError with code DATA_NOT_FOUND, DATA_DAMAGED, COLUMN_NOT_FOUND, LABELS_DAMAGED,
 * DATA_DAMAGED, EXAMPLES_TOO_FEW, and DATA_DAMAGED while iterating, also for a label map to unknown labels.
 */
export async function openDataset(from: string | DataSource, options: DatasetOptions = {}): Promise<CheckedDataset> {
  const source = typeof from === 'string' ? sourceAt(from) : from;
  return options.tags ? openTagged(source, options) : openLabelled(source, options);
}

async function openLabelled(source: DataSource, options: DatasetOptions): Promise<CheckedDataset> {
  const { where, name, url, license } = source;
  const { labelMap = {} } = options;
  if (options.labels && !options.numbers) checkLabelMap(labelMap, options.labels);
  const table = await source.open((value) => isLabel(value, options));
  const layout = await chooseOrAdvise(table, { ...options, idColumn: options.idColumn ?? source.idColumn }, where);
  const words = options.numbers ? undefined : labelWords(table, layout, options);
  const kind = truthKind(options);
  const rows = async function* (lists?: readonly string[]): AsyncGenerator<TableRow> {
    for await (const row of table.rows(layout.columns, lists)) yield words ? words(row) : row;
  };
  const lists = options.labelSets ? namesOf(layout) : undefined;
  const { size, labelPlaces, valueCounts } = await scan(() => rows(lists), layout, where, kind, options.onWarning);
  const sets = options.labelSets
    ? labelSetReader(namesOf(layout), options.labels, labelPlaces, labelMap, options.onWarning)
    : undefined;
  const labels =
    sets?.labels ??
    options.labels ??
    words?.labels ??
    (options.numbers ? ['score'] : labelNames(labelPlaces.keys(), labelMap));
  const order = byName(labels);
  const indices = kind === 'label' ? labelIndices(labelPlaces, labels, labelMap) : undefined;
  const setOf = sets && ((row: TableRow) => sets.read(cellsOf(row, layout), placeOf(row)));
  // Reads all label sets, so that an unknown label is reported before the model is queried.
  if (setOf) await forEachRow(rows(lists), setOf);
  const sha256 = await source.sha256();
  const truthOf = (row: TableRow, written: string): Pick<Example, 'label' | 'labels' | 'value'> => {
    if (setOf && kind === 'set') {
      const found = setOf(row);
      return { label: order.find((each) => found.includes(each)) ?? NO_LABEL, labels: found };
    }
    const value = kind === 'number' ? numberOf(written) : indices?.get(written);
    if (value === undefined) throw changedError(row.path);
    return kind === 'number' ? { label: 0, value } : { label: value };
  };

  return {
    name,
    labels,
    size,
    ...(indices && { labelCounts: countsOf(indices, valueCounts, labels.length) }),
    ...(layout.other !== undefined && { pairs: true as const }),
    source: { url, license, sha256 },
    async *examples() {
      source.check();
      let number = 0;
      for await (const row of rows(lists)) {
        const { label, ...texts } = fieldsOf(row, ++number, layout, kind);
        yield { ...texts, ...truthOf(row, label) };
      }
    },
  };
}

/** Chooses the columns; where no label column is found, several columns of 0 and 1 are named as what they look like. */
async function chooseOrAdvise(table: DataTable, options: DatasetOptions, where: string): Promise<RowLayout> {
  try {
    return chooseColumns(table.columns, options, where);
  } catch (error) {
    if (!(error instanceof RobustError) || !error.message.includes('expected a label column')) throw error;
    const binary = new Set(table.columns);
    let rows = 0;
    try {
      for await (const { cells } of table.rows(table.columns, table.columns)) {
        for (const [at, cell] of cells.entries())
          if (!/^(?:[01](?:\.0+)?|true|false)$/i.test(cell ?? '')) binary.delete(must(table.columns[at]));
        if (++rows === 100) break;
      }
    } catch {
      throw error; // The columns are to be chosen first.
    }
    if (binary.size < 2) throw error;
    throw new RobustError(error.message, {
      code: error.code,
      hint: `Columns of 0 and 1, one per label: --task multi-label --columns label=${[...binary].join(',')}.`,
    });
  }
}

type TruthKind = 'label' | 'set' | 'number';

function truthKind({ numbers, labelSets }: DatasetOptions): TruthKind {
  if (numbers) return 'number';
  return labelSets ? 'set' : 'label';
}

/** Could the value be a label, or a number? */
function isLabel(value: string, { numbers, labels }: DatasetOptions): boolean {
  if (numbers) return numberOf(value) !== undefined;
  return labels === undefined ? /^\d+$/.test(value) : labelIndex(value, labels) !== undefined;
}

/** Number of examples by label, from counts by label value. */
function countsOf(indices: ReadonlyMap<string, number>, values: ReadonlyMap<string, number>, labels: number): number[] {
  const counts = new Array<number>(labels).fill(0);
  for (const [value, label] of indices) counts[label] = (counts[label] ?? 0) + (values.get(value) ?? 0);
  return counts;
}

async function forEachRow(rows: AsyncIterable<TableRow>, read: (row: TableRow) => void): Promise<void> {
  for await (const row of rows) read(row);
}

const placeOf = ({ path, line }: TableRow): string => `${path}:${line}`;
const namesOf = ({ columns, labels }: RowLayout): string[] => labels.map((at) => must(columns[at]));
const cellsOf = ({ cells }: TableRow, { labels }: RowLayout): (string | undefined)[] => labels.map((at) => cells[at]);

/** More distinct labels mean that the wrong column was chosen. */
const MAX_LABELS = 1000;
/** Lists may have more distinct values. */
const MAX_LABEL_SETS = 100_000;

/** Reads every row once. `labelPlaces`: each label value with its first occurrence; empty for several label columns. */
async function scan(
  rows: () => AsyncIterable<TableRow>,
  layout: RowLayout,
  where: string,
  kind: TruthKind,
  onWarning: DatasetOptions['onWarning'],
): Promise<{ size: number; labelPlaces: Map<string, LabelPlace>; valueCounts: Map<string, number> }> {
  const { columns } = layout;
  const sets = kind === 'set';
  const labelPlaces = new Map<string, LabelPlace>();
  const valueCounts = new Map<string, number>();
  const ids = layout.id === undefined ? undefined : new SeenIds();
  const replaced = new ReplacedTexts();
  let size = 0;
  const standsBefore = async (id: string, number: number): Promise<boolean> => {
    let earlier = 0;
    for await (const row of rows()) {
      if (++earlier === number) break;
      if (fieldsOf(row, earlier, layout, kind).id === id) return true;
    }
    return false;
  };
  const addLabel = (label: string, row: TableRow): void => {
    const most = sets ? MAX_LABEL_SETS : MAX_LABELS;
    if (!labelPlaces.has(label)) labelPlaces.set(label, row);
    if (labelPlaces.size <= most) return;
    const column = columns[must(layout.labels[0])];
    throw new RobustError(`${placeOf(row)}: expected at most ${most} labels in "${column}", got more`, {
      code: 'LABELS_DAMAGED',
      hint: 'Choose the column of the labels with --columns label=NAME.',
    });
  };
  for await (const row of rows()) {
    const { id, label } = fieldsOf(row, ++size, layout, kind);
    replaced.look(row, [layout.text, layout.other]);
    if (kind === 'number') checkNumber(row, label);
    if (kind !== 'number' && layout.labels.length === 1) addLabel(label, row);
    if (kind === 'label') valueCounts.set(label, (valueCounts.get(label) ?? 0) + 1);
    if (ids?.add(id) && (await standsBefore(id, size)))
      throw new RobustError(
        `${placeOf(row)}: expected distinct ids in "${columns[must(layout.id)]}", got "${id}" again`,
        {
          code: 'DATA_DAMAGED',
          hint: 'Leave the id out of --columns to number the rows.',
        },
      );
  }
  if (size === 0) throw noRows(where, 'a header without rows');
  replaced.say(onWarning);
  return { size, labelPlaces, valueCounts };
}

/** Undefined if the text is not a finite number. */
const numberOf = (written: string): number | undefined =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written) && Number.isFinite(Number(written))
    ? Number(written)
    : undefined;

function checkNumber(row: TableRow, label: string): void {
  if (numberOf(label) !== undefined) return;
  throw new RobustError(`${placeOf(row)}: expected a number, got ${JSON.stringify(label.slice(0, 40))}`, {
    code: 'LABELS_DAMAGED',
    hint: 'With --task regression each text has a number: name its column with --columns label=NAME, or drop the row.',
  });
}

/** Fields of a row, with the label as written. `number`: that of the row, from 1. A label set may be empty. */
function fieldsOf({ path, line, cells }: TableRow, number: number, layout: RowLayout, kind: TruthKind) {
  const [text, label] = [cells[layout.text], cells[must(layout.labels[0])]];
  const other = layout.other === undefined ? undefined : cells[layout.other];
  const id = layout.id === undefined ? String(number) : (cells[layout.id] ?? '');
  const required = [
    [layout.text, text !== undefined],
    [layout.other, layout.other === undefined || other !== undefined],
    [layout.labels[0], kind === 'set' || Boolean(label?.trim())],
    [layout.id, id !== ''],
  ] as const;
  const missing = required.find(([, isThere]) => !isThere)?.[0];
  if (text === undefined || missing !== undefined)
    throw new RobustError(
      `${path}:${line}: expected a value for "${layout.columns[missing ?? layout.text]}", got none`,
      {
        code: missing === layout.labels[0] ? 'LABELS_DAMAGED' : 'DATA_DAMAGED',
        hint: 'Fill it in or drop the row; an empty text is allowed, a missing one is not.',
      },
    );
  const pair = other === undefined ? {} : pairOf(clean(text), clean(other), layout, `${path}:${line}`);
  return { id, text: clean(text), ...pair, label: (label ?? '').trim() };
}

const clean = (text: string): string => writable(text).trim();

/** Throws RobustError if one of the two texts is empty, because a model would not read it as a pair. */
function pairOf(text: string, other: string, layout: RowLayout, where: string) {
  const { columns, first } = layout;
  const empty = text === '' ? layout.text : other === '' ? layout.other : undefined;
  if (empty === undefined) return besideText(other, first && 'first');
  throw new RobustError(`${where}: expected a pair of texts, got an empty one in "${columns[empty]}"`, {
    code: 'DATA_DAMAGED',
    hint: 'Fill it in or drop the row.',
  });
}

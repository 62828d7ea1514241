/**
 * @file Any number of labels per text: a list of names or numbers, names with a separator, a column per label, or a list with a value for each
 * label, as transformers' Trainer takes it: [1.0, 0.0, 1.0].
 */
import { must, RobustError } from '../src/core/errors.js';
import { labelHint } from '../src/core/label-words.js';
import { type LabelMap, type LabelPlace, labelIndex, labelNames, renameLabel } from './labels.js';
import { keepDecimals } from './table.js';

/** Separators of labels, the most probable first; a label that contains one takes precedence. */
const SEPARATORS = ['|', ';', ','] as const;

/** Representations of an empty list as text. */
const EMPTY = new Set(['', '[]', 'none', 'null', 'nan']);

/** The labels in one cell as written, without knowing the available labels. */
function split(cell: string, isLabel: (name: string) => boolean): string[] {
  const text = cell.trim();
  if (EMPTY.has(text.toLowerCase()) && !isLabel(text)) return [];
  if (isLabel(text)) return [text];
  if (text.startsWith('[')) return fromList(text);
  const separator = SEPARATORS.find((each) => text.includes(each));
  const names = separator === undefined ? [text] : text.split(separator);
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** `["a", "b"]`, or in Python's syntax: `['a', 'b']`, or as numpy prints it: `[1. 0.]`. */
function fromList(text: string): string[] {
  try {
    const values: unknown = JSON.parse(keepDecimals(text));
    if (Array.isArray(values)) return values.map(String);
  } catch {
    // Python's single quotes, or unquoted names.
  }
  const inside = text.replace(/^\[|\]$/g, '').trim();
  return (
    /^(?:[\d.]+|true|false)(?:\s+(?:[\d.]+|true|false))+$/i.test(inside) ? inside.split(/\s+/) : inside.split(',')
  )
    .map((name) => name.trim().replace(/^(['"])(.*)\1$/, '$2'))
    .filter((name) => name !== '');
}

/** Does a cell of a label's column contain yes? Undefined if it contains neither yes nor no. */
function holds(cell: string): boolean | undefined {
  const text = cell.trim().toLowerCase();
  if (['true', 'yes'].includes(text)) return true;
  if (['false', 'no', ''].includes(text)) return false;
  const number = Number(text);
  // Also accepts shares of raters; half of them are sufficient.
  return number >= 0 && number <= 1 ? number >= 0.5 : undefined;
}

/**
 * Whether the lists of one column have a value for each label, in the order of the labels, instead of the labels' numbers: if any has a
 * boolean, a decimal point or a number twice, or all are as long as there are labels and have only 0 and 1.
 */
function areRows(lists: readonly (readonly string[])[], known: number | undefined): boolean {
  const values = lists.flat();
  if (values.some((value) => !/^(?:\d+(?:\.\d*)?|true|false)$/i.test(value))) return false;
  if (known !== 1 && lists.every((list) => list.length < 2)) return false;
  if (values.some((value) => /\D/.test(value)) || lists.some((list) => new Set(list).size < list.length)) return true;
  const width = known ?? Math.max(2, ...values.map((value) => Number(value) + 1));
  return lists.every((list) => list.length === width && list.every((value) => Number(value) <= 1));
}

export interface LabelSetReader {
  /** Names of the labels, in index order. */
  readonly labels: readonly string[];
  /** Ascending, without duplicates. Throws RobustError for an unknown label. */
  read(cells: readonly (string | undefined)[], where: string): number[];
}

/**
 * Creates the reader of label cells. `columns`: several, each for the label of its name. `seen`: what one column has, and where. Throws
 * RobustError for lists that are neither numbers of labels nor a value for each.
 */
export function labelSetReader(
  columns: readonly string[],
  known: readonly string[] | undefined,
  seen: ReadonlyMap<string, LabelPlace>,
  map: LabelMap,
  onWarning: (message: string) => void = () => {},
): LabelSetReader {
  const named = (name: string): boolean =>
    known !== undefined && labelIndex(renameLabel(name, map, known), known) !== undefined;
  const lists = [...seen.keys()].filter((cell) => !EMPTY.has(cell.toLowerCase())).map((cell) => split(cell, named));
  const rows = columns.length === 1 && areRows(lists, known?.length);
  const numbers = !rows && lists.some((list) => list.length > 1) && lists.flat().every((value) => /^\d+$/.test(value));
  const labels =
    known ?? (rows ? must(lists[0]).map((_, at) => renameLabel(String(at), map)) : namesOf(columns, lists, map));
  if (rows || numbers) {
    const order = labels.slice(0, 8).join(', ') + (labels.length > 8 ? ', ...' : '');
    const read = rows
      ? 'a value for each label in this order'
      : known
        ? 'positions of labels from 0'
        : 'names of labels';
    onWarning(`the lists in "${columns[0]}" are read as ${read}: ${order}`);
  }
  const invalid = (message: string, hint: string): RobustError =>
    new RobustError(message, { code: 'LABELS_DAMAGED', hint });
  const indexOf = (written: string, where: string): number => {
    const index = labelIndex(renameLabel(written, map, labels), labels);
    if (index !== undefined) return index;
    throw invalid(
      `${where}: expected labels among ${labels.join(', ')}, got "${written.slice(0, 60)}"`,
      `${labelHint(written, labels)} Lists are ["a", "b"], a|b, a;b or a,b; several columns of 0 and 1 are named with commas: --columns label=toxic,insult.`,
    );
  };
  const isLabel = (name: string): boolean => labelIndex(renameLabel(name, map, labels), labels) !== undefined;
  const distinct = (found: readonly number[]): number[] => [...new Set(found)].sort((a, b) => a - b);
  return {
    labels,
    read(cells, where) {
      const list = columns.length === 1 ? split(cells[0] ?? '', isLabel) : undefined;
      if (list !== undefined && !rows) return distinct(list.map((name) => indexOf(name, where)));
      if (list !== undefined && list.length !== labels.length)
        throw invalid(
          `${where}: expected a value for each of ${labels.length} labels (${labels.join(', ')}), got ${list.length}`,
          'Lists with a decimal point, a boolean or a number twice have a value from 0 to 1 for each label; lists of label numbers are distinct integers.',
        );
      const found = (list ?? columns).flatMap((name, at) => {
        const cell = (list ?? cells)[at] ?? '';
        const held = holds(cell);
        if (held !== undefined) return !held ? [] : list ? [at] : [indexOf(name, where)];
        throw invalid(
          `${where}: expected 0 or 1 in "${list ? labels[at] : name}", got "${cell.slice(0, 40)}"`,
          'Each label has 0 or 1, or the share of raters who chose it.',
        );
      });
      return distinct(found);
    },
  };
}

/** Names of a file's labels, sorted. */
function namesOf(columns: readonly string[], lists: readonly (readonly string[])[], map: LabelMap): string[] {
  if (columns.length > 1) return columns.map((name) => renameLabel(name, map));
  return labelNames(lists.flat(), map);
}

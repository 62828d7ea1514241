/** @file Any number of labels per text: a JSON list, names with a separator, or a column per label. */
import { labelHint, RobustError } from '../src/plugin.js';
import { type LabelMap, labelIndex, renameLabel } from './labels.js';

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

/** `["a", "b"]`, or in Python's syntax: `['a', 'b']`. */
function fromList(text: string): string[] {
  try {
    const values: unknown = JSON.parse(text);
    if (Array.isArray(values)) return values.map(String);
  } catch {
    // Python's single quotes, or unquoted names.
  }
  return text
    .replace(/^\[|\]$/g, '')
    .split(',')
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

export interface LabelSetReader {
  /** Names of the labels, in index order. */
  readonly labels: readonly string[];
  /** Ascending, without duplicates. Throws RobustError for an unknown label. */
  read(cells: readonly (string | undefined)[], where: string): number[];
}

/** Creates the reader of label cells. `columns`: several, each for the label of its name. */
export function labelSetReader(
  columns: readonly string[],
  known: readonly string[] | undefined,
  seen: ReadonlySet<string>,
  map: LabelMap,
): LabelSetReader {
  const labels = known ?? namesOf(columns, seen, map);
  const indexOf = (written: string, where: string): number => {
    const index = labelIndex(renameLabel(written, map, labels), labels);
    if (index !== undefined) return index;
    throw new RobustError(`${where}: expected labels among ${labels.join(', ')}, got "${written.slice(0, 60)}"`, {
      code: 'LABELS_DAMAGED',
      hint: `${labelHint(written, labels)} Lists are ["a", "b"], a|b, a;b or a,b; several columns of 0 and 1 are named with commas: --columns label=toxic,insult.`,
    });
  };
  const isLabel = (name: string): boolean => labelIndex(renameLabel(name, map, labels), labels) !== undefined;
  const distinct = (found: readonly number[]): number[] => [...new Set(found)].sort((a, b) => a - b);
  return {
    labels,
    read(cells, where) {
      if (columns.length === 1) {
        return distinct(split(cells[0] ?? '', isLabel).map((name) => indexOf(name, where)));
      }
      const found = columns.flatMap((name, at) => {
        const cell = holds(cells[at] ?? '');
        if (cell !== undefined) return cell ? [indexOf(name, where)] : [];
        throw new RobustError(`${where}: expected 0 or 1 in "${name}", got "${(cells[at] ?? '').slice(0, 40)}"`, {
          code: 'LABELS_DAMAGED',
          hint: 'Each of several label columns contains 0 or 1, or the share of raters who chose the label.',
        });
      });
      return distinct(found);
    },
  };
}

/** Names of a file's labels, sorted. */
function namesOf(columns: readonly string[], seen: ReadonlySet<string>, map: LabelMap): string[] {
  if (columns.length > 1) return columns.map((name) => renameLabel(name, map));
  const names = [...seen].flatMap((cell) => split(cell, () => false)).map((name) => renameLabel(name, map));
  return [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));
}

/** @file Any number of labels a text: a list in JSON, names with a separator between, or a column a label. */
import { DatasetError, labelHint } from '../src/plugin.js';
import { type LabelMap, labelIndex, renamed } from './labels.js';

/** What may stand between labels, the likeliest first; a label that holds one itself is a label first. */
const SEPARATORS = ['|', ';', ','] as const;

/** Ways to write that no label holds, where a list is written as text. */
const EMPTY = new Set(['', '[]', 'none', 'null', 'nan']);

/** The labels as written: of one cell, without knowing which labels there are. */
function split(cell: string, isLabel: (name: string) => boolean): string[] {
  const text = cell.trim();
  if (EMPTY.has(text.toLowerCase()) && !isLabel(text)) return [];
  if (isLabel(text)) return [text];
  if (text.startsWith('[')) return fromList(text);
  const separator = SEPARATORS.find((each) => text.includes(each));
  const names = separator === undefined ? [text] : text.split(separator);
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** `["a", "b"]`, or as Python writes it: `['a', 'b']`. */
function fromList(text: string): string[] {
  try {
    const values: unknown = JSON.parse(text);
    if (Array.isArray(values)) return values.map(String);
  } catch {
    // Python's single quotes, or bare names.
  }
  return text
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((name) => name.trim().replace(/^(['"])(.*)\1$/, '$2'))
    .filter((name) => name !== '');
}

/** Does a cell of a label's own column say that it holds? Undefined for what says neither. */
function holds(cell: string): boolean | undefined {
  const text = cell.trim().toLowerCase();
  if (['true', 'yes'].includes(text)) return true;
  if (['false', 'no', ''].includes(text)) return false;
  const number = Number(text);
  // Shares of raters are given too: half of them say that it holds.
  return number >= 0 && number <= 1 ? number >= 0.5 : undefined;
}

export interface LabelSetReader {
  /** Names of the labels, in index order. */
  readonly labels: readonly string[];
  /** Ascending, each once. Throws DatasetError for a label that is none. */
  read(cells: readonly (string | undefined)[], where: string): number[];
}

/** How the label cells of a file are read. `columns`: several, of which each stands for the label of its name. */
export function labelSetReader(
  columns: readonly string[],
  known: readonly string[] | undefined,
  seen: ReadonlySet<string>,
  map: LabelMap,
): LabelSetReader {
  const labels = known ?? namesOf(columns, seen, map);
  const indexOf = (written: string, where: string): number => {
    const index = labelIndex(renamed(written, map, labels), labels);
    if (index !== undefined) return index;
    throw new DatasetError(`${where}: expected labels among ${labels.join(', ')}, got "${written.slice(0, 60)}"`, {
      code: 'DATA_LABEL',
      hint: `${labelHint(written, labels)} Lists are ["a", "b"], a|b, a;b or a,b; several columns of 0 and 1 are named with commas: --columns label=toxic,insult.`,
    });
  };
  const isLabel = (name: string): boolean => labelIndex(renamed(name, map, labels), labels) !== undefined;
  const distinct = (found: readonly number[]): number[] => [...new Set(found)].sort((a, b) => a - b);
  return {
    labels,
    read(cells, where) {
      if (columns.length === 1) {
        return distinct(split(cells[0] ?? '', isLabel).map((name) => indexOf(name, where)));
      }
      const found = columns.flatMap((name, at) => {
        const says = holds(cells[at] ?? '');
        if (says !== undefined) return says ? [indexOf(name, where)] : [];
        throw new DatasetError(`${where}: expected 0 or 1 in "${name}", got "${(cells[at] ?? '').slice(0, 40)}"`, {
          code: 'DATA_LABEL',
          hint: 'Of several label columns each says whether its label holds: 0 or 1, or the share of raters who say so.',
        });
      });
      return distinct(found);
    },
  };
}

/** Names of a file's own labels, sorted. */
function namesOf(columns: readonly string[], seen: ReadonlySet<string>, map: LabelMap): string[] {
  if (columns.length > 1) return columns.map((name) => renamed(name, map));
  const names = [...seen].flatMap((cell) => split(cell, () => false)).map((name) => renamed(name, map));
  return [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));
}

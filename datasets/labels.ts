/** @file Maps the labels in a file to indices of label names. */
import { must, RobustError } from '../src/core/errors.js';
import { labelHint, labelMeaning } from '../src/core/label-words.js';

/** Renames labels: data label -> model label. Both by name (any case) or index. */
export type LabelMap = Readonly<Record<string, string>>;

/** An index, also in the notation of spreadsheets and pandas: 1, 1.0. */
const INDEX = /^(\d+)(?:\.0+)?$/;

/** Values of boolean columns in JSON and spreadsheets, by index. */
const BOOLEANS = ['false', 'true'];

/** Index of the label that `value` names, by name (any case) before index, or undefined. For two labels, `true` is the second. */
export function labelIndex(value: string, labels: readonly string[]): number | undefined {
  const exact = labels.indexOf(value);
  if (exact >= 0) return exact;
  const named = labels.findIndex((label) => label.toLowerCase() === value.toLowerCase());
  if (named >= 0) return named;
  const index = Number(INDEX.exec(value)?.[1] ?? Number.NaN);
  if (index < labels.length) return index;
  const truth = labels.length === 2 ? BOOLEANS.indexOf(value.toLowerCase()) : -1;
  return truth < 0 ? undefined : truth;
}

/**
 * Renames `value` by the map; unmapped values stay. A key may also be the name of an index: if the model's labels are known,
 * `NEGATIVE=POSITIVE` also renames a 0.
 */
export function renameLabel(value: string, map: LabelMap, labels: readonly string[] = []): string {
  const name = value.toLowerCase();
  const index = INDEX.exec(value)?.[1];
  const meant = labelIndex(value, labels);
  const keys = Object.keys(map);
  const key =
    keys.find((key) => key.toLowerCase() === name || key === index) ??
    keys.find((key) => meant !== undefined && labelIndex(key, labels) === meant);
  return key === undefined ? (index ?? value) : must(map[key]);
}

/** Label names of a file without a model: after renaming, sorted by code unit, or by value if all are integers. */
export function labelNames(values: Iterable<string>, map: LabelMap): string[] {
  const names = [...new Set(Array.from(values, (value) => renameLabel(value, map)))].sort((a, b) => (a < b ? -1 : 1));
  return names.every((name) => INDEX.test(name)) ? names.sort((a, b) => Number(a) - Number(b)) : names;
}

/** Throws RobustError if the map names a label that the model lacks. */
export function checkLabelMap(map: LabelMap, labels: readonly string[]): void {
  for (const [from, to] of Object.entries(map)) {
    if (labelIndex(to, labels) === undefined)
      throw new RobustError(`--label-map ${from}=${to}: expected one of the labels ${labels.join(', ')}, got "${to}"`, {
        code: 'LABEL_NOT_FOUND',
        hint: labelHint(to, labels),
      });
  }
}

/** Place of the first occurrence of a label value. */
export interface LabelPlace {
  readonly path: string;
  readonly line: number;
}

/**
 * Maps each label value of a file to an index into `labels`. `places`: first occurrence of each value. Throws RobustError with the unknown
 * values.
 */
export function labelIndices(
  places: ReadonlyMap<string, LabelPlace>,
  labels: readonly string[],
  map: LabelMap,
): Map<string, number> {
  const indices = new Map<string, number>();
  const unknown: string[] = [];
  for (const value of places.keys()) {
    const index = labelIndex(renameLabel(value, map, labels), labels);
    if (index === undefined) unknown.push(value);
    else indices.set(value, index);
  }
  if (unknown.length === 0) return indices;
  const first = must(unknown[0]);
  const { path, line } = must(places.get(first));
  const others = unknown.slice(1, 6).map((value) => {
    const there = must(places.get(value));
    return `${show(value)} (${there.path === path ? 'line ' : `${there.path}:`}${there.line})`;
  });
  throw new RobustError(
    `${path}:${line}: expected a label among ${labels.map(show).join(', ')} or an index from 0 to ${labels.length - 1}, got ${show(first)}` +
      (others.length > 0 ? `; also ${others.join(', ')}${unknown.length > 6 ? ' and others' : ''}` : ''),
    {
      code: 'LABELS_DAMAGED',
      hint:
        first === '-1'
          ? 'Data sets mark rows without a label by -1, like the GLUE test sets: choose a labelled split.'
          : mapHint([...places.keys()], unknown, labels),
    },
  );
}

/** Suggests a mapping from the data's labels to the model's by meaning, if the list of label words has all; otherwise asks for one. */
function mapHint(values: readonly string[], unknown: readonly string[], labels: readonly string[]): string {
  const means = unknown.map((value) => labelMeaning(value, labels));
  if (means.every((label) => label !== undefined) && new Set(means).size === means.length) {
    const map = unknown.map((value, at) => `--label-map ${quote(`${value}=${means[at]}`)}`);
    return `If they mean the same: ${map.join(' ')}`;
  }
  const some = (list: readonly string[]): string =>
    list.slice(0, 12).map(show).join(', ') + (list.length > 12 ? `, ... (${list.length} in all)` : '');
  return `The data's labels are ${some(values)}; the model's are ${some(labels)}. Map each label of the data to one of the model with --label-map DATA=MODEL, or name another label column with --columns label=NAME.`;
}

const quote = (text: string): string => (/^[\w=./+-]+$/.test(text) ? text : JSON.stringify(text));

const show = (value: string): string => JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);

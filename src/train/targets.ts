/** @file Target and weight of each text. */
import { must, RobustError } from '../core/errors.js';
import { readTag } from '../core/tags/scheme.js';

/** How much a text of each class counts; 'balanced' makes every class count the same in all, undefined each text. */
export type ClassWeights = 'balanced' | readonly number[] | undefined;

/** Importance of each class, mean 1 over the examples for 'balanced'. Throws RobustError unless there is one positive weight per class. */
export function classImportance(classes: readonly number[], weights: ClassWeights): readonly number[] {
  if (weights === undefined) return classes.map(() => 1);
  if (weights === 'balanced') {
    const total = classes.reduce((sum, count) => sum + count, 0);
    return classes.map((count) => (count === 0 ? 1 : total / (classes.length * count)));
  }
  if (weights.length !== classes.length || weights.some((weight) => !(weight > 0)))
    throw new RobustError(`class weights: expected ${classes.length} positive numbers, got ${weights.join(', ')}`, {
      code: 'OPTION_INVALID',
      hint: 'Give one weight per label, in label order, or "balanced".',
    });
  return weights;
}

/** Throws RobustError for data with any number of labels a text that show only one label or none; gives the labels that no text has. */
export function checkLabelSets(name: string, counts: readonly number[], labels: readonly string[]): string[] {
  const missing = labels.filter((_, at) => counts[at] === 0);
  if (labels.length - missing.length > 1) return missing;
  throw new RobustError(
    `${name}: expected texts of two or more labels to learn (${labels.join(', ')}), got ${labels.length - missing.length}`,
    {
      code: 'LABELS_TOO_FEW',
      hint: 'One label that holds or not is a task of two labels: name both, and leave --task multi-label out.',
    },
  );
}

/** Throws RobustError for texts without entities. `counts`: words of each tag. */
export function checkEntities(name: string, counts: readonly number[], tags: readonly string[]): void {
  if (!tags.some((tag, at) => readTag(tag) !== undefined && must(counts[at]) > 0)) throw noEntities(name);
}

export const noEntities = (name: string): RobustError =>
  new RobustError(`${name}: expected entities to learn, got none`, {
    code: 'LABELS_TOO_FEW',
    hint: 'Name texts with spans such as {"text": "Ann left", "spans": [{"start": 0, "end": 3, "type": "PERSON"}]}.',
  });

/** Labels that a message names. */
const MOST_NAMED = 10;

/** Throws RobustError where a class has no example: a model cannot learn what it never sees. */
export function checkClasses(name: string, classes: readonly number[], labels: readonly string[]): void {
  const seen = classes.filter((count) => count > 0).length;
  if (seen === classes.length && seen > 1) return;
  const few = (names: readonly string[]): string =>
    `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? `, ... (${names.length} in all)` : ''}`;
  const empty = labels.filter((_, at) => classes[at] === 0);
  const found = seen < 2 ? `only "${labels[classes.findIndex((count) => count > 0)]}"` : `none of ${few(empty)}`;
  const numbers = labels.every((label) => label !== '' && Number.isFinite(Number(label)));
  throw new RobustError(`${name}: expected examples of every label (${few(labels)}), got ${found}`, {
    code: 'LABELS_TOO_FEW',
    hint: numbers
      ? 'To learn numbers, add --task regression. Else add examples of the missing labels, or name data without them.'
      : 'Add examples of the missing labels, or name a data set without them.',
  });
}

/**
 * Fills one row of targets. A one-column (sigmoid) head has P(label 1) only. For several true labels, each column contains its own.
 * `smoothing`: share of the target spread evenly over all labels (Szegedy et al., CVPR 2016, section 7).
 */
export function fillTargets(row: Float32Array, label: number | readonly number[], smoothing: number): void {
  const one = typeof label === 'number';
  // Smoothing spreads over what excludes each other: the labels, or whether one holds.
  const choices = one && row.length > 1 ? row.length : 2;
  for (let column = 0; column < row.length; column++) {
    const of = row.length === 1 ? 1 : column;
    row[column] = ((one ? of === label : label.includes(of)) ? 1 - smoothing : 0) + smoothing / choices;
  }
}

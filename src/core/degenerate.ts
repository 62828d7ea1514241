/**
 * @file Is there anything that an attack could turn? A victim that answers every text alike looks robust: nothing it is asked changes
 * its answer. What is measured on such a victim says nothing about it, whatever the figures.
 */
import type { CleanMetrics } from './clean-metrics.js';
import { percent } from './figure-text.js';

/** What an unedited pass tells of it. */
export interface CleanAnswers extends Pick<CleanMetrics, 'accuracy' | 'confusion' | 'degenerate'> {
  readonly perClass: readonly { readonly label: string }[];
  /** Present of a detector: one that raises few alarms misses much, and may be right less often than always one class would be. */
  readonly falsePositiveRate?: unknown;
  readonly labelSets?: { readonly microPrecision: { readonly n: number } };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The classes of the texts answered, and those of the answers: label indices. */
function classesOf({ confusion }: Pick<CleanAnswers, 'confusion'>): { of: number[]; answered: number[] } {
  const labels = confusion.map((_, label) => label);
  return {
    of: labels.filter((label) => sum(confusion[label] as number[]) > 0),
    answered: labels.filter((label) => confusion.some((row) => (row[label] as number) > 0)),
  };
}

/**
 * Why a victim is degenerate, a sentence a reason; empty where it is not. `constant`: its scores are the same for every text.
 *
 * - Its answers are all of one class, although the texts are not.
 * - Its scores are constant.
 * - It does worse than always answering the most frequent class would, and not by chance: the upper bound of the accuracy's
 *   95 % interval lies below that class's share of the same texts. Of texts of one class that share is 1, which any mistake falls
 *   short of: there the rule says nothing.
 *
 * Runs of versions that did not note it are judged by their confusion matrix, which does not show constant scores.
 */
export function degeneracy(read: CleanAnswers, constant = false): readonly string[] {
  const { accuracy, perClass, confusion, degenerate } = read;
  if (degenerate !== undefined) return degenerate;
  const { n, value, low, high } = accuracy;
  if (value === null || low === null || high === null) return [];
  const { of, answered } = classesOf(read);
  const label = (at: number): string => perClass[at]?.label ?? String(at);
  const reasons: string[] = [];
  if (constant) reasons.push(`its scores are the same for all ${n} texts`);
  if (answered.length === 1 && (of.length > 1 || of[0] !== answered[0])) {
    reasons.push(`it answers ${label(answered[0] as number)} to all ${n} texts, whatever their class`);
  }
  if (read.labelSets?.microPrecision.n === 0) reasons.push(`it finds no label in any of ${n} texts`);
  const most = Math.max(...confusion.map(sum));
  if (of.length > 1 && high < most / n && read.falsePositiveRate === undefined) {
    const often = label(confusion.findIndex((row) => sum(row) === most));
    reasons.push(
      `its accuracy, ${percent(value)} (95 % interval ${(100 * low).toFixed(0)}-${(100 * high).toFixed(0)}), is below the share of the most frequent class (${often}, ${percent(most / n)})`,
    );
  }
  return reasons;
}

/** The class that all texts are of and that all are answered with: whether the victim ever answers anything else was not seen. */
export function onlyClass(read: CleanAnswers): string | undefined {
  const { of, answered } = classesOf(read);
  const [one] = of;
  return of.length === 1 && answered.length === 1 && answered[0] === one
    ? read.perClass[one as number]?.label
    : undefined;
}

/** As reasons of a verdict. */
export const degenerateReasons = (read: CleanAnswers, constant = false): string[] =>
  degeneracy(read, constant).map((reason) => `the victim is degenerate: ${reason}`);

/** What a reader is told, loudly; undefined of a victim that is not degenerate. */
export function degenerateLine(name: string, read: CleanAnswers): string | undefined {
  const reasons = degeneracy(read);
  return reasons.length === 0
    ? undefined
    : `DEGENERATE victim, ${name}: ${reasons.join('; ')}. No figure measured on it says how robust it is`;
}

/** Of models that are compared: why no difference between them is one, a line a model. */
export const degenerateModels = (
  models: readonly { readonly name: string; readonly degenerate?: readonly string[] }[],
): string[] =>
  models.flatMap(({ name, degenerate = [] }) =>
    degenerate.length === 0 ? [] : [`inconclusive: ${name} is degenerate: ${degenerate.join('; ')}`],
  );

/**
 * @file Detects degenerate victims. A victim that gives all texts the same answer looks robust, because no edit changes its answer. Figures
 * measured on such a victim are meaningless.
 */
import { must } from '../../core/errors.js';
import { percent, quantity } from '../../core/figure-text.js';
import type { CleanTags } from '../tags/clean.js';
import type { CleanMetrics } from './clean-metrics.js';
import { cellsOf, classCounts } from './confusion.js';

/** Results of the unedited pass that the check reads. */
export interface CleanAnswers extends Pick<CleanMetrics, 'accuracy' | 'confusion' | 'confusionCells' | 'degenerate'> {
  /** For a model that tags. */
  readonly tags?: Pick<CleanTags, 'strict' | 'covered' | 'texts'>;
  readonly perClass: readonly { readonly label: string }[];
  /** Present for a detector: one that raises few alarms misses much, and may have a lower accuracy than always predicting one class. */
  readonly falsePositiveRate?: unknown;
  readonly labelSets?: { readonly microPrecision: { readonly n: number } };
}

/** Classes of the answered texts, and classes of the answers: label indices. */
function classesOf(read: CleanAnswers): { of: number[]; answered: number[]; support: number[] } {
  const counts = classCounts(cellsOf(read), Math.max(read.perClass.length, read.confusion.length));
  const where = (key: 'support' | 'predicted') => counts.flatMap((count, label) => (count[key] > 0 ? [label] : []));
  return { of: where('support'), answered: where('predicted'), support: counts.map(({ support }) => support) };
}

/**
 * Reasons why a victim is degenerate, one sentence each; empty if it is not. `constant`: its scores are the same for every text.
 *
 * - It answers with one class only, although the texts have several.
 * - Its scores are constant.
 * - It is significantly worse than always answering the most frequent class: the upper bound of the accuracy's 95 % interval lies below
 *   that class's share of the same texts. If all texts have one class, that share is 1, and the rule does not apply.
 *
 * A model that tags is degenerate if it finds no span in texts that have some, or if its spans cover all characters outside of entities.
 *
 * Runs of versions that did not record constant scores are judged by their confusion matrix.
 */
export function degeneracy(read: CleanAnswers, constant = false): readonly string[] {
  const { accuracy, perClass, degenerate } = read;
  if (degenerate !== undefined) return degenerate;
  if (read.tags !== undefined) return tagReasons(read.tags);
  const { n, value, low, high } = accuracy;
  if (value === null || low === null || high === null) return [];
  const { of, answered, support } = classesOf(read);
  const label = (at: number): string => perClass[at]?.label ?? String(at);
  const reasons: string[] = [];
  if (constant) reasons.push(`its scores are the same for all ${quantity(n, 'text')}`);
  if (answered.length === 1 && (of.length > 1 || of[0] !== answered[0])) {
    reasons.push(`it answers ${label(must(answered[0]))} to all ${quantity(n, 'text')}, whatever their class`);
  }
  if (read.labelSets?.microPrecision.n === 0) reasons.push(`it finds no label in any of ${quantity(n, 'text')}`);
  const most = support.reduce((a, b) => Math.max(a, b), 0);
  if (of.length > 1 && high < most / n && read.falsePositiveRate === undefined) {
    const often = label(support.indexOf(most));
    reasons.push(
      `its accuracy, ${percent(value)} (95 % interval ${(100 * low).toFixed(0)}-${(100 * high).toFixed(0)}), is below the share of the most frequent class (${often}, ${percent(most / n)})`,
    );
  }
  return reasons;
}

function tagReasons({ strict, covered, texts }: NonNullable<CleanAnswers['tags']>): string[] {
  const [all, entities] = [quantity(texts, 'text'), quantity(strict.recall.n, 'entity', 'entities')];
  if (strict.precision.n === 0 && strict.recall.n > 0) return [`it finds no span in ${all} with ${entities}`];
  return covered.value === 1 ? [`its spans cover every character of ${all}, whatever they say`] : [];
}

/**
 * The only class of the texts if it is also the only class of the answers. The run then cannot show whether the victim ever answers
 * anything else.
 */
export function onlyClass(read: CleanAnswers): string | undefined {
  const { of, answered } = classesOf(read);
  const [one] = of;
  return of.length === 1 && answered.length === 1 && answered[0] === one ? read.perClass[must(one)]?.label : undefined;
}

/** Reasons for a verdict. */
export const degenerateReasons = (read: CleanAnswers, constant = false): string[] =>
  degeneracy(read, constant).map((reason) => `the victim is degenerate: ${reason}`);

/** Warning for the reader; undefined for a victim that is not degenerate. A precise detector may only look like one. */
export function degenerateLine(name: string, read: CleanAnswers): string | undefined {
  const reasons = degeneracy(read);
  if (reasons.length === 0) return undefined;
  const line = `DEGENERATE victim, ${name}: ${reasons.join('; ')}. No figure measured on it says how robust it is`;
  const rare = rareAnswer(read);
  if (rare === undefined) return line;
  const word = /^[\w-]+$/.test(rare) ? rare : JSON.stringify(rare);
  return `--positive ${word} is missing if ${name} is a detector. Otherwise: ${line}`;
}

/** Of two labels the one that few texts have, where the victim answers it at times. */
function rareAnswer(read: CleanAnswers): string | undefined {
  const { answered, support } = classesOf(read);
  if (read.perClass.length !== 2 || read.falsePositiveRate !== undefined || answered.length !== 2) return undefined;
  const rare = (support[0] ?? 0) < (support[1] ?? 0) ? 0 : 1;
  return read.perClass[rare]?.label;
}

/** Why no difference between compared models is meaningful, one line per degenerate model. */
export const degenerateModels = (
  models: readonly { readonly name: string; readonly degenerate?: readonly string[] | undefined }[],
): string[] =>
  models.flatMap(({ name, degenerate = [] }) =>
    degenerate.length === 0 ? [] : [`inconclusive: ${name} is degenerate: ${degenerate.join('; ')}`],
  );

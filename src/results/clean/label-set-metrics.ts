/** @file Metrics of a multi-label victim without attack. */
import { type LabelSetDecision, type Truth, trueLabels } from '../../core/decision.js';
import { must } from '../../core/errors.js';
import { auroc } from '../../core/statistics/auroc.js';
import { sum, wilson } from '../../core/statistics/stats.js';
import { calibrationFold, classScores, fScore } from './class-scores.js';
import type { CleanMetrics } from './clean-metrics.js';

/**
 * Folds the answers to unedited texts, in any order. `accuracy` is subset accuracy (the whole set is correct). Micro F1 is over the labels
 * of all texts, macro F1 over the labels that occur or were predicted, as in scikit-learn's `multilabel` figures.
 */
export function labelSetFold(labeller: LabelSetDecision, labels: readonly string[]) {
  const counts = labels.map(() => ({ hits: 0, support: 0, predicted: 0 }));
  const scores = labels.map(() => ({ positives: [] as number[], negatives: [] as number[] }));
  /** Over the scores of all labels of all texts. */
  const calibration = calibrationFold();
  let [n, exact] = [0, 0];
  return {
    /** Throws RangeError if a label or the length of the row does not match these labels. */
    add(truth: Truth, row: ArrayLike<number>): void {
      const wanted = trueLabels(truth);
      if (row.length !== labels.length || wanted.some((label) => !(label in labels)))
        throw new RangeError(
          `expected labels below ${labels.length} and as many scores, got ${wanted} and ${row.length}`,
        );
      n += 1;
      if (labeller.right(row, truth)) exact += 1;
      counts.forEach((count, label) => {
        const [is, found, score] = [wanted.includes(label), labeller.holds(row, label), must(row[label])];
        if (is) count.support += 1;
        if (found) count.predicted += 1;
        if (is && found) count.hits += 1;
        must(scores[label])[is ? 'positives' : 'negatives'].push(score);
        calibration.add(score, is);
      });
    },

    metrics(beta: number): CleanMetrics {
      const all = {
        hits: sum(counts.map(({ hits }) => hits)),
        support: sum(counts.map(({ support }) => support)),
        predicted: sum(counts.map(({ predicted }) => predicted)),
      };
      const { macroF1, fBeta, perClass } = classScores(labels, counts, beta);
      return {
        accuracy: wilson(exact, n),
        macroF1,
        microF1: fScore(all),
        fBeta,
        perClass,
        confusion: [],
        calibration: calibration.value(),
        labelSets: {
          microPrecision: wilson(all.hits, all.predicted),
          microRecall: wilson(all.hits, all.support),
          perLabel: counts.map(({ hits, support, predicted }, label) => {
            const { positives, negatives } = must(scores[label]);
            const area = auroc(Float64Array.from(positives).sort(), Float64Array.from(negatives).sort());
            return {
              label: must(labels[label]),
              threshold: must(labeller.rule.at[label]),
              recall: wilson(hits, support),
              falsePositiveRate: wilson(predicted - hits, n - support),
              precision: wilson(hits, predicted),
              ...(area && { auroc: { ...area, n } }),
            };
          }),
        },
      };
    },
  };
}

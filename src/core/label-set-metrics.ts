/** @file Metrics of a multi-label victim without attack. */
import { auroc } from './auroc.js';
import type { CleanMetrics } from './clean-metrics.js';
import { type LabelSetDecision, type Truth, trueLabels } from './decision.js';
import { wilson } from './stats.js';

/** Calibration bins of equal width, over the scores of all labels of all texts. */
const BINS = 10;
/** Scores are summed in these units, so the order changes no bit. */
const UNIT = 2 ** -24;

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Folds the answers to unedited texts, in any order. `accuracy` is subset accuracy (the whole set is correct). Micro F1 is over the labels
 * of all texts, macro F1 over the labels that occur or were predicted, as in scikit-learn's `multilabel` figures.
 */
export function labelSetFold(labeller: LabelSetDecision, labels: readonly string[]) {
  const counts = labels.map(() => ({ hits: 0, support: 0, predicted: 0 }));
  const scores = labels.map(() => ({ positives: [] as number[], negatives: [] as number[] }));
  const bins = Array.from({ length: BINS }, () => ({ confidence: 0, right: 0, n: 0 }));
  let [n, exact] = [0, 0];
  return {
    /** Throws RangeError if a label or the length of the row does not match these labels. */
    add(truth: Truth, row: ArrayLike<number>): void {
      const wanted = trueLabels(truth);
      if (row.length !== labels.length || wanted.some((label) => !(label in labels))) {
        throw new RangeError(
          `expected labels below ${labels.length} and as many scores, got ${wanted} and ${row.length}`,
        );
      }
      n += 1;
      if (labeller.right(row, truth)) exact += 1;
      counts.forEach((count, label) => {
        const [is, found, score] = [wanted.includes(label), labeller.holds(row, label), row[label] as number];
        if (is) count.support += 1;
        if (found) count.predicted += 1;
        if (is && found) count.hits += 1;
        scores[label]![is ? 'positives' : 'negatives'].push(score);
        const bin = bins[Math.min(BINS, Math.max(1, Math.ceil(score * BINS))) - 1]!;
        bin.confidence += Math.round(score / UNIT);
        bin.right += is ? 1 : 0;
        bin.n += 1;
      });
    },

    metrics(beta: number): CleanMetrics {
      const f = ({ hits, support, predicted }: (typeof counts)[number], b: number): number =>
        ratio((1 + b * b) * hits, b * b * support + predicted);
      const met = counts.filter(({ support, predicted }) => support + predicted > 0);
      // Sorted, so that no order of the labels changes the last bit.
      const macro = (b: number): number =>
        ratio(sum(met.map((count) => f(count, b)).sort((x, y) => x - y)), met.length);
      const all = {
        hits: sum(counts.map(({ hits }) => hits)),
        support: sum(counts.map(({ support }) => support)),
        predicted: sum(counts.map(({ predicted }) => predicted)),
      };
      const pairs = sum(bins.map((bin) => bin.n));
      return {
        accuracy: wilson(exact, n),
        macroF1: macro(1),
        microF1: f(all, 1),
        fBeta: { beta, macro: macro(beta) },
        perClass: counts.map((count, label) => ({
          label: labels[label] as string,
          precision: ratio(count.hits, count.predicted),
          recall: ratio(count.hits, count.support),
          f1: f(count, 1),
          support: count.support,
        })),
        confusion: [],
        calibration: {
          error: ratio(sum(bins.map((bin) => Math.abs(bin.right - bin.confidence * UNIT))), pairs),
          bins: bins.map((bin) => ({
            confidence: ratio(bin.confidence * UNIT, bin.n),
            accuracy: ratio(bin.right, bin.n),
            n: bin.n,
          })),
        },
        labelSets: {
          microPrecision: wilson(all.hits, all.predicted),
          microRecall: wilson(all.hits, all.support),
          perLabel: counts.map(({ hits, support, predicted }, label) => {
            const { positives, negatives } = scores[label]!;
            const area = auroc(Float64Array.from(positives).sort(), Float64Array.from(negatives).sort());
            return {
              label: labels[label] as string,
              threshold: labeller.rule.at[label] as number,
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

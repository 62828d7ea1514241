/** @file Streaming folds: what the clean answers and the outcomes of one attack add up to. */
import { wilson } from '../core/stats.js';
import type { AttackMetrics, CleanMetrics, Outcome } from '../core/types.js';
import { predicted } from './outcome.js';

const BINS = 10;
const ratio = (a: number, b: number): number => (b === 0 ? 0 : a / b);
const mean = (values: readonly number[]): number =>
  ratio(
    values.reduce((a, b) => a + b, 0),
    values.length,
  );

export function cleanFold(labels: readonly string[], beta = 0.5) {
  const confusion = labels.map(() => labels.map(() => 0));
  const bins = Array.from({ length: BINS }, () => ({ confidence: 0, right: 0, n: 0 }));
  return {
    add(label: number, row: Float32Array): void {
      const to = predicted(row);
      const confidence = row[to] as number;
      (confusion[label] as number[])[to]! += 1;
      const bin = bins[Math.min(BINS - 1, Math.floor(confidence * BINS))]!;
      bin.confidence += confidence;
      bin.right += to === label ? 1 : 0;
      bin.n += 1;
    },
    metrics(): CleanMetrics {
      const n = bins.reduce((sum, bin) => sum + bin.n, 0);
      const right = confusion.reduce((sum, row, at) => sum + (row[at] as number), 0);
      const perClass = labels.map((label, at) => {
        const hits = confusion[at]![at]!;
        const support = confusion[at]!.reduce((a, b) => a + b, 0);
        const precision = ratio(
          hits,
          confusion.reduce((sum, row) => sum + row[at]!, 0),
        );
        const recall = ratio(hits, support);
        return { label, precision, recall, f1: ratio(2 * precision * recall, precision + recall), support };
      });
      const fBeta = (p: number, r: number) => ratio((1 + beta ** 2) * p * r, beta ** 2 * p + r);
      return {
        accuracy: wilson(right, n),
        macroF1: mean(perClass.map(({ f1 }) => f1)),
        microF1: ratio(right, n),
        fBeta: { beta, macro: mean(perClass.map(({ precision, recall }) => fBeta(precision, recall))) },
        perClass,
        confusion,
        calibration: {
          error: bins.reduce((sum, bin) => sum + ratio(Math.abs(bin.right - bin.confidence), n), 0),
          bins: bins.map((bin) => ({
            confidence: ratio(bin.confidence, bin.n),
            accuracy: ratio(bin.right, bin.n),
            n: bin.n,
          })),
        },
      };
    },
  };
}

export function attackFold(labels: readonly string[]) {
  const counts = { succeeded: 0, failed: 0, skipped: 0, errored: 0 };
  const classes = labels.map(() => ({ succeeded: 0, failed: 0 }));
  let perturbed = 0;
  let asked = 0;
  let computed = 0;
  return {
    add(outcome: Outcome): void {
      counts[outcome.status] += 1;
      if (outcome.status === 'skipped' || outcome.status === 'errored') return;
      classes[outcome.label]![outcome.status] += 1;
      asked += outcome.queries.asked;
      computed += outcome.queries.computed;
      if (outcome.status === 'succeeded') perturbed += ratio(outcome.changed, outcome.words);
    },
    metrics(): Omit<AttackMetrics, 'name' | 'suite' | 'constraints' | 'options' | 'seconds'> {
      const { succeeded, failed, skipped } = counts;
      const tried = succeeded + failed;
      return {
        ...counts,
        attackSuccessRate: wilson(succeeded, tried),
        accuracyUnderAttack: wilson(failed, tried + skipped),
        perturbedWords: succeeded === 0 ? null : perturbed / succeeded,
        queries: { asked: ratio(asked, tried), computed: ratio(computed, tried) },
        perClass: labels.map((label, at) => {
          const { succeeded, failed } = classes[at]!;
          return { label, attackSuccessRate: wilson(succeeded, succeeded + failed) };
        }),
      };
    },
  };
}

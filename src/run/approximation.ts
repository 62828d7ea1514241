/** @file How close an approximation of the victim is to it, on the unedited texts. */
import type { Approximation } from '../core/classifier.js';
import type { Decision } from '../core/decision.js';
import { must } from '../core/errors.js';
import { wilson } from '../core/statistics/stats.js';
import type { ApproximationMetrics } from '../results/clean/clean-metrics.js';
import { hasAnswer } from './answers.js';

/** Differences are summed in these units, whole numbers, so that no order of the texts changes a bit. */
const UNIT = 2 ** -24;

/** Are both rows read as the same labels? */
export const sameDecision = (decision: Decision, a: Float32Array, b: Float32Array): boolean =>
  decision.labels(a).join() === decision.labels(b).join();

/** A fold over texts and the victim's answers to them. */
export function approximationFold(approximation: Approximation, decision: Decision) {
  let [n, equal, difference] = [0, 0, 0];
  return {
    async add(texts: readonly string[], rows: readonly Float32Array[]): Promise<void> {
      const { compared = Number.POSITIVE_INFINITY } = approximation;
      const answered = rows
        .flatMap((row, at) => (hasAnswer(row) ? [{ row, text: must(texts[at]) }] : []))
        .slice(0, Math.max(0, compared - n));
      if (answered.length === 0) return;
      const others = await approximation.classify(answered.map(({ text }) => text));
      answered.forEach(({ row }, at) => {
        const other = must(others[at]);
        n++;
        if (sameDecision(decision, row, other)) equal++;
        const furthest = row.reduce((most, p, label) => Math.max(most, Math.abs(p - must(other[label]))), 0);
        difference += Math.round(furthest / UNIT);
      });
    },

    metrics: (): ApproximationMetrics => ({
      precision: approximation.precision,
      ...(approximation.device && { device: approximation.device }),
      agreement: wilson(equal, n),
      difference: n === 0 ? 0 : (difference * UNIT) / n,
    }),
  };
}

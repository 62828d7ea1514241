/** @file Detects adversarial texts, and evaluates the detectors. */
import { auroc } from '../../core/auroc.js';
import type { Estimate } from '../../core/backdoor-findings.js';
import type { Detector, Watch } from '../../core/detector.js';
import type { Rate } from '../../core/rate.js';
import { wilson } from '../../core/stats.js';
import { confidence } from './confidence.js';
import { density } from './density.js';
import { fgws } from './frequency-guided.js';
import { perplexity } from './perplexity.js';

export type { Detector, Watch } from '../../core/detector.js';

export const detectors: readonly Detector[] = [fgws, perplexity, confidence, density];

/** How one detector does. */
export interface Detection {
  readonly name: string;
  /** Clean texts taken for adversarial, of those the threshold was not set on. */
  readonly frr: Rate;
  readonly attacks: readonly {
    readonly name: string;
    /** Adversarial texts against the clean texts the threshold was not set on; null without any. */
    readonly auroc: Estimate | null;
    /** Adversarial texts that score above the threshold. */
    readonly detected: Rate;
  }[];
}

export interface DetectionPlan {
  readonly detectors: readonly Detector[];
  readonly watch: Watch;
  /** Clean texts that set the thresholds, and others that test them. */
  readonly calibration: readonly string[];
  readonly test: readonly string[];
  /** Attack -> its adversarial texts. */
  readonly adversarial: ReadonlyMap<string, readonly string[]>;
  /** Share of clean texts that may be taken for adversarial. */
  readonly wantedFrr: number;
}

/**
 * Judges each detector, and with several all of them together: the mean of their ranks among the calibration texts. Nothing
 * is fitted on an adversarial text.
 */
export async function judgeDetectors(plan: DetectionPlan, onDetector?: (name: string) => void): Promise<Detection[]> {
  const { calibration, test, adversarial } = plan;
  const groups = [calibration, test, ...adversarial.values()];
  const scored: { name: string; scores: Float64Array[] }[] = [];
  for (const detector of plan.detectors) {
    onDetector?.(detector.name);
    const score = await detector.create(plan.watch, {});
    const scores: Float64Array[] = [];
    for (const texts of groups) scores.push(await score(texts));
    scored.push({ name: detector.name, scores });
  }
  if (scored.length > 1) scored.push({ name: 'combined', scores: groups.map((_, at) => combined(scored, at)) });
  return scored.map(({ name, scores }) => {
    const [calibrating, testing, ...attacked] = scores as [Float64Array, Float64Array, ...Float64Array[]];
    const threshold = thresholdAt(calibrating, plan.wantedFrr);
    const above = (of: Float64Array): Rate => wilson(of.filter((score) => score > threshold).length, of.length);
    return {
      name,
      frr: above(testing),
      attacks: [...adversarial.keys()].map((attack, at) => ({
        name: attack,
        auroc: auroc(attacked[at]!, testing),
        detected: above(attacked[at]!),
      })),
    };
  });
}

/** The lowest threshold that at most `share` of these scores exceed. */
function thresholdAt(scores: Float64Array, share: number): number {
  const sorted = scores.toSorted();
  return sorted[Math.max(0, Math.ceil((1 - share) * sorted.length) - 1)] ?? Number.POSITIVE_INFINITY;
}

/** The mean over the detectors of the share of calibration texts that each score exceeds, ties counting half. */
function combined(scored: readonly { scores: readonly Float64Array[] }[], group: number): Float64Array {
  const first = scored[0]!;
  const sum = new Float64Array(first.scores[group]!.length);
  for (const { scores } of scored) {
    const sorted = scores[0]!.toSorted();
    scores[group]!.forEach((score, at) => {
      const below = sorted.filter((other) => other < score).length;
      const equal = sorted.filter((other) => other === score).length;
      sum[at]! += (below + equal / 2) / sorted.length / scored.length;
    });
  }
  return sum;
}

/**
 * @file Goals against a detector: a text evades it, or triggers a false alarm. A score equal to the threshold is detected. So a text evades
 * below the threshold by more than the noise, and triggers an alarm at the threshold.
 */
import type { ThresholdDecision } from '../core/decision.js';
import { exceedsNoise, withinNoise } from '../core/prediction.js';
import type { Goal } from '../core/search.js';

/** The score of texts that should be detected falls below the threshold. Score: 1 - the detector's. */
export const evade = (detector: ThresholdDecision): Goal => ({
  name: 'evade',
  score: (row) => 1 - detector.score(row),
  reached: (row) => exceedsNoise(-detector.margin(row), detector.noise),
  tied: (row) => withinNoise(detector.margin(row), detector.noise),
  concerns: ({ label }) => detector.isPositive(label),
});

/** The score of texts that should not be detected reaches the threshold. Score: the detector's. */
export const alarm = (detector: ThresholdDecision): Goal => ({
  name: 'alarm',
  score: (row) => detector.score(row),
  reached: (row) => detector.margin(row) >= detector.noise,
  tied: (row) => withinNoise(detector.margin(row), detector.noise),
  concerns: ({ label }) => !detector.isPositive(label),
});

/** Either goal, depending on the true label. */
export function eitherSide(detector: ThresholdDecision): Goal {
  const [out, into] = [evade(detector), alarm(detector)];
  const of = (label: number): Goal => (detector.isPositive(label) ? out : into);
  return {
    name: 'untargeted',
    score: (row, label) => of(label).score(row, label),
    reached: (row, label) => of(label).reached(row, label),
    tied: (row) => withinNoise(detector.margin(row), detector.noise),
  };
}

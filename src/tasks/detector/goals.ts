/**
 * @file Goals against a detector: a text evades it, or triggers a false alarm. A score equal to the threshold is detected. So a text evades
 * below the threshold by more than the noise, and triggers an alarm at the threshold.
 */
import { goal } from '../../core/component.js';
import { type Decision, mostProbable, type ThresholdDecision } from '../../core/decision.js';
import { exceedsNoise, withinNoise } from '../../core/prediction.js';
import type { Goal } from '../../core/search.js';
import { requiredTask } from '../goal-refusals.js';
import { targetedLabel } from '../one-label/goals.js';
import type { Goals } from '../task.js';

/** The score of texts that should be detected falls below the threshold. Score: 1 - the detector's. */
const evade = (detector: ThresholdDecision): Goal => ({
  name: 'evade',
  score: (row) => 1 - detector.score(row),
  reached: (row) => exceedsNoise(-detector.margin(row), detector.noise),
  tied: (row) => withinNoise(detector.margin(row), detector.noise),
  concerns: ({ label }) => detector.isPositive(label),
});

/** The score of texts that should not be detected reaches the threshold. Score: the detector's. */
const alarm = (detector: ThresholdDecision): Goal => ({
  name: 'alarm',
  score: (row) => detector.score(row),
  reached: (row) => detector.margin(row) >= detector.noise,
  tied: (row) => withinNoise(detector.margin(row), detector.noise),
  concerns: ({ label }) => !detector.isPositive(label),
});

/** Either goal, depending on the true label. */
function eitherSide(detector: ThresholdDecision): Goal {
  const [out, into] = [evade(detector), alarm(detector)];
  const of = (label: number): Goal => (detector.isPositive(label) ? out : into);
  return {
    name: 'untargeted',
    score: (row, label) => of(label).score(row, label),
    reached: (row, label) => of(label).reached(row, label),
    tied: (row) => withinNoise(detector.margin(row), detector.noise),
  };
}

/** For a detector, the label must lead only the labels on its side of the threshold, and the score must be on that side. */
function targeted(detector: ThresholdDecision, target: number): Goal {
  const { peer, ...wanted } = targetedLabel(detector, target);
  const positive = detector.isPositive(target);
  const side = positive ? alarm(detector) : evade(detector);
  const leads = (row: Float32Array): boolean =>
    row.every(
      (score, label) =>
        label === target ||
        detector.isPositive(label) !== positive ||
        exceedsNoise(row[target]! - score, detector.noise),
    );
  return {
    ...wanted,
    reached: (row, label) => side.reached(row, label) && leads(row),
    tied: (row) => withinNoise(detector.margin(row), detector.noise) || (!leads(row) && detector.label(row) === target),
  };
}

const detectorOf = (name: string, decision: Decision): ThresholdDecision =>
  requiredTask(name, 'threshold', 'labels that are detected: --positive LABEL', decision);

export const goals: Goals<ThresholdDecision> = {
  usual: 'evade',
  untargeted: eitherSide,
  targeted,
  own: [
    goal({
      name: 'evade',
      summary: 'Detected texts evade a detector: their score falls below the threshold.',
      create: (_, __, decision = mostProbable) => evade(detectorOf('evade', decision)),
    }),
    goal({
      name: 'alarm',
      summary: 'Harmless texts trigger a detector: their score reaches the threshold.',
      create: (_, __, decision = mostProbable) => alarm(detectorOf('alarm', decision)),
    }),
  ],
};

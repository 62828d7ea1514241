/** @file Goals against a victim that predicts the most probable label. */
import { argmax } from '../../core/argmax.js';
import type { Decision } from '../../core/decision.js';
import { exceedsNoise, leadOverLabel, withinNoise } from '../../core/prediction.js';
import type { Goal } from '../../core/search.js';
import type { Goals } from '../task.js';

/** Any label but the true one. Score: 1 - P(true label), TextAttack's UntargetedClassification. */
export function anyOther(noise: number): Goal {
  const wanted: Goal = {
    name: 'untargeted',
    score: (probabilities, label) => 1 - probabilities[label]!,
    reached: (probabilities, label) => exceedsNoise(leadOverLabel(probabilities, label), noise),
    tied: (probabilities, label) => withinNoise(leadOverLabel(probabilities, label), noise),
  };
  return { ...wanted, peer: { ...wanted, reached: (probabilities, label) => argmax(probabilities) !== label } };
}

/** The label with index `target` leads. Score: P(target). */
export function targetedLabel({ noise }: Decision, target: number): Goal {
  const lead = (probabilities: Float32Array): number => -leadOverLabel(probabilities, target);
  const wanted: Goal = {
    name: `targeted at label ${target}`,
    target,
    score: (probabilities) => probabilities[target] ?? 0,
    reached: (probabilities) => exceedsNoise(lead(probabilities), noise),
    tied: (probabilities) => withinNoise(lead(probabilities), noise),
    concerns: ({ label }) => label !== target,
  };
  return { ...wanted, peer: { ...wanted, reached: (probabilities) => argmax(probabilities) === target } };
}

export const goals: Goals<Decision> = {
  usual: 'untargeted',
  untargeted: ({ noise }) => anyOther(noise),
  targeted: targetedLabel,
  own: [],
};

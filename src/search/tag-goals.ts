/**
 * @file Goals against a victim that tags. Its labels are the types of entities, the last one stands for none. An example is one entity of a
 * text, or the rest of the text with the label of none.
 */
import type { Decision } from '../core/decision.js';
import { percent } from '../core/figure-text.js';
import { exceedsNoise, leadOverLabel, withinNoise } from '../core/prediction.js';
import type { Goal } from '../core/search.js';

/** The true label no longer leads. */
const labelLost = (name: string, { noise }: Decision): Goal => ({
  name,
  score: (row, label) => 1 - row[label]!,
  reached: (row, label) => exceedsNoise(leadOverLabel(row, label), noise),
  tied: (row, label) => withinNoise(leadOverLabel(row, label), noise),
});

/**
 * An entity is lost, or leaks: what counts as found differs (core/tags/entity-row.ts). With a share a text is, by one rewrite: with this share
 * of its entities.
 */
export const entityGoal = (name: string, decision: Decision, none: number, share: number): Goal => ({
  ...labelLost(share === 0 ? name : `${name}, ${percent(share)} of the entities of a text at once`, decision),
  concerns: ({ label }) => label !== none,
});

/** Another type leads. */
export function retyped({ noise }: Decision, none: number): Goal {
  const others = (row: Float32Array, label: number): number =>
    Math.max(...Array.from(row).filter((_, at) => at !== label && at !== none));
  const lead = (row: Float32Array, label: number): number => others(row, label) - Math.max(row[label]!, row[none]!);
  return {
    name: 'retype',
    score: others,
    reached: (row, label) => exceedsNoise(lead(row, label), noise),
    tied: (row, label) => withinNoise(lead(row, label), noise),
    concerns: ({ label }) => label !== none && none > 1,
  };
}

/** The rest of a text gets a type. */
export const spuriousEntity = (decision: Decision, none: number): Goal => ({
  ...labelLost('spurious', decision),
  concerns: ({ label }) => label === none,
});

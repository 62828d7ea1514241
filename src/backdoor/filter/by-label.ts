/** @file Filters that look at the hidden states of each label by themselves. */
import type { FilterInput, Scorer, Suspicion } from './method.js';
import { coordinates, type Principal, principal } from './principal.js';

/** Judges a text of the label by its coordinates. */
export type PointJudge = (point: Float64Array) => Suspicion;

/** Texts of a label below which it is not judged. */
const MIN_LABEL_TEXTS = 20;

/**
 * Reduces the states of each label's suspects to `axes` principal components, learns from them, and judges texts by those of their
 * own label.
 */
export async function byLabel(
  { suspects, labels, hidden, random }: FilterInput,
  axes: number,
  learn: (points: readonly Float64Array[], label: number) => PointJudge,
): Promise<Scorer> {
  if (hidden === undefined) throw new RangeError('expected hidden states');
  const states = await hidden.states(suspects.map(({ text }) => text));
  const learnt = labels.map((_, label): { space: Principal; geometry: PointJudge } | undefined => {
    const own = states.filter((_, at) => suspects[at]?.label === label);
    if (own.length < MIN_LABEL_TEXTS) return undefined;
    const space = principal(own, axes, random.split(`axes ${label}`));
    return {
      space,
      geometry: learn(
        own.map((state) => coordinates(space, state)),
        label,
      ),
    };
  });
  return async (examples) => {
    const rows = await hidden.states(examples.map(({ text }) => text));
    return examples.map(({ label }, at) => {
      const of = learnt[label];
      if (of === undefined) return { score: 0, reason: 'too few texts of its label to compare with' };
      return of.geometry(coordinates(of.space, rows[at]!));
    });
  };
}

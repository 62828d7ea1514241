import type { Decision } from '../core/decision.js';
import { wordsEdited, wordsOf } from '../core/draft.js';
import type { Attempt } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import { reachOf } from '../core/reach.js';
import type { Constraint, Goal, SearchMethod, Transformation } from '../core/search.js';
import { Space } from './space.js';

/** An attack in the four parts of its paper. */
export interface Recipe {
  /** The run's own goal unless the paper has another, or asks for more. `labels`: the victim's; `decision`: what its scores mean. */
  readonly goal?: (ofTheRun: Goal, labels: readonly string[], decision?: Decision) => Goal;
  readonly transformation: Transformation;
  /** Cheap ones first: each sees only what the ones before it accepted. */
  readonly constraints: readonly Constraint[];
  readonly search: SearchMethod;
}

/** The attack of a recipe. The run's own constraints come before the recipe's: protected words stay, whatever it wants. */
export function compose(recipe: Recipe): EvasionAttack {
  const { transformation, constraints, search } = recipe;
  const { source, bounds = [] } = transformation;
  const learning = [transformation, ...constraints].filter(({ prepare }) => prepare !== undefined);
  const inside = search.needs === 'gradients' || transformation.needs === 'gradients';
  const language = [...new Set([transformation, ...constraints].flatMap((part) => part.language ?? []))];
  return {
    constraints: [
      ...new Set([...(source === undefined ? [] : [source]), ...constraints.map(({ name }) => name), ...bounds]),
    ],
    ...(inside && { needs: 'gradients' }),
    ...(transformation.whole && { whole: true }),
    ...(language.length > 0 && { language }),
    ...(learning.length > 0 && {
      async prepare(sample, victim) {
        for (const part of learning) await part.prepare?.(sample, victim);
      },
    }),
    async run(example, target) {
      const { text } = example;
      const wanted = recipe.goal?.(target.goal, target.labels, target.decision) ?? target.goal;
      const own =
        wanted.of === undefined ? { goal: wanted, label: example.label } : wanted.of(example, target.original);
      if (own === undefined) return nothingToReach(text, target.original);
      const space = new Space({
        text,
        ...own,
        target,
        transformation,
        constraints: [
          ...target.constraints.filter(({ ofWords }) => !(ofWords && transformation.whole)),
          ...constraints,
        ],
      });
      if (!space.done) await search.search(space);
      const { draft, probabilities, reached } = space.best;
      return {
        succeeded: reached && draft.text !== text,
        text: draft.text,
        probabilities,
        words: space.start.draft.size,
        changed: wordsEdited(draft, space.start.draft),
        // What rewrites the whole text reaches all of it, if it has a rewrite.
        ...(target.remaining > 0 &&
          !(transformation.whole && space.visited > 0) && { reach: reachOf(text, space.reached, space.words) }),
        ...(space.visited === 0 && { reason: whyNothing(space, target.remaining, transformation) }),
      };
    },
  };
}

const nothingToReach = (text: string, probabilities: Float32Array): Attempt => ({
  succeeded: false,
  text,
  probabilities,
  words: wordsOf(text).length,
  changed: 0,
  reason: 'nothing in the text that its goal could reach',
});

function whyNothing(space: Space, remaining: number, { whole }: Transformation): string {
  if (space.start.reached) return 'the victim already answers as the goal wants';
  if (space.start.draft.size === 0) return 'no word in the text';
  if (!whole && space.editable(space.start.draft).length === 0) return 'no word the constraints let it edit';
  return remaining <= 0 ? 'no query left for a rewrite' : 'no rewrite that meets the constraints';
}

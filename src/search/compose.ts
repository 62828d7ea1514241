import type { Decision } from '../core/decision.js';
import { Draft, wordsEdited, wordsOf } from '../core/draft.js';
import type { Attempt } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { Constraint, Goal, SearchMethod, Transformation } from '../core/search.js';
import type { MeteredVictim } from '../core/victim.js';
import { reachOf } from '../results/measures/reach.js';
import { isolate } from './isolate.js';
import { Space } from './space.js';

/** The four parts of an attack. */
export interface Recipe {
  /** Derives the goal from the run's; absent if the run's goal is used. `labels`: the victim's; `decision`: meaning of its scores. */
  readonly goal?: ((ofTheRun: Goal, labels: readonly string[], decision?: Decision) => Goal) | undefined;
  readonly transformation: Transformation;
  /** Cheap constraints first: each sees only candidates that the earlier ones accepted. */
  readonly constraints: readonly Constraint[];
  readonly search: SearchMethod;
}

/** The attack of a recipe. The run's constraints precede the recipe's, so protected words stay in every recipe. */
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
      const goalAndLabel =
        wanted.of === undefined ? { goal: wanted, label: example.label } : wanted.of(example, target.original);
      if (goalAndLabel === undefined) return untried(text, target.original, 'the goal cannot be reached on this text');
      const { size } = Draft.of(text);
      if (size > MAX_WORDS && !transformation.whole)
        return untried(text, target.original, `${size} words: more than ${MAX_WORDS} are not attacked`);
      const space = new Space({
        text,
        ...goalAndLabel,
        target,
        transformation,
        constraints: [
          ...target.constraints.filter(({ ofWords }) => !(ofWords && transformation.whole)),
          ...constraints,
        ],
      });
      if (!space.done) await methodFor(search, transformation, target).search(space);
      const { draft, probabilities, reached } = space.best;
      const untouched = !reached && space.untouched;
      return {
        succeeded: reached && draft.text !== text,
        text: draft.text,
        ...(draft.sharesOriginalWith(space.start.draft) && { edits: draft.edits }),
        probabilities,
        words: space.start.draft.size,
        changed: wordsEdited(draft, space.start.draft),
        // A rewrite of the whole text reaches every word, if there is one.
        ...(target.remaining > 0 &&
          !(transformation.whole && space.visited > 0) && {
            reach: untouched ? 0 : reachOf(text, space.reached, space.words),
          }),
        ...(space.visited === 0 && { reason: whyNothing(space, target.remaining, transformation) }),
        ...(space.visited > 0 && untouched && { reason: 'no rewrite of a word that decides' }),
      };
    },
  };
}

/** The search of a recipe, or what does its work where scores say nothing. */
const methodFor = (search: SearchMethod, { whole }: Transformation, { labelsOnly }: MeteredVictim): SearchMethod =>
  labelsOnly && !whole ? (search.byLabels ?? (search.needs === undefined ? isolate : search)) : search;

/** A search reads the whole text for each word it edits: the square of 10,000 words takes minutes. */
const MAX_WORDS = 10_000;

const untried = (text: string, probabilities: Float32Array, reason: string): Attempt => ({
  succeeded: false,
  text,
  probabilities,
  words: wordsOf(text).length,
  changed: 0,
  reason,
});

function whyNothing(space: Space, remaining: number, { whole }: Transformation): string {
  if (space.start.reached) return 'the victim already answers as the goal wants';
  if (space.start.draft.size === 0) return 'no word in the text';
  if (!whole && space.editable(space.start.draft).length === 0) return 'no word that the constraints allow it to edit';
  return remaining <= 0 ? 'no query left for a rewrite' : 'no rewrite that meets the constraints';
}

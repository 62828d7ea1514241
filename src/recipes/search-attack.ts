/** @file Attacks assembled from declared parts, from which their options and `run` are derived. */
import { z } from 'zod';
import { type OptionsShape, type OptionValues, transformation } from '../core/component.js';
import type { Constraint, SearchMethod, Transformation } from '../core/search.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { compose, type Recipe } from '../search/compose.js';
import { greedy, inTurnOption } from '../search/greedy.js';
import { rankingOption, rankings } from '../search/ranking.js';

/** Declarations of every attack. */
export type AttackFacts = Pick<EvasionPlugin, 'name' | 'level' | 'summary'> &
  Partial<Pick<EvasionPlugin, 'paper' | 'needs' | 'ownGoal' | 'readers' | 'otherEntities'>>;

export interface SearchAttack<E extends OptionsShape, B extends OptionsShape> extends AttackFacts {
  /** Options of its edits. */
  readonly options?: E;
  /** Its edits, available under the attack's name to other recipes. */
  edits(chosen: OptionValues<E>): Transformation;
  /** Options of its constraints and its search. */
  readonly bounds?: B;
  constraints(chosen: OptionValues<B> & OptionValues<E>): readonly Constraint[];
  /** Search method. @default greedy by the ranking that its option `ranking` names, one rewrite at a time if `inTurn` is set */
  search?(chosen: OptionValues<B> & OptionValues<E>): SearchMethod;
  /** Default of the option `ranking`. */
  readonly ranking?: keyof typeof rankings;
  readonly goal?: Recipe['goal'];
}

/** The search of an attack and its options; greedy by the ranking that its option names unless the attack has its own. */
export function searchOf<C>(
  own: ((chosen: C) => SearchMethod) | undefined,
  standard: keyof typeof rankings | undefined,
): { readonly options: OptionsShape; search(chosen: C): SearchMethod } {
  if (own !== undefined) return { options: {}, search: own };
  return {
    options: { ranking: rankingOption(standard), inTurn: inTurnOption() },
    search(chosen) {
      const { ranking, inTurn } = chosen as { ranking: keyof typeof rankings; inTurn: boolean };
      return greedy(rankings[ranking], inTurn);
    },
  };
}

/** An attack with edits, constraints and a search. */
export function searchAttack<
  E extends OptionsShape = Record<never, never>,
  B extends OptionsShape = Record<never, never>,
>({
  options: editOptions,
  edits,
  bounds,
  constraints,
  search,
  ranking,
  goal,
  ...about
}: SearchAttack<E, B>): EvasionPlugin {
  const { name, summary, paper } = about;
  const found = searchOf(search, ranking);
  return {
    kind: 'evasion',
    needs: 'scores',
    ...about,
    options: z.strictObject({ ...editOptions, ...bounds, ...found.options }),
    transformation: transformation({
      name,
      summary,
      paper,
      ...(editOptions && { options: editOptions }),
      create: edits,
    }),
    create(given) {
      const chosen = given as OptionValues<B> & OptionValues<E>;
      return compose({
        goal,
        transformation: edits(chosen),
        constraints: constraints(chosen),
        search: found.search(chosen),
      });
    },
  };
}

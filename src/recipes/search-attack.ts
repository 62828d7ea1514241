/** @file Attacks made of parts: what each says of itself, from which its options and its body follow. */
import { z } from 'zod';
import { type OptionsShape, type OptionValues, transformation } from '../core/component.js';
import type { EvasionPlugin } from '../core/plugin.js';
import type { Constraint, SearchMethod, Transformation } from '../core/search.js';
import { compose, type Recipe } from '../search/compose.js';
import { greedy, inTurnOption } from '../search/greedy.js';
import { rankingOption, rankings } from '../search/ranking.js';

/** What every attack says of itself. */
export type AttackFacts = Pick<EvasionPlugin, 'name' | 'level' | 'summary'> &
  Partial<Pick<EvasionPlugin, 'paper' | 'needs' | 'ownGoal' | 'legibility'>>;

export interface SearchAttack<E extends OptionsShape, B extends OptionsShape> extends AttackFacts {
  /** The options of its edits. */
  readonly options?: E;
  /** Its edits. They bear the attack's name, so that other recipes can make them too. */
  edits(chosen: OptionValues<E>): Transformation;
  /** The options of its constraints and its search. */
  readonly bounds?: B;
  constraints(chosen: OptionValues<B> & OptionValues<E>): readonly Constraint[];
  /** Greedy by the ranking that its option `ranking` names, rewrites in turn where `inTurn` says so, unless another is given. */
  search?(chosen: OptionValues<B> & OptionValues<E>): SearchMethod;
  /** What that option is by default. */
  readonly ranking?: keyof typeof rankings;
  readonly goal?: Recipe['goal'];
}

/** An attack of edits, constraints and a search. */
export function searchAttack<
  E extends OptionsShape = Record<never, never>,
  B extends OptionsShape = Record<never, never>,
>({ options: own, edits, bounds, constraints, search, ranking, goal, ...about }: SearchAttack<E, B>): EvasionPlugin {
  const { name, summary, paper } = about;
  const ranked = search === undefined ? { ranking: rankingOption(ranking), inTurn: inTurnOption() } : {};
  const options = z.strictObject({ ...own, ...bounds, ...ranked });
  return {
    kind: 'evasion',
    needs: 'scores',
    ...about,
    options,
    transformation: transformation({
      name,
      summary,
      ...(paper && { paper }),
      ...(own && { options: own }),
      create: edits,
    }),
    create(given) {
      const chosen = given as OptionValues<B> & OptionValues<E>;
      const { ranking: order = 'unk', inTurn } = given as { ranking?: keyof typeof rankings; inTurn?: boolean };
      return compose({
        ...(goal && { goal }),
        transformation: edits(chosen as OptionValues<E>),
        constraints: constraints(chosen),
        search: search?.(chosen) ?? greedy(rankings[order], inTurn),
      });
    },
  };
}

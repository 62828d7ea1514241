/** @file An attack assembled from parts that a user named: `--transformation swap-synonyms --search beam:width=4`. */
import { z } from 'zod';
import type { ComponentPlugin, EvasionAttack, Parts } from '../core/plugin.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { compose } from '../search/compose.js';

/** A part with its parsed options. */
export interface NamedPart<K extends keyof Parts> {
  readonly plugin: ComponentPlugin<K>;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface NamedRecipe {
  readonly name: string;
  /** The user named its search, which then stays where the victim answers labels only. @default false */
  readonly searchChosen?: boolean;
  readonly transformation: NamedPart<'transformation'>;
  readonly search: NamedPart<'search'>;
  readonly constraints: readonly NamedPart<'constraint'>[];
  /** The run's goal if absent. */
  readonly goal?: NamedPart<'goal'>;
}

const record = ({ plugin, options }: NamedPart<keyof Parts>) => ({ name: plugin.name, options });

/** The attack and its options: every part with all its options, for the run's record. Throws RobustError for parts that lack an option. */
export function recipeAttack({ name, transformation, search, searchChosen, constraints, goal }: NamedRecipe): {
  plugin: EvasionPlugin;
  options: Readonly<Record<string, unknown>>;
} {
  const create = (): { attack: EvasionAttack; needs: EvasionPlugin['needs'] } => {
    const method = search.plugin.create(search.options);
    const attack = compose({
      ...(goal && { goal: (_, labels, decision) => goal.plugin.create(goal.options, labels, decision) }),
      transformation: transformation.plugin.create(transformation.options),
      constraints: constraints.map((each) => each.plugin.create(each.options)),
      search: searchChosen ? Object.create(method, { byLabels: { value: method } }) : method,
    });
    const needs = attack.needs ?? method.needs ?? 'scores';
    return {
      needs,
      attack: {
        ...attack,
        async prepare(sample, victim) {
          // Reports a label that the victim lacks before the first query.
          goal?.plugin.create(goal.options, victim.labels, victim.decision);
          await attack.prepare?.(sample, victim);
        },
      },
    };
  };
  const { mlm } = transformation.options;
  return {
    plugin: {
      kind: 'evasion',
      name,
      level: 'word',
      needs: create().needs,
      summary: `${transformation.plugin.name} by ${search.plugin.name}`,
      options: z.record(z.string(), z.unknown()),
      create: () => create().attack,
    },
    options: {
      transformation: record(transformation),
      search: record(search),
      constraints: constraints.map(record),
      ...(goal && { goal: record(goal) }),
      ...(typeof mlm === 'string' && mlm !== '' && { mlm }),
    },
  };
}

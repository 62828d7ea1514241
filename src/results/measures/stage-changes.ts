/** @file Which stages of a pipeline an attack gets past, and which it makes raise an alarm. */
import { z } from 'zod';
import { type Declared, positiveCount } from '../../core/declared.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { Measure } from './measure.js';

const counts = z.array(z.object({ stages: z.string(), n: positiveCount }));

const schema = z
  .object({
    leaked: counts
      .describe(
        'Texts that evade, by the stages that caught their original and miss them, most first. "A and B": both caught it.',
      )
      .exactOptional(),
    raised: counts.describe('False alarms, by the stages that flag the text but not its original.').exactOptional(),
  })
  .describe('For a pipeline: the stages whose verdict the successes change.');

type StageChanges = Declared<typeof schema>;
type Counts = NonNullable<StageChanges['leaked']>;

const listed = (found: ReadonlyMap<string, number>): Counts =>
  [...found].map(([stages, n]) => ({ stages, n })).sort((a, b) => b.n - a.n || (a.stages < b.stages ? -1 : 1));

export const stageChanges: Measure<StageChanges> = {
  name: 'stageChanges',
  schema,
  fold() {
    const [leaked, raised] = [new Map<string, number>(), new Map<string, number>()];
    const count = (into: Map<string, number>, names: readonly string[]) => {
      if (names.length === 0) return;
      const key = names.join(' and ');
      into.set(key, getOrCompute(into, key, () => 0) + 1);
    };
    return {
      add({ status, stages }) {
        if (status !== 'succeeded' || stages === undefined) return;
        if (stages.leaked !== undefined) count(leaked, stages.leaked);
        else
          count(
            raised,
            stages.after.filter((name) => !stages.before.includes(name)),
          );
      },
      value: () =>
        leaked.size + raised.size === 0
          ? undefined
          : {
              ...(leaked.size > 0 && { leaked: listed(leaked) }),
              ...(raised.size > 0 && { raised: listed(raised) }),
            },
    };
  },
  sections(found) {
    const sides = [
      ['leaked', 'Leaks by stage', 'evading texts'],
      ['raised', 'False alarms by stage', 'false alarms'],
    ] as const;
    return sides.flatMap(([side, title, what]) => {
      const of = found.flatMap(({ attack, value }) => (value[side] ?? []).map((each) => ({ attack, ...each })));
      if (of.length === 0) return [];
      const total = new Map<string, number>();
      for (const { stages, n } of of) total.set(stages, (total.get(stages) ?? 0) + n);
      const line = `${title}: ${listed(total)
        .map(({ stages, n }) => `${stages} ${n}`)
        .join(', ')}`;
      const prose = { kind: 'prose' as const, text: found.length > 1 ? `${line} (${what} of all attacks)` : line };
      const columns = [{ title: 'attack' }, { title: 'stages', align: 'left' as const }, { title: what }];
      const rows = of.map(({ attack, stages, n }) => [attack, stages, n]);
      return [
        {
          id: `stages-${side}`,
          title,
          led: true as const,
          brief: [prose],
          blocks: [prose, { kind: 'table' as const, caption: title, columns, rows }],
        },
      ];
    });
  },
};

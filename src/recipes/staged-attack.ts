/** @file An attack on the stages of a pipeline, made of the edits of other attacks. */
import { z } from 'zod';
import { getOrCompute } from '../core/get-or-compute.js';
import { labelOf, parseOptions, splitSpec } from '../core/plugin-options.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { type Measure, valueAt } from '../results/measures/measure.js';
import { staged } from '../search/staged.js';
import type { AttackFacts } from './search-attack.js';

/** An attack whose edits are one kind, with options as on the command line: "max-words=3". */
export type KindOf = EvasionPlugin | readonly [plugin: EvasionPlugin, options: string];

export interface StagedAttack extends Pick<AttackFacts, 'name' | 'summary' | 'level' | 'paper'> {
  /** In the order in which they are tried. */
  readonly kinds: readonly KindOf[];
}

/** An attack without options, for pipelines. */
export const stagedAttack = ({ kinds, ...about }: StagedAttack): EvasionPlugin => ({
  kind: 'evasion',
  needs: 'stages',
  ...about,
  options: z.strictObject({}),
  measures: [evadedAlone],
  create: () => staged(kinds.map(openKind)),
});

function openKind(kind: KindOf) {
  const [plugin, options] = 'name' in kind ? [kind, ''] : kind;
  const { given } = splitSpec(options === '' ? plugin.name : `${plugin.name}:${options}`);
  return {
    name: labelOf(plugin.name, given),
    attack: plugin.create(parseOptions(plugin, given)),
    unranked: plugin.needs === 'labels',
  };
}

const schema = z
  .array(z.object({ stage: z.string(), kind: z.string(), n: z.int().min(1) }))
  .describe(
    'Kinds of edit that evade a stage alone, with the number of texts, most first. Only kinds that were tried on a text count for it.',
  );

/** Which kinds of edit evade each stage alone. */
const evadedAlone: Measure<z.output<typeof schema>> = {
  name: 'evadedAlone',
  evidence: { key: 'evades', schema: z.array(z.string()) },
  schema,
  fold() {
    const counts = new Map<string, number>();
    return {
      add(outcome) {
        const evades = valueAt(outcome, 'evades') as readonly string[] | undefined;
        for (const each of evades ?? []) counts.set(each, getOrCompute(counts, each, () => 0) + 1);
      },
      value: () =>
        counts.size === 0
          ? undefined
          : [...counts]
              .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
              .map(([each, n]) => {
                const at = each.lastIndexOf(': ');
                return { stage: each.slice(0, at), kind: each.slice(at + 2), n };
              }),
    };
  },
  sections(found) {
    const title = 'What evades each stage alone';
    const columns = [{ title: 'stage' }, { title: 'kind of edit', align: 'left' as const }, { title: 'texts' }];
    const rows = found.flatMap(({ value }) => value.map(({ stage, kind, n }) => [stage, kind, n]));
    return [{ id: 'evaded-alone', title, full: true, blocks: [{ kind: 'table', caption: title, columns, rows }] }];
  },
};

/** @file Attacks that run other attacks one after the other, each within common limits. */
import { z } from 'zod';
import { table } from '../core/document.js';
import type { Measure } from '../core/measure.js';
import type { EvasionPlugin } from '../core/plugin.js';
import { kebab } from '../core/plugin-options.js';
import type { Constraint } from '../core/search.js';
import { type Cascade, cascade } from '../search/cascade.js';
import type { AttackFacts } from './search-attack.js';

/** An attack of the cascade, with the options that differ from its defaults. */
export interface StageOf {
  readonly plugin: EvasionPlugin;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Runs again with another random stream if random choices of the first run found nothing. @default 0 */
  readonly restarts?: number;
  /** @default runs on every victim */
  readonly detectorsOnly?: true;
}

export interface CascadeAttack extends Pick<AttackFacts, 'name' | 'summary' | 'level'> {
  readonly version: string;
  /** Cheap stages first. */
  readonly stages: readonly StageOf[];
  readonly limits: readonly Constraint[];
}

export interface CascadePlugin extends EvasionPlugin {
  /** The stages with their restarts, and their common limits. */
  parts(): Cascade;
}

/** An attack without options: what it finds depends on its version, the model, the data and the seed alone. */
export function cascadeAttack({ version, stages, limits, ...about }: CascadeAttack): CascadePlugin {
  const parts = () => ({ name: version, stages: stages.flatMap(stagesOf), limits });
  return {
    kind: 'evasion',
    needs: 'labels',
    ...about,
    options: z.strictObject({}),
    measures: [successesByStage],
    parts,
    create: () => cascade(parts()),
  };
}

/** A stage and its restarts: "charmer:max-edits=3", "charmer:max-edits=3 (restart 1)". */
function stagesOf({ plugin, options = {}, restarts = 0, detectorsOnly }: StageOf) {
  const chosen = Object.entries(options).map(([key, value]) => `:${kebab(key)}=${value}`);
  const name = `${plugin.name}${chosen.join('')}`;
  return Array.from({ length: restarts + 1 }, (_, restart) => ({
    name: restart === 0 ? name : `${name} (restart ${restart})`,
    attack: plugin.create(plugin.options.parse(options)),
    ...(detectorsOnly && { detectorsOnly }),
  }));
}

const stageSchema = z
  .array(z.object({ name: z.string(), successes: z.int().min(0) }))
  .describe('How many examples each stage of a cascade flipped, most first.');

/** How many examples each stage of a cascade flipped. */
const successesByStage: Measure<z.output<typeof stageSchema>> = {
  name: 'stages',
  schema: stageSchema,
  fold() {
    const successes = new Map<string, number>();
    return {
      add({ status, details }) {
        const stage = details?.stage;
        if (status === 'succeeded' && typeof stage === 'string') successes.set(stage, (successes.get(stage) ?? 0) + 1);
      },
      value: () =>
        [...successes]
          .map(([name, count]) => ({ name, successes: count }))
          .sort((a, b) => b.successes - a.successes || (a.name < b.name ? -1 : 1)),
    };
  },
  sections: (found) => [
    {
      id: 'stages',
      title: 'Stages that succeeded',
      full: true,
      blocks: found.map(({ attack, value }) =>
        table(
          attack,
          ['stage', 'examples'],
          value.map(({ name, successes }) => [name, successes]),
        ),
      ),
    },
  ],
};

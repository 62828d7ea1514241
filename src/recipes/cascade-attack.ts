/** @file Attacks that run other attacks one after the other, each within common limits. */
import { z } from 'zod';
import { defined } from '../core/defined.js';
import { quantity } from '../core/figure-text.js';
import { kebab, labelOf } from '../core/plugin-options.js';
import type { Constraint } from '../core/search.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import type { Measure } from '../results/measures/measure.js';
import { type Cascade, cascade } from '../search/cascade.js';
import type { AttackFacts } from './search-attack.js';

/** An attack of the cascade, with the options that differ from its defaults. */
interface StageOf {
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
  const parts = () => ({ name: about.name, version, stages: stages.flatMap(stagesOf), limits });
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

/** A stage, called as its attack on the command line, and its restarts: "charmer:max-edits=3", "charmer:max-edits=3 (restart 1)". */
function stagesOf({ plugin, options = {}, restarts = 0, detectorsOnly }: StageOf) {
  const name = labelOf(
    plugin.name,
    new Map(Object.entries(options).map(([key, value]) => [kebab(key), String(value)])),
  );
  return Array.from({ length: restarts + 1 }, (_, restart) => ({
    name: restart === 0 ? name : `${name} (restart ${restart})`,
    attack: plugin.create(plugin.options.parse(options)),
    ...defined({ detectorsOnly }),
  }));
}

const stageSchema = z
  .array(
    z.object({
      name: z.string(),
      successes: z.int().min(0).describe('Examples that the stage flipped.'),
      budgetEnded: z
        .int()
        .min(1)
        .describe('Failed examples whose query budget ended at this stage, so that later stages did not run.')
        .exactOptional(),
    }),
  )
  .describe('How many examples each stage of a cascade flipped, most first.');

type StageCounts = z.output<typeof stageSchema>;

/** How many examples each stage of a cascade flipped, and at which stages the query budget ended. */
const successesByStage: Measure<StageCounts> = {
  name: 'stages',
  schema: stageSchema,
  fold() {
    const successes = new Map<string, number>();
    const ended = new Map<string, number>();
    const count = (into: Map<string, number>, stage: unknown) => {
      if (typeof stage === 'string') into.set(stage, (into.get(stage) ?? 0) + 1);
    };
    return {
      add({ status, details }) {
        if (status === 'succeeded') count(successes, details?.stage);
        else count(ended, details?.budgetEndedAt);
      },
      value: () =>
        [...new Set([...successes.keys(), ...ended.keys()])]
          .map((name) => {
            const budgetEnded = ended.get(name);
            return { name, successes: successes.get(name) ?? 0, ...defined({ budgetEnded }) };
          })
          .sort((a, b) => b.successes - a.successes || (a.name < b.name ? -1 : 1)),
    };
  },
  remark: (stages) => {
    const examples = unfinished(stages);
    return examples === 0
      ? undefined
      : `the query budget ended before all stages had run on ${quantity(examples, 'example')}`;
  },
  sections: (found) => {
    const ended = found.some(({ value }) => unfinished(value) > 0);
    const rows = found.flatMap(({ attack, value }) =>
      value.map(({ name, successes, budgetEnded = 0 }) => [attack, name, successes, ...(ended ? [budgetEnded] : [])]),
    );
    const columns = [
      { title: 'attack' },
      { title: 'stage', align: 'left' as const },
      { title: 'examples' },
      ...(ended ? [{ title: 'budget ended here' }] : []),
    ];
    const title = 'Stages that succeeded';
    return [{ id: 'stages', title, full: true, blocks: [{ kind: 'table', caption: title, columns, rows }] }];
  },
};

const unfinished = (stages: StageCounts): number => stages.reduce((sum, { budgetEnded = 0 }) => sum + budgetEnded, 0);

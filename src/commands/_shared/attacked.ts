/** @file One model attacked as `robust attack` would, by commands that compare several. */
import type { LoadedModel, LoadOptions } from '../../model/load.js';
import {
  attack,
  createRun,
  needsGradients,
  type PlannedAttack,
  type RunFolder,
  type RunHooks,
} from '../../run/index.js';
import { type AttackFlags, planOf } from './attack-plan.js';
import { openGuessers } from './fill-masks.js';
import { type Settings, settingsOf } from './replay.js';
import { RUNS } from './runs.js';
import { openVictim, type VictimFlags } from './victim.js';

/** What decides the result of a run, besides its model. */
export const RUN_SETTINGS = [
  ...['data', 'text-column', 'label-column', 'id-column', 'label-map', 'suite', 'attack', 'num-examples'],
  ...['constraints', 'seed', 'engine', 'target', 'protect', 'query-budget', 'run-budget', 'max-error-rate', 'force'],
];

export interface Attacked {
  readonly folder: RunFolder;
  /** Left open: the caller closes it. */
  readonly model: LoadedModel;
}

/**
 * Attacks `flags.model` and keeps the run in .robust/runs, from where it can be resumed alone. A label map of several
 * models is applied as far as it leads to labels of this one. `began` is told the run. Throws as `robust attack` does.
 */
export async function attacked(
  flags: VictimFlags & AttackFlags & Settings,
  attacks: readonly PlannedAttack[],
  { loading, toolVersion }: { readonly loading: LoadOptions; readonly toolVersion: string },
  hooks: RunHooks & { began?(folder: RunFolder): void },
): Promise<Attacked> {
  const victim = await openVictim(flags, loading);
  const { model } = victim;
  try {
    const { openWhiteBox } = await import('../../gradient/white-box.js');
    const guessers = await openGuessers(attacks, async () => loading);
    const inside = attacks.some(needsGradients)
      ? await openWhiteBox(model, { engine: flags.engine === 'tfjs' ? 'tfjs' : 'onnx' })
      : undefined;
    try {
      const settings = settingsOf({ ...flags, model: model.pinned ?? flags.model }, ['model', ...RUN_SETTINGS]);
      const plan = planOf(flags, settings, guessers.attacks, victim, inside, toolVersion);
      const folder = await createRun(RUNS, plan);
      hooks.began?.(folder);
      await attack(plan, folder, hooks);
      return { folder, model };
    } finally {
      await inside?.close();
      await guessers.close();
    }
  } catch (error) {
    await model.close();
    throw error;
  }
}

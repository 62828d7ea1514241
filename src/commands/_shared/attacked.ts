/** @file From flags to a finished run of one model: what attack, gate, compare and train share. */
import { type Classifier, leftOutLines, type Report } from '../../index.js';
import type { LoadedModel, LoadOptions } from '../../model/load.js';
import {
  attack,
  createRun,
  type Made,
  type PlannedAttack,
  type RunFolder,
  type RunHooks,
  type RunPlan,
} from '../../run/index.js';
import { applicable } from './applicable.js';
import { SETTINGS } from './attack-flags.js';
import { type AttackFlags, planOf } from './attack-plan.js';
import { openGuessers } from './fill-masks.js';
import { type Settings, settingsOf } from './replay.js';
import { RUNS } from './runs.js';
import { idleDefences, openVictim, type VictimFlags } from './victim.js';

export interface Attacked {
  readonly report: Report;
  readonly folder: RunFolder;
  /** Left open: the caller closes it. */
  readonly model: LoadedModel;
  /** What answered: the model, or the model behind its defences. */
  readonly classifier: Classifier;
}

export interface Means {
  /** How a model of that name is loaded. */
  loading(spec: string): Promise<LoadOptions>;
  readonly toolVersion: string;
  /** How the settings came about, for the record. */
  readonly made?: Made;
  /** Goes on with this run instead of a new one. */
  readonly resumed?: RunFolder;
}

/**
 * Attacks `flags.model` and keeps the run in .robust/runs, from where it can be resumed alone. `began` is told the run once
 * all inputs are open. Throws as `robust attack` does.
 */
export async function attacked(
  flags: VictimFlags & AttackFlags & Settings,
  chosen: readonly PlannedAttack[],
  { loading, toolVersion, made, resumed }: Means,
  hooks: RunHooks & { began?(folder: RunFolder, plan: RunPlan): void },
): Promise<Attacked> {
  const victim = await openVictim(flags, await loading(flags.model));
  const { model } = victim;
  const speed = flags.workers === undefined ? {} : { workers: flags.workers };
  try {
    const engine = flags.engine === 'tfjs' ? 'tfjs' : 'onnx';
    const fit = await applicable(chosen, victim, engine, resumed?.record.leftOut);
    try {
      for (const line of leftOutLines(fit.leftOut)) hooks.warn?.(line);
      const guessers = await openGuessers(fit.attacks, async (spec) => ({ ...(await loading(spec)), ...speed }));
      try {
        const settings = settingsOf({ ...flags, model: model.pinned ?? flags.model }, SETTINGS);
        const planned = planOf(flags, settings, { ...fit, attacks: guessers.attacks }, victim, toolVersion);
        const plan = { ...planned, ...(made && { made }) };
        const folder = resumed ?? (await createRun(RUNS, plan));
        hooks.began?.(folder, plan);
        const report = await attack(plan, folder, hooks);
        for (const message of idleDefences(victim)) hooks.warn?.(message);
        return { report, folder, model, classifier: plan.model.classifier };
      } finally {
        await guessers.close();
      }
    } finally {
      await fit.inside?.close();
    }
  } catch (error) {
    await model.close();
    throw error;
  }
}

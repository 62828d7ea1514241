/** @file A run that the workers on a queue compute. */
import { statSync } from 'node:fs';
import { type KeepFile, MOST_BYTES, needsStore } from '../../fleet/content.js';
import { Coordinator } from '../../fleet/coordinator.js';
import type { PlanDocument } from '../../fleet/messages.js';
import { attack, type RunHooks } from '../../run/index.js';
import type { OpenAttacks } from '../attacks/open-attacks.js';
import { type Context, toolVersion } from '../context.js';
import type { AttackChoice, RunTerms } from '../runs/attack-plan.js';
import { decisionChoice } from '../victim/decision-choice.js';
import type { OpenVictim } from '../victim/victim.js';
import { packagesOf, settingsThatTravel } from './plan-settings.js';
import { modelReference } from './shared-model.js';
import { storeAccess } from './store-access.js';

/** Where a run that other machines compute is queued, and where its large files lie. */
export interface FleetChoice {
  /** redis://host:port of the queue. */
  readonly queue: string;
  readonly store?: string | undefined;
}

/**
 * Computes a run by the workers on a queue. Throws RobustError QUEUE_UNSUPPORTED, before a run is made of it, for what cannot be computed
 * elsewhere; what it returns throws as `Coordinator.open` and `attack` do.
 */
export async function onFleet(
  { queue, store }: FleetChoice,
  choice: AttackChoice,
  { hooks, loading }: Context,
  { model, language }: OpenVictim,
  { guessers }: OpenAttacks,
  { placeholders }: RunTerms['constraints'],
): Promise<typeof attack> {
  const { kind } = decisionChoice(choice);
  const settings = settingsThatTravel({ ...choice, placeholders }, language.code, {
    task: kind,
    tags: model.output?.tags,
  });
  const models = async (keep: KeepFile): Promise<Pick<PlanDocument, 'model' | 'guessers'>> => ({
    model: await modelReference(choice.model, model, loading(choice.model), keep, kind === 'tags' ? kind : 'classify'),
    guessers: await Promise.all(
      [...guessers].map(async ([name, opened]) => ({
        name,
        model: await modelReference(name, opened, loading(name), keep, 'masked'),
      })),
    ),
  });
  await models(async (file) => {
    const bytes = statSync(file).size;
    if (store === undefined && bytes > MOST_BYTES) needsStore(file, bytes);
    return { sha256: '', bytes };
  });
  return (plan, folder, running = {}) => {
    let coordinator: Coordinator | undefined;
    const followed: RunHooks = {
      ...running,
      progress: (now) => running.progress?.({ ...now, fleet: { workers: coordinator?.workers ?? 0 } }),
    };
    return attack(plan, folder, followed, async () => {
      coordinator = await Coordinator.open(plan, folder, followed, {
        queue,
        store,
        toolVersion,
        settings,
        models,
        access: storeAccess(hooks.remote?.variables),
      });
      hooks.onNote?.(`run ${folder.id} waits for workers`);
      const packages = packagesOf(settings);
      if (packages.length > 0)
        hooks.onNote?.(
          `workers load its packages where they were started with --plugin ${packages.join(' --plugin ')}`,
        );
      return coordinator;
    });
  };
}

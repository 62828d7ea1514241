/** @file A run that the workers on a queue compute. */
import type { Values } from '../../config/setting.js';
import type { attackSettings } from '../../config/settings/index.js';
import { Coordinator } from '../../fleet/coordinator.js';
import type { PlanDocument } from '../../fleet/messages.js';
import type { KeepFile } from '../../fleet/store.js';
import type { MaskedLanguageModel } from '../../model/classifiers/masked-language-model.js';
import type { RunFolder, RunHooks, RunPlan } from '../../run/index.js';
import type { Context } from '../context.js';
import { toolVersion } from '../context.js';
import { askedDecision } from '../victim/decide.js';
import type { OpenVictim } from '../victim/victim.js';
import type { FleetChoice } from './choice.js';
import { packagesOf, settingsThatTravel } from './plan-settings.js';
import { modelReference } from './shared-model.js';
import { storeAccess } from './store-access.js';

/** Refuses what cannot be computed elsewhere, before a run is made of it. Throws UsageError QUEUE_UNSUPPORTED. */
export async function checkTravels(
  choice: Values<typeof attackSettings>,
  { model, language }: OpenVictim,
  guessers: Guessers,
  context: Context,
): Promise<void> {
  settingsThatTravel(choice, language.code, undefined);
  const uncounted = async () => ({ sha256: '', bytes: 0 });
  await modelReference(choice.model, model, context.loading(choice.model), uncounted);
  await guessersThatTravel(guessers, context, uncounted);
}

type Guessers = ReadonlyMap<string, MaskedLanguageModel>;

/** The masked language models that attacks ask, as they travel: by the names that attacks have for them. */
const guessersThatTravel = (
  guessers: Guessers,
  { loading }: Context,
  keep: KeepFile,
): Promise<PlanDocument['guessers']> =>
  Promise.all(
    [...guessers].map(async ([name, opened]) => ({
      name,
      model: await modelReference(name, opened, loading(name), keep, 'masked'),
    })),
  );

/** Progress with who works on it, once `coordinator` is there. */
export function following(hooks: RunHooks, coordinator: () => Coordinator | undefined): RunHooks {
  const followed = () => {
    const workers = coordinator()?.workers ?? [];
    const [slowest] = workers.flatMap((worker) => worker.slowest).sort((a, b) => b.seconds - a.seconds);
    return { workers: workers.length, ...(slowest && { slowest }) };
  };
  return { ...hooks, progress: (now) => hooks.progress?.({ ...now, fleet: followed() }) };
}

/** Throws what `Coordinator.open` throws. */
export async function coordinate(
  { queue, listen, store }: FleetChoice,
  choice: Values<typeof attackSettings>,
  victim: OpenVictim,
  guessers: Guessers,
  context: Context,
  plan: RunPlan,
  folder: RunFolder,
  hooks: RunHooks,
): Promise<Coordinator> {
  const { model, language } = victim;
  const settings = settingsThatTravel(choice, language.code, askedDecision(choice));
  const coordinator = await Coordinator.open(plan, folder, hooks, {
    queue,
    listen,
    store,
    access: storeAccess(context.hooks.remote?.variables),
    toolVersion,
    settings,
    model: (keep) => modelReference(choice.model, model, context.loading(choice.model), keep),
    guessers: (keep) => guessersThatTravel(guessers, context, keep),
  });
  context.hooks.onNote?.(`run ${folder.id}: workers reach it at ${coordinator.url}`);
  const packages = packagesOf(settings);
  if (packages.length > 0)
    context.hooks.onNote?.(
      `workers load its packages where they were started with --plugin ${packages.join(' --plugin ')}`,
    );
  return coordinator;
}

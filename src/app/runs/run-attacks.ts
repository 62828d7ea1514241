/** @file From a choice of attacks to a finished run of one model: what attack, gate, compare and train share. */
import type { Values } from '../../config/setting.js';
import { attackSettings } from '../../config/settings/index.js';
import type { Classifier } from '../../core/classifier.js';
import { leftOutLines } from '../../core/left-out.js';
import type { Report } from '../../core/report.js';
import type { LoadedModel } from '../../model/load.js';
import {
  attack,
  createRun,
  equalRun,
  type PlannedAttack,
  type RunFolder,
  type RunOrigin,
  type RunPlan,
} from '../../run/index.js';
import { applicableAttacks } from '../attacks/applicable.js';
import { openGuessers } from '../attacks/fill-masks.js';
import { recordOf } from '../command-line.js';
import type { Context } from '../context.js';
import type { FleetChoice } from '../fleet/choice.js';
import { openVictim, unusedDefences } from '../victim/victim.js';
import { placeholdersOf, planOf } from './attack-plan.js';
import { sealFor } from './recorded-settings.js';
import { RUNS } from './runs.js';

export interface AttackedRun {
  readonly report: Report;
  readonly folder: RunFolder;
  /** Left open: the caller closes it. */
  readonly model: LoadedModel;
  /** What answered: the model, or the model behind its defences. */
  readonly classifier: Classifier;
}

export interface RunStart {
  /** How the settings came about, for the record. */
  readonly made?: RunOrigin;
  /** Goes on with this run instead of a new one. */
  readonly resumed?: RunFolder;
  /** Goes on with a run of the same inputs where there is one; its outcomes are what a new one would find. */
  readonly reuse?: boolean;
  /** Has others compute it. */
  readonly fleet?: FleetChoice | undefined;
  /** Told once all inputs are open. */
  began?(folder: RunFolder, plan: RunPlan): void;
}

/** Progress with what was spent so far. */
function withCost(hooks: Context['run'], { model: { endpoint } }: RunPlan): Context['run'] {
  const { price, usage } = endpoint ?? {};
  if (price === undefined || usage === undefined) return hooks;
  return { ...hooks, progress: (now) => hooks.progress?.({ ...now, cost: price * usage().texts }) };
}

/** Attacks `choice.model` and keeps the run in .robust/runs, from where it can be resumed alone. Throws as `attack` does. */
export async function runAttacks(
  choice: Values<typeof attackSettings>,
  chosen: readonly PlannedAttack[],
  context: Context,
  { made, resumed, reuse, fleet, began }: RunStart = {},
): Promise<AttackedRun> {
  const loading = context.loading(choice.model);
  const known = resumed && { remote: { ...loading.remote, answers: resumed.endpointAnswers } };
  const searchedElsewhere = fleet && { deviceElsewhere: true };
  const victim = await openVictim(
    { ...choice, precision: choice.precision ?? 'auto' },
    { ...loading, ...known, ...searchedElsewhere },
  );
  const { model } = victim;
  const speed = choice.workers === undefined ? {} : { workers: choice.workers };
  try {
    const fit = await applicableAttacks(chosen, victim, choice.engine, resumed?.record.leftOut);
    try {
      for (const line of leftOutLines(fit.leftOut)) context.warn(line);
      if (victim.language.stopWords === undefined)
        context.warn(`${victim.language.name} lists no stop words: attacks may edit any word`);
      const guessers = await openGuessers(fit.attacks, (spec) => ({ ...context.loading(spec), ...speed }));
      try {
        const others = fleet && (await import('../fleet/coordinate.js'));
        const settled = { ...choice, placeholders: await placeholdersOf(choice, victim) };
        if (settled.placeholders === 'keep' && choice.placeholders === undefined)
          context.hooks.onNote?.(
            'placeholders such as @user stay as they are; --placeholders edit lets attacks edit them',
          );
        await others?.checkTravels(settled, victim, guessers.models, context);
        const record = recordOf(attackSettings, { ...choice, model: model.pinned ?? choice.model });
        const planned = await planOf(settled, record, { ...fit, attacks: guessers.attacks }, victim, context.patience);
        const plan = { ...planned, ...(made && { made }), ...(await sealFor(attackSettings, record)) };
        const equal = reuse ? equalRun(RUNS, plan) : undefined;
        if (equal) context.hooks.onNote?.(`${choice.model}: attacked alike in run ${equal.id}, whose outcomes stand`);
        const folder = resumed ?? equal ?? (await createRun(RUNS, plan));
        model.remote?.keepAnswers(folder.endpointAnswers);
        began?.(folder, plan);
        let coordinator: Awaited<ReturnType<NonNullable<typeof others>['coordinate']>> | undefined;
        const told = withCost(context.run, plan);
        const hooks = others ? others.following(told, () => coordinator) : told;
        const elsewhere =
          others &&
          (async () => {
            coordinator = await others.coordinate(
              fleet,
              settled,
              victim,
              guessers.models,
              context,
              plan,
              folder,
              hooks,
            );
            return coordinator;
          });
        const report = await attack(plan, folder, hooks, elsewhere);
        for (const message of unusedDefences(victim)) context.warn(message);
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

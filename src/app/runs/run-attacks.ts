/** @file Opens what a run of attacks needs, plans it, and carries it out: what attack, compare and train share. */
import { attackSettings } from '../../config/settings/index.js';
import type { Classifier } from '../../core/classifier.js';
import { defined } from '../../core/defined.js';
import type { LoadedModel } from '../../model/load.js';
import { leftOutLines } from '../../results/report/left-out.js';
import type { Report } from '../../results/report/report.js';
import {
  attack,
  createRun,
  equalRun,
  type PlannedAttack,
  type RunFolder,
  type RunHooks,
  type RunOrigin,
  type RunPlan,
} from '../../run/index.js';
import { type OpenAttacks, openAttacks } from '../attacks/open-attacks.js';
import { recordOf } from '../command-line.js';
import type { Context } from '../context.js';
import { victimChoice } from '../victim/choice.js';
import { type OpenVictim, openVictim, unusedDefences } from '../victim/victim.js';
import { type AttackChoice, planOf, type RunTerms, settledTerms } from './attack-plan.js';
import { sealFor } from './recorded-settings.js';
import { RUNS } from './runs.js';

export interface AttackedRun {
  readonly report: Report;
  readonly folder: RunFolder;
  readonly model: LoadedModel;
  /** The victim: the model, or the model behind its defences. */
  readonly classifier: Classifier;
}

interface RunStart {
  /** Resumes this run instead of beginning a new one. */
  readonly resumed?: RunFolder | undefined;
  /** Resumes a run of the same inputs if there is one; a new one would find the same outcomes. */
  readonly reuse?: boolean;
  /** Has others compute it. @default this process */
  elsewhere?:
    | ((victim: OpenVictim, attacks: OpenAttacks, constraints: RunTerms['constraints']) => Promise<typeof attack>)
    | undefined;
  /** How the settings came about, for the record. */
  readonly made?: RunOrigin;
  /** Called before the first query. */
  began?(folder: RunFolder, plan: RunPlan): void;
}

/**
 * Opens what a choice names, plans the run of these attacks, and carries it out. The run is kept in .robust/runs, from where it can be resumed
 * alone; the model stays open until the context is closed. Throws as `attack` does.
 */
export async function runAttacks(
  choice: AttackChoice,
  chosen: readonly PlannedAttack[],
  context: Context,
  { resumed, reuse = false, elsewhere, made, began }: RunStart = {},
): Promise<AttackedRun> {
  const wanted = victimChoice({ ...choice, precision: choice.precision ?? 'auto' });
  const opening = { answers: resumed?.endpointAnswers, deviceElsewhere: elsewhere !== undefined };
  const victim = await openVictim(wanted, context, opening);
  const { model } = victim;
  const attacks = await openAttacks(chosen, victim, choice.engine, context, { already: resumed?.record.leftOut });
  for (const line of leftOutLines(attacks.leftOut)) context.warn(line);
  if (victim.language.stopWords === undefined)
    context.warn(`${victim.language.name} lists no stop words: attacks may edit any word`);
  const terms = await settledTerms(choice, victim.dataset, context);
  const compute = await elsewhere?.(victim, attacks, terms.constraints);
  const record = recordOf(attackSettings, { ...choice, model: model.pinned ?? choice.model });
  const plan: RunPlan = {
    ...(await planOf(terms, record, attacks, victim, context.patience)),
    ...defined({ made }),
    ...(await sealFor(attackSettings, record)),
  };
  const equal = reuse ? equalRun(RUNS, plan) : undefined;
  if (equal) context.hooks.onNote?.(`${choice.model}: attacked alike in run ${equal.id}, whose outcomes stand`);
  const folder = resumed ?? equal ?? (await createRun(RUNS, plan));
  model.remote?.keepAnswers(folder.endpointAnswers);
  began?.(folder, plan);
  const report = await (compute ?? attack)(plan, folder, withCost(context.run, plan));
  for (const message of unusedDefences(victim)) context.warn(message);
  return { report, folder, model, classifier: plan.model.classifier };
}

/** Progress with what was spent so far. */
function withCost(hooks: RunHooks, { model: { endpoint } }: RunPlan): RunHooks {
  const { price, usage } = endpoint ?? {};
  if (price === undefined || usage === undefined) return hooks;
  return { ...hooks, progress: (now) => hooks.progress?.({ ...now, cost: price * usage().texts }) };
}

/** @file Opens what a run of attacks needs, plans it, and carries it out: what attack, compare and train share. */
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
  type RunHooks,
  type RunOrigin,
  type RunPlan,
} from '../../run/index.js';
import { type OpenAttacks, openAttacks } from '../attacks/open-attacks.js';
import { recordOf } from '../command-line.js';
import type { Context } from '../context.js';
import { type OpenVictim, openVictim, unusedDefences } from '../victim/victim.js';
import { type AttackChoice, placeholdersOf, planOf } from './attack-plan.js';
import { sealFor } from './recorded-settings.js';
import { RUNS } from './runs.js';

/** What a run needs, open. */
export interface RunInputs {
  readonly victim: OpenVictim;
  readonly attacks: OpenAttacks;
  /** Whether attacks may edit placeholders such as @user. */
  readonly placeholders: 'keep' | 'edit';
}

export interface AttackedRun {
  readonly report: Report;
  readonly folder: RunFolder;
  readonly model: LoadedModel;
  /** What answered: the model, or the model behind its defences. */
  readonly classifier: Classifier;
}

/** Carries out a plan and keeps its outcomes in the folder. */
export type Compute = (plan: RunPlan, folder: RunFolder, hooks: RunHooks) => Promise<Report>;

export interface RunStart {
  /** Goes on with this run instead of a new one. */
  readonly resumed?: RunFolder | undefined;
  /** Goes on with a run of the same inputs where there is one; its outcomes are what a new one would find. */
  readonly reuse?: boolean;
  /** Has others compute it. @default this process */
  readonly compute?: Compute | undefined;
  /** Called before the first query. */
  began?(folder: RunFolder, plan: RunPlan): void;
}

/** Opens the victim and the data, then what those of the attacks need that the victim allows; warns of the others. Throws as `attack` does. */
export async function openInputs(
  choice: AttackChoice,
  chosen: readonly PlannedAttack[],
  context: Context,
  { resumed, elsewhere }: { readonly resumed?: RunFolder | undefined; readonly elsewhere?: boolean } = {},
): Promise<RunInputs> {
  const opening = { answers: resumed?.endpointAnswers, deviceElsewhere: elsewhere };
  const victim = await openVictim({ ...choice, precision: choice.precision ?? 'auto' }, context, opening);
  const attacks = await openAttacks(chosen, victim, choice.engine, context, { already: resumed?.record.leftOut });
  for (const line of leftOutLines(attacks.leftOut)) context.warn(line);
  if (victim.language.stopWords === undefined)
    context.warn(`${victim.language.name} lists no stop words: attacks may edit any word`);
  const placeholders = await placeholdersOf(choice, victim);
  if (placeholders === 'keep' && choice.placeholders === undefined)
    context.hooks.onNote?.('placeholders such as @user stay as they are; --placeholders edit lets attacks edit them');
  return { victim, attacks, placeholders };
}

/** The plan of a run, with the record that replays it. Throws as `planOf` does. */
export async function planRun(
  choice: AttackChoice,
  { victim, attacks, placeholders }: RunInputs,
  { patience }: Context,
  made?: RunOrigin,
): Promise<RunPlan> {
  const record = recordOf(attackSettings, { ...choice, model: victim.model.pinned ?? choice.model });
  const plan = await planOf({ ...choice, placeholders }, record, attacks, victim, patience);
  return { ...plan, ...(made && { made }), ...(await sealFor(attackSettings, record)) };
}

/** Carries out a run and keeps it in .robust/runs, from where it can be resumed alone. Throws as `attack` does. */
export async function runAttacks(
  plan: RunPlan,
  { victim }: RunInputs,
  context: Context,
  { resumed, reuse = false, compute = attack, began }: RunStart = {},
): Promise<AttackedRun> {
  const { model } = victim;
  const equal = reuse ? equalRun(RUNS, plan) : undefined;
  if (equal) context.hooks.onNote?.(`${plan.settings.model}: attacked alike in run ${equal.id}, whose outcomes stand`);
  const folder = resumed ?? equal ?? (await createRun(RUNS, plan));
  model.remote?.keepAnswers(folder.endpointAnswers);
  began?.(folder, plan);
  const report = await compute(plan, folder, withCost(context.run, plan));
  for (const message of unusedDefences(victim)) context.warn(message);
  return { report, folder, model, classifier: plan.model.classifier };
}

/** Progress with what was spent so far. */
function withCost(hooks: RunHooks, { model: { endpoint } }: RunPlan): RunHooks {
  const { price, usage } = endpoint ?? {};
  if (price === undefined || usage === undefined) return hooks;
  return { ...hooks, progress: (now) => hooks.progress?.({ ...now, cost: price * usage().texts }) };
}

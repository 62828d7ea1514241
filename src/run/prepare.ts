/** @file Attacks learn from some texts before their first example. */
import type { Example } from '../core/dataset.js';
import { IdleTimer, NO_TIME_LIMIT, withinIdleTime } from '../core/patience.js';
import type { EvasionAttack } from '../core/plugin.js';
import { victimOf } from './metered-victim.js';
import type { PlannedAttack, RunPlan } from './plan.js';
import { attackTimedOut } from './search.js';

/** Lets an attack, and the constraints of the run for it, learn what they need. Every process that searches must, with the same sample. */
export async function prepareAttack(
  plan: RunPlan,
  planned: PlannedAttack,
  by: EvasionAttack,
  sample: () => readonly Example[] | Promise<readonly Example[]>,
  warn: (message: string) => void,
): Promise<void> {
  if (!learns(plan, by)) return;
  const { label, patience = NO_TIME_LIMIT } = planned;
  const idle = new IdleTimer();
  const victim = victimOf(plan, planned, idle, warn);
  const examples = await sample();
  for (const { prepare } of plan.constraints) await prepare?.(examples, victim);
  const learn = async () => by.prepare?.(examples, victim);
  await withinIdleTime(patience, idle, label, learn, () => attackTimedOut(label, patience));
}

/** Is there anything to learn for this attack? */
export const learns = (plan: RunPlan, by: EvasionAttack): boolean =>
  by.prepare !== undefined || plan.constraints.some(({ prepare }) => prepare !== undefined);

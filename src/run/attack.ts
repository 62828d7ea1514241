import { type Lock, lock } from '../files/lock.js';
import type { Report } from '../results/report/report.js';
import type { Fleet } from './fleet.js';
import type { RunFolder } from './folder.js';
import { RunInterrupted } from './interrupted.js';
import { checkPlan, checkSame, fingerprint, type RunHooks, type RunPlan } from './plan.js';
import { readReport } from './report.js';
import { Session } from './session.js';

/**
 * Carries out a plan in the folder made for it, or continues there. The outcomes are a function of the plan alone:
 * interruption, resumption and concurrency change no byte of results.jsonl.
 *
 * `elsewhere`: who asks and searches in place of this process. Throws RobustError (a plan that differs from the folder's, or cannot be carried out), ModelError LABELS_MISMATCH, OutputError, RUN_TAKEN, and Interrupted once `hooks.signal` is aborted. All of them leave a folder
 * that can be continued.
 */
export async function attack(
  plan: RunPlan,
  folder: RunFolder,
  hooks: RunHooks = {},
  elsewhere?: () => Promise<Fleet>,
): Promise<Report> {
  checkPlan(plan);
  checkSame(folder.record.fingerprint, fingerprint(plan), folder.id);
  if (folder.record.status !== 'done') {
    const held = await locked(folder, hooks);
    try {
      // The one who held the lock may have finished the run.
      if (folder.reload().status !== 'done') await carryOut(plan, folder, hooks, elsewhere);
    } finally {
      folder.guard = undefined;
      held.release();
    }
  }
  const measures = new Map(plan.attacks.map(({ label, plugin }) => [label, plugin.measures ?? []]));
  return readReport(folder, { measures });
}

async function carryOut(
  plan: RunPlan,
  folder: RunFolder,
  hooks: RunHooks,
  elsewhere: (() => Promise<Fleet>) | undefined,
): Promise<void> {
  const fleet = await elsewhere?.();
  try {
    await new Session(plan, folder, hooks, fleet).run();
  } finally {
    await fleet?.close();
  }
}

/** From here on only the holder of its lock writes to the folder. */
async function locked(folder: RunFolder, { signal, warn }: RunHooks): Promise<Lock> {
  try {
    const held = await lock(folder.path, { signal, warn });
    folder.guard = held.check;
    return held;
  } catch (error) {
    throw signal?.aborted ? new RunInterrupted(folder.id) : error;
  }
}

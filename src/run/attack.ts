import type { Report } from '../core/report.js';
import type { RunFolder } from './folder.js';
import { lock } from './lock.js';
import { checkPlan, checkSame, fingerprint, type RunHooks, type RunPlan } from './plan.js';
import { readReport } from './report.js';
import { Session } from './session.js';

/**
 * Carries out a plan in the folder made for it, or continues there. The outcomes are a function of the plan alone:
 * interruption, resumption and concurrency change no byte of results.jsonl.
 *
 * Throws UsageError (a plan that differs from the folder's, or cannot be carried out), ModelError LABELS_PERMUTED,
 * DatasetError, OutputError, RUN_LOCKED, and Interrupted once `hooks.signal` is aborted. All of them leave a folder
 * that can be continued.
 */
export async function attack(plan: RunPlan, folder: RunFolder, hooks: RunHooks = {}): Promise<Report> {
  checkPlan(plan);
  checkSame(folder.record.fingerprint, fingerprint(plan), folder.id);
  if (folder.record.status !== 'done') {
    const release = lock(folder.path);
    try {
      // The one who held the lock may have finished the run.
      if (folder.reload().status !== 'done') await new Session(plan, folder, hooks).run();
    } finally {
      release();
    }
  }
  return readReport(folder);
}

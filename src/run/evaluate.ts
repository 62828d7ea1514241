import type { CleanMetrics } from '../results/clean/clean-metrics.js';
import { cleanPass } from './clean.js';
import { RunInterrupted } from './interrupted.js';
import { SearchCancelled } from './metered-victim.js';
import type { EvaluationPlan, RunHooks } from './plan.js';

export interface CleanEvaluation {
  readonly clean: CleanMetrics;
  readonly examples: number;
  readonly seconds: number;
  readonly warnings: readonly string[];
}

/** The clean pass alone; keeps nothing on disk. Throws as `attack` does before its first search. */
export async function evaluate(plan: EvaluationPlan, hooks: RunHooks = {}): Promise<CleanEvaluation> {
  const warnings: string[] = [];
  const warn = (message: string) => {
    warnings.push(message);
    hooks.warn?.(message);
  };
  try {
    const { metrics, examples, seconds } = await cleanPass(plan, undefined, hooks, warn);
    return { clean: metrics, examples, seconds, warnings };
  } catch (error) {
    throw error instanceof SearchCancelled ? new RunInterrupted() : error;
  }
}

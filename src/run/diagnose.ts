import {
  DIAGNOSED_EXAMPLES,
  type Diagnose,
  type DiagnosedExample,
  type DiagnosticEvidence,
  withoutQueries,
} from '../results/diagnostics/evidence.js';
import type { AnswerFile } from './answer-file.js';
import { firstExamples } from './answers.js';
import { decisionOfPlan, type RunPlan } from './plan.js';
import { aimOf } from './search.js';

/**
 * The evidence of the diagnostics. Shards and fleets find the same as a run in one piece, because the examples are chosen from the whole run
 * and their answers. A run with a budget of its own makes no queries beyond it.
 */
export async function diagnosticEvidence(
  plan: RunPlan,
  diagnose: Diagnose,
  answers: AnswerFile,
  examples: number,
): Promise<DiagnosticEvidence> {
  const { model, seed, language, runBudget } = plan;
  if (runBudget !== undefined)
    return withoutQueries('the query budget of the run leaves no queries to the diagnostics');
  const { gradients, repeating } = model;
  return diagnose({
    classify: (texts) => model.classifier.classify(texts),
    seed,
    language,
    probabilities: model.decision?.kind !== 'regression',
    examples: await diagnosedExamples(plan, answers, examples),
    gradients,
    repeating,
  });
}

/** Attacked examples from all parts of the data, which may be sorted by class. */
async function diagnosedExamples(plan: RunPlan, answers: AnswerFile, examples: number): Promise<DiagnosedExample[]> {
  const chosen: DiagnosedExample[] = [];
  const decision = decisionOfPlan(plan);
  let index = 0;
  for await (const example of firstExamples(plan)) {
    if (index >= examples || chosen.length === DIAGNOSED_EXAMPLES) break;
    const { row: before } = answers.read(index);
    if (index++ < Math.floor((chosen.length * examples) / DIAGNOSED_EXAMPLES)) continue;
    const aim = aimOf(plan, { example, attack: '', before, decision });
    if ('status' in aim) continue;
    const { label } = aim.attacked;
    chosen.push({ example, label, before, flipped: (row) => aim.goal.reached(row, label) });
  }
  return chosen;
}

/** @file Why the adversarial texts of a run with the fewest changes fooled the model: the weights of their words before and after. */
import type { Classifier } from '../../core/classifier.js';
import type { DecisionRule } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import type { Outcome } from '../../core/outcome.js';
import { explain } from '../../explain/index.js';
import type { LoadedModel } from '../../model/load.js';
import type { OutcomeExplanation } from '../../results/report/explanation.js';
import type { Report } from '../../results/report/report.js';
import { explainedBeside, explainWith } from './explained.js';
import { type ExplainedAnswer, scoreOfRule, withDecision } from './explained-score.js';

/** Queries for the weights of one text: enough to find the words that count, few enough that ten texts take seconds. */
const SAMPLES = 500;

/** The answer that an attack changed: the true label, a detector's score, or of several labels one that was lost, else one that was gained. */
function changedAnswer(
  { label, fromLabels = [], toLabels = [] }: Outcome,
  labels: readonly string[],
  decision: DecisionRule | undefined,
): ExplainedAnswer {
  const scored = scoreOfRule(decision, labels);
  if (scored !== undefined) return scored;
  const lost = fromLabels.find((each) => !toLabels.includes(each));
  return { label: lost ?? toLabels.find((each) => !fromLabels.includes(each)) ?? label };
}

/** SHAP values of the score that decided, for the closest successes of the report. `classifier`: what was attacked, a defence included. */
export async function explainClosest(
  { closest, seed, model: { decision } }: Report,
  model: LoadedModel,
  classifier: Classifier,
): Promise<OutcomeExplanation[]> {
  const seen = { ...explainWith(model, {}), classifier };
  const found: OutcomeExplanation[] = [];
  for (const outcome of closest) {
    const { id, attack, text, adversarial, entities, tags } = outcome;
    if (adversarial === undefined) continue;
    const answer = changedAnswer(outcome, classifier.labels, decision);
    const of = async (which: string, own = entities) => {
      const made = await explain(explainedBeside(seen, { ...outcome, ...defined({ entities: own }) }), which, {
        methods: ['shap'],
        ...answer,
        baseline: 'delete',
        scale: 'probability',
        seed,
        samples: SAMPLES,
      });
      return withDecision(made, answer, decision);
    };
    // An attack may leave no word to weigh.
    if (!/[\p{L}\p{N}]/u.test(text) || !/[\p{L}\p{N}]/u.test(adversarial)) continue;
    found.push({ id, attack, before: await of(text), after: await of(adversarial, tags?.entities) });
  }
  return found;
}

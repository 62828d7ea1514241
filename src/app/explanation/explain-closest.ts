/** @file Why the adversarial texts of a run with the fewest changes fooled the model: the weights of their words before and after. */
import type { Classifier } from '../../core/classifier.js';
import type { OutcomeExplanation } from '../../core/explanation.js';
import type { Report } from '../../core/report.js';
import { explain } from '../../explain/index.js';
import type { LoadedModel } from '../../model/load.js';
import { explained } from './explained.js';

/** Texts asked to weigh one: enough to see which words count, few enough that ten adversarial texts cost seconds. */
const SAMPLES = 500;

/** SHAP values of the true label's probability, of the texts the report tells most of. `classifier`: what was attacked, a defence included. */
export async function explainClosest(
  { closest, seed }: Report,
  model: LoadedModel,
  classifier: Classifier,
): Promise<OutcomeExplanation[]> {
  const seen = { ...explained(model, {}), classifier };
  const found: OutcomeExplanation[] = [];
  for (const { id, attack, text, adversarial, label } of closest) {
    if (adversarial === undefined) continue;
    const of = (which: string) =>
      explain(seen, which, {
        methods: ['shap'],
        label,
        baseline: 'delete',
        scale: 'probability',
        seed,
        samples: SAMPLES,
      });
    // An attack may leave no word to weigh.
    if (!/[\p{L}\p{N}]/u.test(text) || !/[\p{L}\p{N}]/u.test(adversarial)) continue;
    found.push({ id, attack, before: await of(text), after: await of(adversarial) });
  }
  return found;
}

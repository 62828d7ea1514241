import type { ExplanationReport } from '../src/results/report/explanation.js';

/**
 * Explanations for programs. One text and one model: the explanation itself. More: the same documents in a list, text by text, and of
 * each text model by model.
 */
export function explanationResult({ explanations, provenance }: ExplanationReport): object {
  const made = provenance && { provenance };
  const [only, ...others] = explanations;
  return { ...(only !== undefined && others.length === 0 ? only : { explanations }), ...made };
}

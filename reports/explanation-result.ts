import type { ExplanationReport } from '../src/core/explanation.js';

/**
 * Explanations for programs. One text and one model: the explanation itself. More: the same documents in a list, text by text, and of
 * each text model by model. Summed up over texts: `{ global }`.
 */
export function explanationResult({ explanations, global, provenance }: ExplanationReport): object {
  const made = provenance && { provenance };
  if (global) return { global, ...made };
  const [only, ...others] = explanations;
  return { ...(only !== undefined && others.length === 0 ? only : { explanations }), ...made };
}

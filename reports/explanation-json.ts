/** @file Explanations for programs. */
import type { ExplanationReport, Renderer } from '../src/index.js';
import { json, SCHEMA_VERSION } from './json.js';

/**
 * One text and one model: the explanation itself. More: the same documents in a list, text by text, and of each text model by
 * model. Summed up over texts: `{ global }`.
 */
export function explanationResult({ explanations, global }: ExplanationReport): object {
  if (global) return { global };
  const [only, ...others] = explanations;
  return only !== undefined && others.length === 0 ? only : { explanations };
}

export const explanationJson: Renderer<ExplanationReport> = {
  name: 'json',
  extension: 'json',
  *render(report) {
    const document = { schemaVersion: SCHEMA_VERSION, ok: true, command: 'explain' };
    yield `${json({ ...document, result: explanationResult(report), warnings: report.warnings })}\n`;
  },
};

/** @file Checks of what is read back: a line of results.jsonl, and what measures found. Unknown keys pass: a newer version may add some. */
import { z } from 'zod';
import { count } from '../core/declared.js';
import { hasValidScores, outcomeShape } from '../core/outcome.js';
import { faultText, readBy } from '../core/read-by.js';
import { type Measure, valueAt } from '../results/measures/measure.js';

/** A line of results.jsonl; what measures keep on it is checked by `evidenceProblem`. */
export const entrySchema = z.object({ ...outcomeShape, index: count }).refine(hasValidScores, 'scores are from 0 to 1');

/** The fault of the evidence on an outcome, or undefined. */
export const evidenceProblem = (outcome: object, measures: readonly Measure[]): string | undefined =>
  firstWrong(
    outcome,
    measures.flatMap(({ evidence }) => evidence ?? []).map(({ key, schema }) => [key, schema]),
  );

/** The fault of the values of measures in an attack's entry of a report, or undefined. */
export const valuesProblem = (entry: object, measures: readonly Measure[]): string | undefined =>
  firstWrong(
    entry,
    measures.map(({ name, schema }) => [name, schema]),
  );

function firstWrong(of: object, keys: readonly (readonly [string, z.ZodType])[]): string | undefined {
  for (const [key, schema] of keys) {
    const value = valueAt(of, key);
    const read = value === undefined ? undefined : readBy(schema, value);
    if (read?.success === false) return `${key}: ${faultText(read.faults[0])}`;
  }
  return undefined;
}

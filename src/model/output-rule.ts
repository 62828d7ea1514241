/** @file How a graph's output is to be read, and what its columns are called. */
import { ModelError } from '../core/errors.js';
import { activate, columns, type OutputRule } from './activation.js';
import type { Description } from './describe.js';
import type { Activation } from './manifest.js';
import type { Probe } from './probe.js';

/** Throws ModelError where no reading gives probabilities. */
export function outputRule(model: Description, { width, rows }: Probe): OutputRule {
  const activation = model.output.activation ?? likelyActivation(width, rows);
  const rule = { activation, normalise: model.output.normalise, width };
  if (width === 1 && activation === 'softmax') {
    throw new ModelError(`${model.model}: expected one score per class for a softmax, got a single one`, {
      code: 'MODEL_OUTPUT_WIDTH',
      hint: 'For a binary classifier with one logit say "output": { "activation": "sigmoid" } in a robust.json.',
    });
  }
  const probabilities = activate(
    rows.flatMap((row) => Array.from(row)),
    rule,
  );
  if (!probabilities.every((p) => p >= 0 && p <= 1)) {
    throw new ModelError(
      `${model.model}: expected probabilities in [0, 1], got ${Array.from(rows[0] ?? [])
        .slice(0, 10)
        .join(', ')}`,
      {
        code: 'MODEL_OUTPUT_RANGE',
        hint: 'If these are logits, say "output": { "activation": "softmax" } in a robust.json.',
      },
    );
  }
  return rule;
}

/** Logits do not sum to 1 in every row: outputs that do are probabilities already. */
function likelyActivation(width: number, rows: readonly Float32Array[]): Activation {
  if (width === 1) return 'sigmoid';
  const isDistribution = (row: Float32Array) =>
    row.every((p) => p >= 0) && Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 1e-4;
  return rows.every(isDistribution) ? 'none' : 'softmax';
}

/** One name per column. Throws ModelError (LABEL_COUNT). */
export function labelNames(
  model: Description,
  rule: OutputRule,
  override: readonly string[] | undefined,
): readonly string[] {
  const wanted = columns(rule);
  const labels = override ?? model.labels ?? Array.from({ length: wanted }, (_, at) => `LABEL_${at}`);
  if (labels.length === wanted) return labels;
  const output = rule.width === 1 ? 'single score (no, yes)' : `${rule.width} columns`;
  throw new ModelError(
    `${model.model}: expected ${wanted} label names for its ${output}, got ${labels.length}: ${labels.slice(0, 10).join(', ')}`,
    {
      code: 'LABEL_COUNT',
      hint: 'Name every column, in order, in config.json (id2label) or in a robust.json (labels).',
    },
  );
}

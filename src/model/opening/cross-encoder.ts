/**
 * @file What sentence-transformers writes of a cross-encoder into config.json: the function that makes scores of its logits
 * (CrossEncoder.predict), under the key of version 4 or of those before it.
 */
import { ModelError } from '../../core/errors.js';
import { isObject, type JsonObject } from '../../core/json.js';
import type { Manifest, WrittenDecision } from './manifest.js';

/** How its scores are read, where a manifest does not say. */
interface CrossEncoder {
  readonly labels?: readonly string[];
  readonly output: NonNullable<Manifest['output']>;
  readonly decision?: WrittenDecision;
}

/** Of one logit a sigmoid makes the probability that a pair matches, and the identity a number. Undefined where nothing says so. */
export function crossEncoder(config: JsonObject | undefined, path: string, columns: number): CrossEncoder | undefined {
  const own = isObject(config?.sentence_transformers) ? config.sentence_transformers.activation_fn : undefined;
  const named = own ?? config?.sbert_ce_default_activation_function ?? undefined;
  if (named === undefined) return undefined;
  const name = typeof named === 'string' ? named.slice(named.lastIndexOf('.') + 1) : '';
  if (name === 'Sigmoid') {
    const output = { activation: 'sigmoid' as const };
    return columns === 1 ? { labels: ['no', 'yes'], output } : { output, decision: { kind: 'multi-label', at: 0.5 } };
  }
  // Of several logits the largest counts, whatever is made of them.
  if (name === 'Identity') return columns === 1 ? { output: {}, decision: { kind: 'regression' } } : undefined;
  throw new ModelError(
    `${path}: the activation of a cross-encoder: expected Identity or Sigmoid, got ${JSON.stringify(named).slice(0, 200)}`,
    {
      code: 'MODEL_OUTPUT_AMBIGUOUS',
      hint: 'Say how its scores are read in a robust.json beside it: "output": { "activation": "softmax" | "sigmoid" | "none" }, "labels": [...].',
    },
  );
}

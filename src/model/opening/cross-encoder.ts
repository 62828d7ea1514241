/**
 * @file The activation of a cross-encoder of sentence-transformers: CrossEncoder.predict applies it to the logits. It is named in
 * config.json, by another key before version 4, and since version 6 in config_sentence_transformers.json.
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

/**
 * One logit is a number with the identity, and with a sigmoid the probability that a pair matches. Undefined if the config names no function
 * or the manifest or `problem_type` decides. Throws ModelError for other functions.
 */
export function crossEncoder(
  config: JsonObject | undefined,
  sentences: JsonObject | undefined,
  path: string,
  labels: number | undefined,
  manifest: Manifest,
): CrossEncoder | undefined {
  if (
    [manifest.output?.activation, manifest.labels, config?.problem_type ?? undefined].some((each) => each !== undefined)
  )
    return undefined;
  const columns = labels ?? config?.num_labels ?? 2;
  const crossed = sentences?.model_type === 'CrossEncoder' ? sentences : undefined;
  if (crossed?.default_prompt_name != null) throw prompted(path, crossed.default_prompt_name);
  const own = isObject(config?.sentence_transformers) ? config.sentence_transformers.activation_fn : undefined;
  const usual = crossed && (columns === 1 ? 'Sigmoid' : 'Identity');
  const named = crossed?.activation_fn ?? own ?? config?.sbert_ce_default_activation_function ?? usual;
  if (named === undefined) return undefined;
  const name = typeof named === 'string' ? named.slice(named.lastIndexOf('.') + 1) : '';
  if (name === 'Sigmoid') {
    const output = { activation: 'sigmoid' as const };
    return columns === 1 ? { labels: ['no', 'yes'], output } : { output, decision: { kind: 'multi-label', at: 0.5 } };
  }
  // The largest of several logits decides, with or without a softmax.
  if (name === 'Identity') return columns === 1 ? { output: {}, decision: { kind: 'regression' } } : undefined;
  throw new ModelError(
    `${path}: the activation of a cross-encoder: expected Identity or Sigmoid, got ${JSON.stringify(named).slice(0, 200)}`,
    {
      code: 'MODEL_OUTPUT_MISMATCH',
      hint: 'Say how its scores are read in a robust.json beside it: "output": { "activation": "softmax" | "sigmoid" | "none" }, "labels": [...].',
    },
  );
}

const prompted = (path: string, name: unknown): ModelError =>
  new ModelError(
    `${path}: a cross-encoder: expected no default_prompt_name, got ${JSON.stringify(name).slice(0, 100)}`,
    {
      code: 'MODEL_UNSUPPORTED',
      hint: 'Its texts are put behind a prompt, which is not read. Serve the model where its own code runs.',
    },
  );

/** @file An ONNX file and its tokenizer as a classifier: cache, encoder, queue, workers. */
import { availableParallelism } from 'node:os';
import { ModelError } from '../core/errors.js';
import { activate, type OutputRule } from './activation.js';
import { Cached } from './cached.js';
import { type Description, describe } from './describe.js';
import { createEncoder, type Encoder } from './encoder.js';
import { fingerprint, stamp } from './fingerprint.js';
import { graphFacts } from './graph-facts.js';
import type { LoadedModel, LoadOptions } from './load.js';
import type { Activation } from './manifest.js';
import { WorkerPool } from './pool.js';
import { type Probe, probe } from './probe.js';
import { InferenceQueue } from './queue.js';
import type { OnnxFiles } from './resolve.js';
import { wire } from './wiring.js';

/** Texts per run: from 8 on a batch gains nothing more per text. Measured by bench/inference.ts. */
const BATCH = 16;
const CACHE_ENTRIES = 32_768;

export interface OnnxModel extends LoadedModel {
  readonly encoder: Encoder;
  readonly description: Description;
  readonly rule: OutputRule;
}

export async function openOnnx(files: OnnxFiles, options: LoadOptions): Promise<OnnxModel> {
  const description = await describe(files);
  const facts = await graphFacts(description.model);
  const paths = [description.model, ...facts.dataFiles, ...description.companions];
  const before = await stamp(paths);
  let queue: InferenceQueue | undefined;
  const pool = new WorkerPool(description.model, options.workers ?? availableParallelism(), () => queue?.wake());
  try {
    const [sha256, ports] = await Promise.all([fingerprint(description.folder, paths), pool.open()]);
    const wiring = wire(description, ports, 0);
    const limits = [description.maximum, wiring.fixedLength].filter((limit) => limit !== undefined);
    const encoder = await createEncoder(description, limits.length > 0 ? Math.min(...limits) : undefined);
    const largest = wiring.fixedBatch ?? options.batchSize ?? BATCH;
    const probed = await probe(pool, wiring, encoder, largest);
    const rule = outputRule(description, probed);
    const labels = labelNames(description, rule, options.labels);
    const alone = facts.quantisesBatches || !probed.independent;
    if (alone && largest > 1) {
      options.onWarning?.(
        `${files.name}: a text's answer depends on the others in its batch${facts.quantisesBatches ? ' (the graph quantises whole batches)' : ''}, so each text is run alone, which is slower`,
      );
    }
    if ((await stamp(paths)) !== before) throw changed(description);
    queue = new InferenceQueue(pool, wiring, rule, alone ? 1 : largest);
    return classifier({ description, paths, sha256, encoder, rule, labels, queue, pool, options });
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function classifier(parts: {
  description: Description;
  paths: readonly string[];
  sha256: string;
  encoder: Encoder;
  rule: OutputRule;
  labels: readonly string[];
  queue: InferenceQueue;
  pool: WorkerPool;
  options: LoadOptions;
}): OnnxModel {
  const { description, encoder, queue, pool, options } = parts;
  let truncated = 0;
  const cache = new Cached((text) => {
    const encoded = encoder.encode(text);
    if (encoded.truncated) truncated++;
    return queue.ask(text, encoded.ids);
  }, options.cacheEntries ?? CACHE_ENTRIES);
  return {
    name: description.name,
    sha256: parts.sha256,
    paths: parts.paths,
    labels: parts.labels,
    maximumTokens: encoder.maximum,
    encoder,
    description,
    rule: parts.rule,
    classify: (texts) => Promise.all(texts.map((text) => cache.ask(text))),
    figures: () => ({ ...queue.figures, truncated }),
    close: async () => {
      if (truncated > 0) {
        options.onWarning?.(
          `${description.name}: ${truncated} ${truncated === 1 ? 'text was' : 'texts were'} longer than ${encoder.maximum} tokens and lost the rest`,
        );
      }
      await pool.close();
    },
  };
}

function outputRule(model: Description, { width, rows }: Probe): OutputRule {
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
  if (probabilities.some((p) => !(p >= 0 && p <= 1))) {
    throw new ModelError(
      `${model.model}: expected probabilities in [0, 1], got ${Array.from(rows[0] ?? []).join(', ')}`,
      {
        code: 'MODEL_OUTPUT_RANGE',
        hint: 'If these are logits, say "output": { "activation": "softmax" } in the robust.json.',
      },
    );
  }
  return rule;
}

/** Logits never sum to exactly 1 in every row: outputs that do are probabilities already. */
function likelyActivation(width: number, rows: readonly Float32Array[]): Activation {
  if (width === 1) return 'sigmoid';
  const sums = rows.map((row) => row.reduce((a, b) => a + b, 0));
  return rows.every((row, at) => Math.abs(sums[at]! - 1) < 1e-4 && row.every((p) => p >= 0)) ? 'none' : 'softmax';
}

function labelNames(
  model: Description,
  { width }: OutputRule,
  override: readonly string[] | undefined,
): readonly string[] {
  const wanted = Math.max(2, width);
  const labels = override ?? model.labels ?? Array.from({ length: wanted }, (_, at) => `LABEL_${at}`);
  if (labels.length === wanted) return labels;
  throw new ModelError(
    `${model.model}: expected ${wanted} label names for its ${width === 1 ? 'single score' : `${width} columns`}, got ${labels.length} (${labels.slice(0, 10).join(', ')})`,
    {
      code: 'LABEL_COUNT',
      hint: 'Name every column, in order, in config.json (id2label) or in a robust.json (labels).',
    },
  );
}

const changed = (model: Description): ModelError =>
  new ModelError(`${model.folder}: the model's files changed while they were being loaded`, {
    code: 'MODEL_CHANGED',
    hint: 'Wait until whatever writes them is done, then run again.',
  });

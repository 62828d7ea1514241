/**
 * @file Measures a training step as multiples of the forward pass of the same model in the same process. Run:
 * npm run bench dist/bench/training-step.js [--large]. Prints medians of the forward pass of the graph as exported (weights constant, all
 * rows of the last block), and of the rows that are read. Further medians are forward and backward to all weights (weights fed), masks,
 * clipping and AdamW, and the whole step. One thread; processor time, because other work may share the cores. Aim: at most 4.2.
 */

import { gradientOf } from '../packages/onnx/src/autodiff/gradient-graph.js';
import type { Feed } from '../packages/onnx/src/graph/tensor.js';
import { random } from '../src/core/random.js';
import type { Engine } from '../src/gradient/white-box/engine.js';
import { onnxEngine } from '../src/gradient/white-box/onnx-engine.js';
import { withPrunedRows } from '../src/model/graph/row-pruning.js';
import { tokenValues } from '../src/model/workers/feeds.js';
import { AdamW } from '../src/train/adamw.js';
import { distilbert, type EncoderSize } from '../src/train/architectures/encoder.js';
import { inputFeeds, maskFeeds, padBatch, targetFeeds } from '../src/train/batch-feeds.js';
import { GradientSums } from '../src/train/gradients.js';
import { fresh } from '../src/train/trainable-model.js';

const SEQUENCE = 32;
const small = { layers: 4, dim: 256, heads: 4, feedForward: 1024, vocabulary: 8000, maxTokens: 128 };
const base = { layers: 6, dim: 768, heads: 12, feedForward: 3072, vocabulary: 30522, maxTokens: 512 };

async function measure(name: string, size: EncoderSize, batch: number, dropout: number | undefined, rounds: number) {
  const draw = random(1, 'bench');
  const trainable = fresh(distilbert(size), draw.split('weights'), {
    labels: 2,
    ...(dropout !== undefined && { dropout: { embedding: dropout, hidden: dropout } }),
  });
  const engine: Engine = onnxEngine();
  const names = trainable.parameters.map((parameter) => parameter.name);
  const rows = new Map(trainable.lookups.map((lookup) => [lookup.table, lookup.rows]));
  const inference = await engine.forward(trainable.plain, ['logits'], []);
  const pruned = await engine.forward(withPrunedRows(trainable.plain) ?? trainable.plain, ['logits'], []);
  const backward = await engine.backward(
    trainable.graph,
    [trainable.loss],
    names,
    trainable.loss,
    names.map((each) => rows.get(each) ?? each),
  );
  const texts = Array.from({ length: batch }, () =>
    Int32Array.from({ length: SEQUENCE }, () => 5 + draw.int(size.vocabulary - 5)),
  );
  const tokens = padBatch(texts, 0);
  const targets = targetFeeds(
    Float32Array.from({ length: 2 * batch }, (_, at) => at % 2),
    new Float32Array(batch).fill(1 / batch),
  );
  const optimiser = new AdamW(trainable.parameters);
  const gradients = new GradientSums(trainable.parameters);
  const times: Record<string, number[]> = {
    forward: [],
    pruned: [],
    masks: [],
    backward: [],
    bookkeeping: [],
    adamw: [],
    step: [],
  };
  const clock = async <T>(part: string, work: () => T | Promise<T>): Promise<T> => {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    times[part].push((user + system) / 1000);
    return result;
  };
  for (let round = 0; round < rounds; round++) {
    await clock('forward', () => inference.run(inputFeeds(trainable, tokens)));
    await clock('pruned', () => pruned.run(inputFeeds(trainable, tokens)));
    await clock('step', async () => {
      const masks = await clock('masks', () => maskFeeds(trainable.masks, tokens, draw.split(String(round))));
      const feeds = new Map<string, Feed>([
        ...trainable.parameters.map(({ name, dims, values }) => [name, { type: 1, dims, data: values }] as const),
        ...inputFeeds(trainable, tokens),
        ...targets,
        ...masks,
      ]);
      const out = await clock('backward', () => backward.run(feeds));
      const norm = await clock('bookkeeping', () => {
        gradients.clear();
        for (const { name, table } of trainable.parameters) {
          if (!table) gradients.add(name, out.get(gradientOf(name)) as Float32Array);
        }
        for (const { table, role, rows: name } of trainable.lookups) {
          gradients.scatter(table, tokenValues(role, tokens, tokens), out.get(gradientOf(name)) as Float32Array);
        }
        return gradients.norm();
      });
      await clock('adamw', () => optimiser.step(gradients, 1e-5, Math.min(1, 1 / norm)));
    });
  }
  await inference.release();
  await pruned.release();
  await backward.release();
  const median = (part: string) => times[part].slice(2).sort((a, b) => a - b)[(rounds - 2) >> 1];
  const forward = median('forward');
  const parts = Object.keys(times).map(
    (part) => `${part} ${median(part).toFixed(1)} ms (${(median(part) / forward).toFixed(2)})`,
  );
  console.log(`${name}, batch ${batch}, dropout ${dropout ?? 0}: ${parts.join(', ')}`);
}

for (const dropout of [undefined, 0.1]) await measure('4x256', small, 16, dropout, 33);
if (process.argv.includes('--large')) {
  await measure('DistilBERT-base', base, 8, undefined, 13);
}

/** A model whose weights are kept once and fed at each run answers as one whose weights are in its graph. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFolder } from '../../bench/models.js';
import { gradientOf } from '../../packages/onnx/src/autodiff/gradient-graph.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { readModel } from '../../packages/onnx/src/graph/read.js';
import type { Feed } from '../../packages/onnx/src/graph/tensor.js';
import { lookupOf } from '../../src/gradient/white-box/lookup.js';
import { appendLoss, TARGET } from '../../src/gradient/white-box/loss.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';

const folder = mkdtempSync(join(tmpdir(), 'large-model-'));

test('85 MB of weights', async () => {
  const shape = { layers: 3, dim: 768, heads: 12, ffn: 3072, vocabulary: 500, positions: 32, labels: 2 };
  writeFolder(folder, shape);
  const model = await loadModel(folder, { workers: 1 });
  const box = await openWhiteBox(model, { workers: 1 });
  const { loss, values, tokens } = await box.gradient('w3 w7 w77 w2 w400', 1);
  const [own] = await model.classify(['w3 w7 w77 w2 w400']);
  expect(loss).toBeCloseTo(-Math.log(own![1]!), 4);

  const whole = readModel(readFileSync(join(folder, 'model.onnx')));
  const rule = { activation: 'softmax', normalise: false, width: 2 } as const;
  const lossy = appendLoss(whole, 'logits', rule);
  const { rows } = lookupOf(whole.graph, 'input_ids');
  const runner = await onnxEngine().backward(lossy.model, [], [], lossy.losses, [rows]);
  const ints = (data: readonly number[]): Feed => ({
    type: DataType.int64,
    dims: [1, data.length],
    data: BigInt64Array.from(data, BigInt),
  });
  const feeds = new Map<string, Feed>([
    ['input_ids', ints(tokens.map(({ id }) => id))],
    ['attention_mask', ints(tokens.map(() => 1))],
    [TARGET, { type: DataType.float, dims: [1, 2], data: Float32Array.of(0, 1) }],
  ]);
  const expected = (await runner.run(feeds)).get(gradientOf(rows))!;
  const scale = Math.max(...expected.map(Math.abs));
  values.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-4 * scale);
  });
  await runner.release();
  await box.close();
  await model.close();
});

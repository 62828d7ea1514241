/** Training computes the last block for the one row that the head reads: the gradients are those of the whole graph. */
import { expect, test } from 'vitest';
import { gradientOf } from '../../packages/onnx/src/autodiff/gradient-graph.js';
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { Model } from '../../packages/onnx/src/graph/model.js';
import type { Feed } from '../../packages/onnx/src/graph/tensor.js';
import { random } from '../../src/core/random.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { withPrunedRows } from '../../src/model/graph/row-pruning.js';
import { draw } from '../../src/train/architectures/architecture-builder.js';
import { bert, distilbert } from '../../src/train/architectures/encoder.js';
import { appendLoss, IMPORTANCE, TARGETS } from '../../src/train/loss.js';

const SIZE = { layers: 2, dim: 32, heads: 4, feedForward: 64, vocabulary: 50, maxTokens: 16 };
const TEXTS = 3;
const TOKENS = 7;

test.each([distilbert(SIZE), bert(SIZE)])('$name with dropout', async (architecture) => {
  const { model } = draw(architecture, 2, random(3, 'weights'), { dropout: { embedding: 0.1, hidden: 0.1 } });
  const pruned = withPrunedRows(model) as Model;
  expect(pruned).toBeDefined();
  const wrt = Array.from(model.graph.initializers.values())
    .filter(({ type, size }) => type === DataType.float && size > 1)
    .map(({ name }) => name);
  const [whole, row] = [await gradients(model, wrt), await gradients(pruned, wrt)];
  for (const name of wrt) {
    const [expected, actual] = [whole.get(gradientOf(name))!, row.get(gradientOf(name))!];
    const apart = Math.hypot(...expected.map((value, at) => value - actual[at]));
    expect(apart, name).toBeLessThan(1e-6 + 1e-5 * Math.hypot(...expected));
  }
});

async function gradients(model: Model, wrt: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
  const g = new GraphBuilder({ base: model });
  const loss = appendLoss(g, 'logits', 2, 'softmax');
  const runner = await onnxEngine().backward(g.model(), [loss], [], loss, wrt);
  const draws = random(5, 'feeds');
  const sizes: Readonly<Record<string, number>> = { batch: TEXTS, sequence: TOKENS };
  const feeds = new Map<string, Feed>();
  for (const { name, type, dims = [] } of g.model().graph.inputs) {
    const shape = dims.map((dim) => (typeof dim === 'number' ? dim : sizes[String(dim)]));
    const size = shape.reduce((product, dim) => product * dim, 1);
    const value = (at: number): number =>
      name === 'attention_mask' ? 1 : name === 'input_ids' ? 5 + ((7 * at) % 40) : 0;
    const whole = () => BigInt64Array.from({ length: size }, (_, at) => BigInt(value(at)));
    const real = () =>
      Float32Array.from({ length: size }, (_, at) =>
        name === TARGETS ? at % 2 : name === IMPORTANCE ? 1 / TEXTS : draws.unit() < 0.1 ? 0 : 1 / 0.9,
      );
    feeds.set(name, { type, dims: shape, data: type === DataType.float ? real() : whole() });
  }
  const out = new Map(Array.from(await runner.run(feeds), ([name, values]) => [name, values.slice()]));
  await runner.release();
  return out;
}

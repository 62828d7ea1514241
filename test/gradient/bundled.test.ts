/** The assumptions of attacks on embeddings, checked on the bundled models and reviews. */
import { afterAll, describe, expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { getOrCompute } from '../../src/core/get-or-compute.js';
import { meanRowNorm } from '../../src/core/row-norm.js';
import { type OpenWhiteBox, openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { ascent, type EmbeddedText, move } from '../../src/search/embedding.js';
import { covered } from '../cover.js';

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of open.reverse()) await each.close();
});

interface Victim {
  readonly model: LoadedModel;
  readonly inside: OpenWhiteBox;
}
const victims = new Map<string, Promise<Victim>>();
const victim = (name: string, engine: 'onnx' | 'tfjs'): Promise<Victim> =>
  getOrCompute(victims, `${name} ${engine}`, () => opened(name, engine));

async function opened(name: string, engine: 'onnx' | 'tfjs'): Promise<Victim> {
  const model = await loadModel(name, { workers: 1 });
  open.push(model);
  const inside = await openWhiteBox(model, { engine, workers: 1 });
  open.push(inside);
  return { model, inside };
}

async function reviews(labels: readonly string[], count: number) {
  const found = [];
  for await (const example of (await openDataset('reviews', { labels })).examples()) {
    found.push(example);
    if (found.length === count) break;
  }
  return found;
}

function relative(actual: Float32Array, expected: Float32Array): number {
  const norm = Math.hypot(...expected);
  return Math.hypot(...actual.map((value, k) => value - expected[k])) / norm;
}

describe.each(covered(['bert-mini', 'distilbert', 'char-bilstm'], 0, 2))('%s', (name) => {
  test('TF.js and the appended backward graph agree on loss and gradient', async () => {
    const { model, inside } = await victim(name, 'onnx');
    const { inside: other } = await victim(name, 'tfjs');
    for (const { text, label } of await reviews(model.labels, 4)) {
      const [a, b] = [await inside.gradient(text, label), await other.gradient(text, label)];
      expect(Math.abs(a.loss - b.loss)).toBeLessThan(1e-5);
      expect(relative(a.values, b.values)).toBeLessThan(1e-5);
    }
  });

  test('the loss rises along the gradient for small steps on at least 95 % of texts', async () => {
    const { model, inside } = await victim(name, 'onnx');
    const table = await inside.embeddingTable();
    let rising = 0;
    const examples = await reviews(model.labels, 20);
    for (const { text, label } of examples) {
      const { tokens, embeddings, values } = await inside.gradient(text, label);
      const place: EmbeddedText = {
        tokens,
        embeddings,
        hidden: inside.hidden,
        unit: meanRowNorm(table, inside.hidden),
      };
      const uphill = ascent(place, values, 'linf');
      const steps = [0, 0.005, 0.01, 0.02].map((size) => move(place, uphill, size));
      const losses = (await inside.classifyEmbeddings(steps, tokens)).map((row) => -Math.log(row[label]));
      if (losses.every((loss, i) => i === 0 || loss >= losses[i - 1] - 1e-6)) rising++;
    }
    expect(rising / examples.length).toBeGreaterThanOrEqual(0.95);
  });
});

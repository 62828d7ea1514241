/** Hidden states: the last layer, applied to them by hand, gives the model's own answers. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { openHiddenStates } from '../../src/model/classifiers/hidden-states.js';
import { loadModel } from '../../src/model/load.js';
import { openModelFile } from '../../src/train/model-file.js';
import { headOf } from '../../src/train/trained-weights.js';

const TEXTS = ['a lovely film', 'dull and far too long for what it has to say', 'fine', ''];

test.each(['bert-mini', 'distilbert'])('of %s', async (name) => {
  const model = await loadModel(name, { workers: 1 });
  const hidden = await openHiddenStates(model, 1);
  onTestFinished(async () => {
    await hidden.close();
    await model.close();
  });
  const [rows, states] = [await model.classify(TEXTS), await hidden.states(TEXTS)];
  const { graph } = (await openModelFile(join(packageRoot, 'models', name, 'model.onnx'))).model;
  const head = headOf(graph, 'logits').map((weight) => graph.initializers.get(weight)!);
  const weights = head.find(({ dims }) => dims.length === 2)!;
  const bias = head.find(({ dims }) => dims.length === 1)!.floats();
  const [first] = weights.dims;
  const values = weights.floats();
  const at = (label: number, k: number): number =>
    (first === 2 ? values[label * hidden.width + k] : values[k * 2 + label])!;
  states.forEach((state, text) => {
    expect(state).toHaveLength(hidden.width);
    const [a, b] = [0, 1].map((label) => state.reduce((sum, x, k) => sum + x * at(label, k), bias[label]!)) as [
      number,
      number,
    ];
    expect(1 / (1 + Math.exp(a - b))).toBeCloseTo(rows[text]![1]!, 4);
  });
});

test('a model without a graph has none', async () => {
  const model = await loadModel(join(packageRoot, 'test', 'commands', 'toy-classifier.mjs'));
  await expect(openHiddenStates(model)).rejects.toThrow(/expected a local ONNX model of token ids for hidden states/);
});

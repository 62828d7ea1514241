/** Exports of every family, trained for some steps and saved: they learn, load again, and what a model shares stays shared. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { users } from '../../packages/onnx/src/graph/edit.js';
import { loadModel } from '../../packages/onnx/src/graph/load.js';
import type { Dataset } from '../../src/core/dataset.js';
import { loadModel as loadClassifier } from '../../src/model/load.js';
import { trainModel } from '../../src/train/index.js';
import { goldens } from '../model/goldens.js';
import { folder, OPTIONS } from './toy.js';

const texts = [
  'A fine film.',
  'What a dull story!',
  'not bad , not good',
  'the whole cast is good and the plot is not',
  'Dull.',
  'What a great and moving performance by the whole cast!',
];

function data(labels: readonly string[]): Dataset {
  return {
    name: 'some texts',
    labels,
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      for (const [at, text] of texts.entries()) yield { id: String(at), text, label: at % labels.length };
    },
  };
}

/** Weights that several nodes read, or look up through an Identity. */
function sharedReads(graph: Parameters<typeof users>[0]): number {
  const read = users(graph);
  const real = [...graph.initializers.values()].filter(({ dims, type }) => dims.length === 2 && type === 1);
  return real.filter(({ name }) => (read.get(name)?.length ?? 0) > 1).length;
}

/** Each with something of its own: shared layers, a decoder, computed look-ups, transposed ids, positions from the padding on. */
const FAMILIES = ['albert', 'bart', 'deberta-v2', 'gpt2', 'modernbert', 'roberta', 'xlnet'];
const families = goldens.filter(({ name }) => FAMILIES.includes(name));

describe.skipIf(families.length === 0)('exports of transformers (absent: ../shared/goldens/transformers)', () => {
  test.each(families.map((golden) => [golden.name, golden] as const))('%s', async (name, golden) => {
    const output = folder();
    const labels = ['LABEL_0', 'LABEL_1', 'LABEL_2'];
    const history = await trainModel({
      start: { kind: 'existing', model: golden.folder, part: 'all', load: { workers: 1 } },
      train: data(labels),
      validation: data(labels),
      options: { ...OPTIONS, epochs: 6, batchSize: 3, rate: 5e-3 },
      output,
      folder: join(output, 'training'),
      resume: false,
    });
    const losses = history.points.map(({ loss }) => loss);
    expect(losses.at(-1)).toBeLessThan(0.85 * losses[0]!);
    const trained = await loadClassifier(output, { workers: 1 });
    try {
      const rows = await trained.classify(texts);
      expect(rows.flatMap((row) => [...row]).every(Number.isFinite)).toBe(true);
    } finally {
      await trained.close();
    }
    if (name !== 'albert') return;
    const [before, after] = [
      await loadModel(join(golden.folder, 'model.onnx')),
      await loadModel(join(output, 'model.onnx')),
    ];
    expect(sharedReads(after.graph)).toBe(sharedReads(before.graph));
  });
});

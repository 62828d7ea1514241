/** @file The use cases: a checkpoint converted into a folder and checked, what is kept listed and removed, an encoder given a new head. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { convertCheckpoint } from '../../packages/onnx/src/convert/index.js';
import { saveModel } from '../../packages/onnx/src/convert/save.js';
import { loadModel as readModelFile } from '../../packages/onnx/src/graph/load.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';
import { safetensorsBytes, valuesOf } from '../../packages/onnx/test/convert/checkpoints.js';
import { tinyConfig, tinyFiles, tinyTensors } from '../../packages/onnx/test/convert/tiny-bert.js';
import { convert } from '../../src/app/convert.js';
import { keptModels, removeModels } from '../../src/app/models.js';
import { train } from '../../src/app/train.js';
import { packageRoot } from '../../src/core/package-root.js';
import { loadModel } from '../../src/model/load.js';
import { OrtSession } from '../../src/model/workers/session.js';
import { refusal } from '../refusal.js';

const root = mkdtempSync(join(tmpdir(), 'robust-convert-'));
const fresh = (): string => mkdtempSync(join(root, 'x-'));
const cache = join(root, 'hub');
const hub = { cache };

function source(config = tinyConfig, tensors = tinyTensors): string {
  const folder = fresh();
  for (const [name, content] of Object.entries(tinyFiles)) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(tensors));
  return folder;
}

test('a check refuses keys of config.json that are neither read nor known to change nothing', async () => {
  const config = { ...tinyConfig, attention_sinks: 4, layer_types: ['sliding_attention'], use_cache: true, top_k: 5 };
  const given = { source: source(config), output: join(fresh(), 'out') };
  await refusal(convert({ ...given, check: true }));
  const { options } = await convert(given);
  expect(options.unknown).toEqual(['attention_sinks', 'layer_types']);
});

test('a folder that is a model, checked against the export beside its source', async () => {
  const folder = source();
  const output = join(fresh(), 'out');
  const alone = await convert({ source: folder, output, check: true });
  expect(alone).toMatchObject({
    family: 'bert',
    task: 'classify',
    check: { reference: null, fromReference: null, texts: 2 },
  });
  expect(alone.check?.inCompany).toBeLessThan(1e-5);
  const model = await loadModel(output, { workers: 1 });
  expect(model.labels).toEqual(['no', 'yes']);
  await model.close();

  copyFileSync(join(output, 'model.onnx'), join(folder, 'model.onnx'));
  await expect(convert({ source: folder, output })).rejects.toMatchObject({ code: 'OUTPUT_TAKEN', exit: 2 });
  const both = await convert({ source: folder, output, check: true, force: true });
  expect(both.check).toMatchObject({ reference: join(folder, 'model.onnx'), fromReference: 0 });

  const other = new Map([...tinyTensors, ['classifier.bias', { dims: [2], values: Float32Array.of(3, -3) }]]);
  writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(other));
  await expect(convert({ source: folder, output, check: true, force: true })).rejects.toMatchObject({
    code: 'MODEL_DAMAGED',
    exit: 3,
  });
});

const goldens = join(packageRoot, '..', 'shared', 'goldens', 'transformers');
test.skipIf(!existsSync(goldens))(
  '--check finds no fault where the reference itself reads padding (skipped without ../shared)',
  async () => {
    const folder = fresh();
    for (const name of ['model.safetensors', 'tokenizer.json', 'tokenizer_config.json'])
      copyFileSync(join(goldens, 'xlnet', name), join(folder, name));
    const config = JSON.parse(readFileSync(join(goldens, 'xlnet', 'config.json'), 'utf8'));
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, summary_type: 'mean' }));
    const { check } = await convert({ source: folder, output: join(fresh(), 'out'), check: true });
    expect(check?.inCompany).toBeLessThan(1e-4);
  },
);

test('halves take less, and answer nearly the same', async () => {
  const wide = { ...tinyConfig, vocab_size: 4000 };
  const name = 'bert.embeddings.word_embeddings.weight';
  const tensors = new Map([...tinyTensors, [name, { dims: [4000, 4], values: valuesOf(name, [4000, 4]) }]]);
  const [full, half] = [join(fresh(), 'full'), join(fresh(), 'half')];
  await convert({ source: source(wide, tensors), output: full });
  await convert({ source: source(wide, tensors), output: half, precision: 'fp16', check: true });
  const size = (folder: string) => statSync(join(folder, 'model.onnx')).size;
  expect(size(half) / size(full)).toBeLessThan(0.65);
});

test('large weights lie in a file of their own, and the graph is the same', async () => {
  const { model } = convertCheckpoint(source(), tinyConfig);
  const path = join(fresh(), 'model.onnx');
  // A limit of a kilobyte instead of a gigabyte, so that a tiny model has large weights.
  const large = { ...model, graph: { ...model.graph } };
  const wide = convertCheckpoint(
    source(
      { ...tinyConfig, vocab_size: 1000 },
      new Map([
        ...tinyTensors,
        ['bert.embeddings.word_embeddings.weight', { dims: [1000, 4], values: valuesOf('w', [1000, 4]) }],
      ]),
    ),
    { ...tinyConfig, vocab_size: 1000 },
  ).model;
  saveModel(large, path, { ownFile: 1e9 });
  expect(existsSync(`${path}_data`)).toBe(false);
  saveModel(wide, path, { ownFile: 1e3 });
  expect(statSync(`${path}_data`).size).toBe(16_000);
  const back = await readModelFile(path);
  expect(back.graph.initializers.get('bert.embeddings.word_embeddings.weight')?.floats()).toEqual(
    valuesOf('w', [1000, 4]),
  );
  const session = await OrtSession.open({ source: path });
  await session.release();
  expect(writeModel(wide).length).toBeGreaterThan(16_000);
});

test('what is kept is listed, and removed by its name', async () => {
  const model = await loadModel(source(), { workers: 1, hub });
  await model.close();
  for (const folder of ['models--org--name', 'datasets--org--texts']) {
    const repository = join(cache, folder, 'blobs');
    mkdirSync(repository, { recursive: true });
    writeFileSync(join(repository, 'x'), '12345');
  }
  const kept = keptModels({ hub });
  expect(kept.map(({ kind, bytes }) => [kind, bytes > 4])).toEqual([
    ['hub', true],
    ['data', true],
    ['converted', true],
  ]);
  expect(kept[0]).toMatchObject({ name: 'hf:org/name', bytes: 5 });
  expect(kept[1]).toMatchObject({ name: 'hf:org/texts', bytes: 5 });
  expect(kept[2]?.source).toMatch(/\(bert\)$/);
  expect(() => removeModels('hf:org/nam', { hub })).toThrow(
    expect.objectContaining({ code: 'MODEL_NOT_FOUND', hint: 'Did you mean "hf:org/name"?' }),
  );
  expect(removeModels('hf:org/name', { hub })).toHaveLength(1);
  expect(removeModels('hf:org/texts', { hub })).toHaveLength(1);
  expect(removeModels('converted', { hub })).toHaveLength(1);
  expect(keptModels({ hub })).toEqual([]);
  expect(removeModels('converted', { hub })).toEqual([]);
});

test('an encoder with a new head learns', async () => {
  const encoder = source(
    { ...tinyConfig, architectures: ['BertModel'], id2label: undefined },
    new Map([...tinyTensors].filter(([name]) => !name.startsWith('classifier'))),
  );
  const data = join(fresh(), 'data.tsv');
  const rows = Array.from({ length: 40 }, (_, at) => (at % 2 ? 'good film\tfine' : 'bad film\ttoxic'));
  writeFileSync(data, `text\tlabel\n${rows.join('\n')}\n`);
  const output = join(fresh(), 'mine');
  const settings = { model: encoder, labels: 'toxic,fine', data, output, epochs: 12, lr: 0.02, batchSize: 8, hub };
  const { clean, comparison } = await train(settings);
  expect(clean.accuracy.value).toBe(1);
  expect(comparison).toBeUndefined();
  const { id2label, architectures } = JSON.parse(readFileSync(join(output, 'config.json'), 'utf8'));
  expect({ id2label, architectures }).toEqual({
    id2label: { 0: 'toxic', 1: 'fine' },
    architectures: ['BertForSequenceClassification'],
  });
  await expect(train({ ...settings, labels: 'one', output: join(fresh(), 'y') })).rejects.toMatchObject({
    code: 'FLAG_INVALID',
    exit: 2,
  });
  await expect(train({ ...settings, model: undefined, output: join(fresh(), 'z') })).rejects.toMatchObject({
    code: 'FLAG_INVALID',
  });
});

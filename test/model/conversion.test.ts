/** @file A model without ONNX is converted when it is loaded: once, wherever it comes from, and it says so. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkpoint, safetensorsBytes } from '../../packages/onnx/test/convert/checkpoints.js';
import { tinyConfig, tinyFiles, tinyTensors } from '../../packages/onnx/test/convert/tiny-bert.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { conversions } from '../../src/model/opening/conversion.js';
import { lasting } from '../calibration.js';
import { type FakeHub, fakeHub } from './fake-hub.js';

const root = mkdtempSync(join(tmpdir(), 'robust-conversion-'));
let hub: FakeHub | undefined;
afterEach(async () => await hub?.close());

const weights = safetensorsBytes(tinyTensors);
const texts = ['a good film', 'a bad film'];

/** A checkpoint in a folder of its own, named `model` in all of them. */
function local(): string {
  const folder = join(mkdtempSync(join(root, 'folder-')), 'model');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(tinyFiles)) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, 'model.safetensors'), weights);
  return folder;
}

async function loaded<T>(spec: string, cache: string, use: (model: LoadedModel) => Promise<T>, more = {}) {
  const notes: string[] = [];
  const model = await loadModel(spec, { workers: 1, hub: { cache, ...more }, onNote: (line) => notes.push(line) });
  try {
    return { notes, result: await use(model), sha256: model.sha256, labels: model.labels };
  } finally {
    await model.close();
  }
}

test('a folder: once, and the same from another folder and another cache', async () => {
  const [one, two] = [join(root, 'one', 'hub'), join(root, 'two', 'hub')];
  const classify = (model: LoadedModel) => model.classify(texts);
  const first = await loaded(local(), one, classify);
  expect(first.labels).toEqual(['no', 'yes']);
  expect(first.notes).toHaveLength(1);
  expect(first.notes[0]).toMatch(
    /^model: its model\.safetensors \(bert\) was converted to ONNX in [\d.]+ s and is kept in /,
  );
  const again = await loaded(local(), one, classify);
  expect(again.notes).toEqual([]);
  const elsewhere = await loaded(local(), two, classify);
  expect(elsewhere.notes).toHaveLength(1);
  expect([again, elsewhere].map(({ result, sha256 }) => ({ result, sha256 }))).toEqual(
    [first, first].map(({ result, sha256 }) => ({ result, sha256 })),
  );
  expect(readdirSync(conversions(one))).toHaveLength(1);
});

test('several at a time: all load, one conversion stays', async () => {
  const cache = join(root, 'many', 'hub');
  const folder = local();
  const models = await Promise.all([1, 2, 3].map(() => loaded(folder, cache, (model) => model.classify(texts))));
  expect(new Set(models.map(({ sha256 }) => sha256)).size).toBe(1);
  expect(readdirSync(conversions(cache))).toHaveLength(1);
});

test('other weights are another conversion', async () => {
  const cache = join(root, 'other', 'hub');
  const folder = local();
  const before = await loaded(folder, cache, (model) => model.classify(texts));
  const turned = new Map(
    [...tinyTensors].map(([name, { dims, values }]) => [name, { dims, values: values.map((x) => -x) }]),
  );
  writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(turned));
  const after = await loaded(folder, cache, (model) => model.classify(texts));
  expect(after.result).not.toEqual(before.result);
  expect(readdirSync(conversions(cache))).toHaveLength(2);
});

test('a repository of the Hub, in one file and in shards; then offline', async () => {
  const halves = [[...tinyTensors].slice(0, 9), [...tinyTensors].slice(9)].map((part) =>
    safetensorsBytes(new Map(part)),
  );
  const index = { weight_map: { a: 'model-1.safetensors', b: 'model-2.safetensors' } };
  hub = await fakeHub({
    'org/whole': { files: { ...tinyFiles, 'model.safetensors': weights, 'pytorch_model.bin': 'not needed' } },
    'org/parts': {
      files: {
        ...tinyFiles,
        'model.safetensors.index.json': JSON.stringify(index),
        'model-1.safetensors': halves[0] as Buffer,
        'model-2.safetensors': halves[1] as Buffer,
      },
    },
  });
  const cache = join(root, 'hub', 'hub');
  const reach = { endpoint: hub.url, timeout: lasting(5), pause: 1 };
  const classify = (model: LoadedModel) => model.classify(texts);
  const whole = await loaded('hf:org/whole', cache, classify, reach);
  const parts = await loaded('hf:org/parts', cache, classify, reach);
  expect(parts.result).toEqual(whole.result);
  expect(whole.notes.length + parts.notes.length).toBe(2);
  expect(hub.seen.some(({ path }) => path.includes('pytorch_model'))).toBe(false);
  const offline = await loaded('hf:org/whole', cache, classify, { ...reach, offline: true });
  expect(offline.result).toEqual(whole.result);
  expect(offline.notes).toEqual([]);
});

test('an unknown family is refused before its weights are fetched', async () => {
  const files = { ...tinyFiles, 'config.json': '{"model_type": "mamba"}', 'model.safetensors': weights };
  hub = await fakeHub({ 'org/mamba': { files } });
  const reach = { endpoint: hub.url, timeout: lasting(5), pause: 1 };
  await expect(loaded('hf:org/mamba', join(root, 'mamba', 'hub'), async () => {}, reach)).rejects.toMatchObject({
    code: 'MODEL_UNSUPPORTED',
  });
  expect(hub.seen.filter(({ path, method }) => method === 'GET' && path.includes('safetensors'))).toEqual([]);
});

test('a language model is no classifier', async () => {
  const folder = checkpoint({ ...tinyConfig, architectures: ['BertForMaskedLM'] }, tinyTensors);
  writeFileSync(join(folder, 'tokenizer.json'), tinyFiles['tokenizer.json']);
  await expect(loaded(folder, join(root, 'lm', 'hub'), async () => {})).rejects.toMatchObject({
    code: 'TASK_MISMATCH',
  });
});

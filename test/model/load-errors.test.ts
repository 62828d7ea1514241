/** A model that cannot be loaded gives an error with a code and a remedy, and never crashes the process. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { withGraph, withInitializers } from '../../packages/onnx/src/graph/edit.js';
import { Tensor } from '../../packages/onnx/src/graph/tensor.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';
import { safetensorsBytes } from '../../packages/onnx/test/convert/checkpoints.js';
import { ModelError } from '../../src/core/errors.js';
import { packageRoot } from '../../src/core/package-root.js';
import { random } from '../../src/core/random.js';
import { type LoadOptions, loadModel } from '../../src/model/load.js';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';
import { failure, refusal } from '../refusal.js';
import { haveShared, victims } from './shared.js';
import { roberta, unigram } from './tokenizers.js';
import { config, external, folder, toyFolder, toyGraph, wordPiece } from './toy.js';

const load = (spec: string, options: LoadOptions = {}) => loadModel(spec, { workers: 1, ...options });

describe('an option that a kind of models does not honour is refused, not ignored', () => {
  const options: Readonly<Record<string, [LoadOptions, string]>> = {
    guard: [{ guard: { prompt: 'Is it safe?', answers: ['yes', 'no'] } }, 'TASK_MISMATCH'],
    int8: [{ precision: 'int8' }, 'PRECISION_UNSUPPORTED'],
    device: [{ device: 'webgpu' }, 'DEVICE_UNSUPPORTED'],
    windows: [{ windows: { by: 'max' } }, 'WINDOWS_UNSUPPORTED'],
    tags: [{ decision: 'tags' }, 'TASK_MISMATCH'],
  };
  const kinds: [what: string, spec: string, honoured: string[]][] = [
    ['a module', join(packageRoot, 'test', 'commands', 'toy-classifier.mjs'), []],
    ['an endpoint', 'kserve+http://127.0.0.1:9/v2/models/none', ['tags']],
  ];
  const cases = kinds.flatMap(([what, spec, honoured]) =>
    Object.keys(options)
      .filter((option) => !honoured.includes(option))
      .map((option) => [option, what, spec] as const),
  );
  test.each(cases)('%s of %s', async (option, _, spec) => {
    const [given, code] = options[option]!;
    await refusal(load(spec, given), code);
  });
});

test('names that nothing bears', async () => {
  for (const spec of ['distilbrt', 'ftp://somewhere/model', join(folder({ 'data.csv': 'a,b' }), 'data.csv')])
    await refusal(load(spec), 'MODEL_NOT_FOUND');
});

describe.skipIf(process.platform === 'win32')('a pipe or a device, whose reading might never end', () => {
  const cwd = folder({ 'config.json': config() });
  for (const name of ['model.onnx', 'victim.mjs', 'victim.bin', 'tokenizer.json'])
    execFileSync('sh', ['-c', `mkfifo "${join(cwd, name)}"`]);
  test.each(['model.onnx', 'victim.mjs', 'victim.bin', '.', '/dev/zero'])('%s', async (name) => {
    await refusal(load(isAbsolute(name) ? name : join(cwd, name)), 'MODEL_DAMAGED');
  });
});

const graph = () => toyGraph().build();
const config3 = config(['a', 'b', 'c']);
const wordIndex = (more: object = {}) => ({
  'robust.json': { labels: ['no', 'yes'], input: { kind: 'word-index', vocabulary: 'words.json', ...more } },
  'words.json': { good: 4, bad: 5 },
});

const cases: [name: string, files: () => Parameters<typeof folder>[0], code: string][] = [
  ['only a file of llama.cpp', () => ({ 'model-q4.gguf': '' }), 'MODEL_DAMAGED'],
  [
    'another number of labels',
    () => toyFiles({ 'config.json': { ...config(['a', 'b']), num_labels: 3 } }),
    'LABELS_MISMATCH',
  ],
  [
    'a number of labels that the graph has not',
    () => toyFiles({ 'config.json': { ...config(['a', 'b']), id2label: undefined, num_labels: 4 } }),
    'LABELS_MISMATCH',
  ],
  ['a label without a name', () => toyFiles({ 'config.json': config(['a', ' ']) }), 'LABELS_MISMATCH'],
  ['an empty folder', () => ({}), 'MODEL_DAMAGED'],
  ['two files of weights', () => ({ 'a.bin': '', 'b.bin': '' }), 'MODEL_DAMAGED'],
  ['weights without config.json', () => ({ 'model.safetensors': '' }), 'MODEL_DAMAGED'],
  [
    'a LoRA adapter',
    () => ({
      'adapter_config.json': '{"peft_type":"LORA","base_model_name_or_path":"org/base"}',
      'adapter_model.safetensors': safetensorsBytes(new Map()),
    }),
    'MODEL_NOT_FOUND',
  ],
  ['no tokenizer', () => ({ 'model.onnx': graph(), 'config.json': config() }), 'TOKENIZER_DAMAGED'],
  ['no model', () => ({ 'tokenizer.json': wordPiece(), 'config.json': config() }), 'MODEL_DAMAGED'],
  ['a text file named .onnx', () => toyFiles({ 'model.onnx': 'I am a poem.\n'.repeat(20) }), 'MODEL_DAMAGED'],
  ['an empty .onnx', () => toyFiles({ 'model.onnx': '' }), 'MODEL_DAMAGED'],
  ['a tokenizer that is no JSON', () => toyFiles({ 'tokenizer.json': '{"model": ' }), 'MODEL_DAMAGED'],
  ['a tokenizer that is a list', () => toyFiles({ 'tokenizer.json': [1] }), 'MODEL_DAMAGED'],
  [
    'a tokenizer that is not UTF-8',
    () => toyFiles({ 'tokenizer.json': Buffer.from([0x7b, 0xff, 0x7d]) }),
    'MODEL_DAMAGED',
  ],
  ['a tokenizer without a model', () => toyFiles({ 'tokenizer.json': {} }), 'TOKENIZER_DAMAGED'],
  [
    'a tokenizer of an unknown kind',
    () => toyFiles({ 'tokenizer.json': { ...wordPiece(), pre_tokenizer: { type: 'Magic' } } }),
    'TOKENIZER_DAMAGED',
  ],
  [
    'a vocabulary whose ids are words',
    () =>
      toyFiles({
        'tokenizer.json': { ...wordPiece(), model: { type: 'WordPiece', unk_token: 'a', vocab: { a: 'x' } } },
      }),
    'TOKENIZER_DAMAGED',
  ],
  ['a config that is no JSON', () => toyFiles({ 'config.json': 'labels: yes' }), 'MODEL_DAMAGED'],
  ['labels with a gap', () => toyFiles({ 'config.json': { id2label: { 0: 'no', 2: 'yes' } } }), 'MODEL_DAMAGED'],
  ['more labels than columns', () => toyFiles({ 'config.json': config3 }), 'LABELS_MISMATCH'],
  [
    'an output that is not there',
    () => toyFiles({ 'robust.json': { output: { name: 'probs' } } }),
    'MODEL_OUTPUT_MISMATCH',
  ],
  [
    'an input that is not there',
    () => toyFiles({ 'robust.json': { input: { kind: 'tokenizer', name: 'ids' } } }),
    'MODEL_INPUT_MISMATCH',
  ],
  [
    'text fed to a graph of ids',
    () => toyFiles({ 'robust.json': { input: { kind: 'string' } } }),
    'MODEL_INPUT_MISMATCH',
  ],
  [
    'logits said to be probabilities',
    () =>
      toyFiles({ 'model.onnx': toyGraph({ last: 'Neg' }).build(), 'robust.json': { output: { activation: 'none' } } }),
    'MODEL_OUTPUT_MISMATCH',
  ],
  [
    'a manifest with a misspelt key',
    () => toyFiles({ 'robust.json': { output: { activaton: 'none' } } }),
    'MANIFEST_INVALID',
  ],
  [
    'a manifest with two faults',
    () => toyFiles({ 'robust.json': { labels: ['one'], input: { kind: 'magic' } } }),
    'MANIFEST_INVALID',
  ],
  ['a manifest whose input has no kind', () => toyFiles({ 'robust.json': { input: {} } }), 'MANIFEST_INVALID'],
  [
    'a manifest with a decision of an unknown kind',
    () => toyFiles({ 'robust.json': { decision: { kind: 'vote' } } }),
    'MANIFEST_INVALID',
  ],
  [
    'a manifest whose model lies outside',
    () => toyFiles({ 'robust.json': { model: '../other.onnx' } }),
    'MODEL_DAMAGED',
  ],
  [
    'a manifest whose model is an absolute path',
    () => toyFiles({ 'robust.json': { model: '/etc/passwd' } }),
    'MODEL_DAMAGED',
  ],
  ['a vocabulary outside', () => toyFiles(wordIndex({ vocabulary: '../words.json' })), 'MODEL_DAMAGED'],
  ['a vocabulary that is not there', () => toyFiles({ ...wordIndex(), 'words.json': undefined }), 'MODEL_DAMAGED'],
  ['a vocabulary without ids', () => toyFiles({ ...wordIndex(), 'words.json': { good: -1 } }), 'MODEL_DAMAGED'],
  ['a pattern that is none', () => toyFiles(wordIndex({ remove: '[' })), 'MANIFEST_INVALID'],
  [
    'a length the graph does not have',
    () => toyFiles({ 'model.onnx': toyGraph({ shape: ['batch', 8] }).build(), ...wordIndex({ length: 9 }) }),
    'MANIFEST_INVALID',
  ],
];

function toyFiles(more: Parameters<typeof folder>[0]): Parameters<typeof folder>[0] {
  return { 'model.onnx': graph(), 'config.json': config(), 'tokenizer.json': wordPiece(), ...more };
}

test.each(cases)('%s', async (_, files, code) => {
  expect((await refusal(load(folder(files())), code)).hint).toBeTruthy();
});

test('a tokenizer.json of more than 64 MiB is not read', async () => {
  const path = toyFolder();
  truncateSync(join(path, 'tokenizer.json'), 65 * 2 ** 20);
  await refusal(load(path), 'MODEL_DAMAGED');
});

test('a folder named like a model file', async () => {
  const path = folder({ 'config.json': config(), 'tokenizer.json': wordPiece() });
  mkdirSync(join(path, 'model.onnx'));
  await refusal(load(path), 'MODEL_NOT_FOUND');
});

test('label names given by hand must fit too', () =>
  refusal(load(toyFolder(), { labels: ['a', 'b', 'c'] }), 'LABELS_MISMATCH'));

test('a scikit-learn export with maps for outputs says how to export it', async () => {
  const g = toyGraph({ output: 'raw' });
  g.output(g.ops('ZipMap', ['raw'], ['probabilities'], { classlabels_int64s: [0, 1] }, 'ai.onnx.ml')[0]!);
  const graph = g.graph();
  const outputs = graph.outputs.filter(({ name }) => name === 'probabilities');
  const bytes = writeModel(withGraph(g.model(), { ...graph, outputs }));
  await refusal(load(toyFolder({}, { 'model.onnx': bytes })), 'MODEL_OUTPUT_MISMATCH');
});

test('a model of NaN', async () => {
  const model = toyGraph().model();
  const table = model.graph.initializers.get('table')!;
  const nan = Tensor.of('table', table.dims, new Float32Array(table.size).fill(Number.NaN));
  const bytes = writeModel(withGraph(model, withInitializers(model.graph, [nan])));
  await refusal(load(toyFolder({}, { 'model.onnx': bytes })), 'MODEL_DAMAGED');
});

test.skipIf(!haveShared)('a model that needs a locale this machine lacks says how to get it', () => {
  // glibc looks for locales where LOCPATH says.
  const code = `import { loadModel } from ${JSON.stringify(pathToFileURL(join(packageRoot, 'dist/src/model/load.js')).href)};
    await loadModel(${JSON.stringify(`${victims}sms-tfidf`)}).catch((error) => console.log(JSON.stringify(error)));`;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    env: { ...process.env, LOCPATH: '/nonexistent', LC_ALL: 'C' },
  });
  const error = JSON.parse(child.stdout || '{}');
  expect(error).toMatchObject({ code: 'RUNTIME_DAMAGED', hint: expect.stringContaining('en_US.UTF-8') });
});

test('a tokenizer.json with any part replaced is refused or works', async () => {
  const stream = random(1, 'tokenizers');
  const junk = [null, 0, -1, 'x', [], {}, [[]], { type: 'Sequence' }, true, [null]];
  const texts = ['good film', 'Ünïcode [SEP]', '', '\ud83d'];
  const broken = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || (depth > 0 && stream.int(3) === 0)) return stream.pick(junk);
    const keys = Object.keys(value);
    if (keys.length === 0) return stream.pick(junk);
    const key = stream.pick(keys);
    const copy: Record<string, unknown> = { ...value };
    copy[key] = broken(copy[key], depth + 1);
    return Array.isArray(value) ? Object.values(copy) : copy;
  };
  for (const definition of [wordPiece(), roberta(false), unigram()]) {
    for (let round = 0; round < 150; round++) {
      const path = folder({ 'tokenizer.json': broken(definition, 0) as object });
      try {
        const encoder = await tokenizerEncoder(path, { maximum: 16, padId: 0, length: undefined });
        for (const text of texts) {
          expect(encoder.encode(text).ids.every((id) => id >= 0)).toBe(true);
          expect(encoder.tokens(text)).toHaveLength(encoder.encode(text).ids.length);
        }
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
      }
    }
  }
});

test('a model file with bytes flipped is refused or answers', async () => {
  const stream = random(1, 'flips');
  for (let round = 0; round < 60; round++) {
    const bytes = graph();
    for (let flips = 1 + stream.int(3); flips > 0; flips--) bytes[stream.int(bytes.length)] = stream.int(256);
    const outcome = await loadModel(toyFolder({}, { 'model.onnx': bytes }), { workers: 1 }).catch((error) => error);
    if ('close' in outcome) await outcome.close();
    else expect(outcome).toBeInstanceOf(ModelError);
  }
});

test('any of 60 stumps of a model file', async () => {
  const whole = graph();
  for (let at = 0; at < 60; at++) {
    const bytes = whole.subarray(0, Math.floor((whole.length * at) / 60));
    expect((await failure(load(toyFolder({}, { 'model.onnx': bytes })))).code).toMatch(/^(MODEL|LABEL|TOKENIZER)_/);
  }
});

describe('external data', () => {
  test('beside the model is loaded, hashed and answers', async () => {
    const { bytes, data } = external('model.onnx_data');
    const path = toyFolder({}, { 'model.onnx': bytes, 'model.onnx_data': data });
    const model = await loadModel(path, { workers: 1 });
    const plain = await loadModel(toyFolder(), { workers: 1 });
    expect(model.paths).toContain(join(path, 'model.onnx_data'));
    expect(await model.classify(['good film'])).toEqual(await plain.classify(['good film']));
    const before = model.sha256;
    await Promise.all([model.close(), plain.close()]);
    writeFileSync(
      join(path, 'model.onnx_data'),
      data.map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
    );
    const after = await loadModel(path, { workers: 1 });
    expect(after.sha256).not.toBe(before);
    await after.close();
  });

  test('in the layout of the Hub cache, where every file is a link into one folder of blobs', async () => {
    const { bytes, data } = external('model.onnx_data');
    const store = folder({
      'blobs/a': bytes,
      'blobs/b': data,
      'snapshots/1/config.json': config(),
      'snapshots/1/tokenizer.json': wordPiece(),
    });
    const path = join(store, 'snapshots', '1');
    symlinkSync('../../blobs/a', join(path, 'model.onnx'));
    symlinkSync('../../blobs/b', join(path, 'model.onnx_data'));
    const model = await loadModel(path, { workers: 1 });
    expect((await model.classify(['good']))[0]![1]).toBeGreaterThan(0.5);
    await model.close();
  });

  test.each(['../secret', '/etc/passwd', 'sub/../../secret', 'C:\\secret', '', 'gone.bin'])(
    '%j, outside or not there, is refused unread',
    async (location) => {
      await refusal(load(toyFolder({}, { 'model.onnx': external(location).bytes })), 'MODEL_DAMAGED');
    },
  );
});

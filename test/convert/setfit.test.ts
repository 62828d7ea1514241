/** @file SetFit models: heads of scikit-learn against its own probabilities, whole folders, and files that would run something. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openCheckpoint } from '../../packages/onnx/src/convert/checkpoint/open.js';
import { ModelConfig } from '../../packages/onnx/src/convert/config.js';
import { Drawing } from '../../packages/onnx/src/convert/drawing.js';
import { bert } from '../../packages/onnx/src/convert/families/bert.js';
import { type FittedHead, fittedHead } from '../../packages/onnx/src/convert/setfit/head.js';
import { openSetFit } from '../../packages/onnx/src/convert/setfit/index.js';
import { CheckpointWeights } from '../../packages/onnx/src/convert/weights.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { answers, checkpoint, distance, type Json } from '../../packages/onnx/test/convert/checkpoints.js';
import { tinyConfig, tinyFiles, tinyTensors } from '../../packages/onnx/test/convert/tiny-bert.js';
import { convert } from '../../src/app/convert.js';
import { RobustError } from '../../src/core/errors.js';
import { sigmoid, softmax } from '../../src/core/statistics/softmax.js';
import { loadModel } from '../../src/model/load.js';
import { tries } from '../cover.js';
import { fakeHub } from '../model/fake-hub.js';
import { wordPiece } from '../model/toy-parts.js';
import { refusal } from '../refusal.js';

const root = mkdtempSync(join(tmpdir(), 'robust-setfit-'));

const { embeddings, heads } = JSON.parse(readFileSync(new URL('setfit/heads.json', import.meta.url), 'utf8')) as {
  readonly embeddings: readonly (readonly number[])[];
  readonly heads: Readonly<Record<string, { readonly file: string; readonly probabilities: readonly number[][] }>>;
};
const bytesOf = (name: string) => Buffer.from(heads[name]?.file ?? '', 'base64');

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(root, 'head-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** The probabilities of a head for an embedding. */
function probabilities(head: FittedHead, embedding: readonly number[]): number[] {
  const columns = head.classes.length;
  const logits = Array.from({ length: columns }, (_, column) =>
    embedding.reduce(
      (sum, value, at) => sum + value * (head.weight[at * columns + column] as number),
      head.bias[column] as number,
    ),
  );
  if (head.scores === 'softmax') {
    const row = Float32Array.from(logits);
    softmax(row);
    return [...row];
  }
  const each = logits.map(sigmoid);
  const total = each.reduce((a, b) => a + b, 0);
  return head.scores === 'shares' ? each.map((p) => p / total) : each;
}

const CLASSES: Readonly<Record<string, readonly (number | string)[]>> = {
  two: [0, 1],
  'two-names': ['bad', 'fair'],
  three: [0, 1, 2],
  'three-objects': ['bad', 'fair', 'good'],
  shares: ['bad', 'fair', 'good'],
  'one-vs-rest': [0, 1, 2],
  'multi-output': [0, 1, 2],
};

test.each(Object.keys(CLASSES))('the head "%s" has the probabilities that scikit-learn gives', (name) => {
  const head = fittedHead(folderWith({ 'model_head.pkl': bytesOf(name) })) as FittedHead;
  expect(head.classes).toEqual(CLASSES[name]);
  for (const [at, row] of (heads[name]?.probabilities ?? []).entries()) {
    const found = probabilities(head, embeddings[at] as readonly number[]);
    expect(found).toHaveLength(row.length);
    for (const [column, p] of row.entries()) expect(Math.abs((found[column] as number) - p)).toBeLessThan(1e-6);
  }
});

test('older versions: one-vs-rest by attribute, and softmax over a margin and its negative', () => {
  // The attribute that those versions wrote takes the place of the solver's.
  const text = (each: string) => `\u008c${String.fromCharCode(each.length)}${each}`;
  const older = (name: string, value: string) => {
    const whole = bytesOf(name).toString('latin1');
    const [key, was] = [text('solver'), text('lbfgs')];
    const at = whole.indexOf(key) + key.length;
    expect(whole.slice(at + 1, at + 1 + was.length)).toBe(was);
    const changed = whole.slice(0, at - key.length) + text('multi_class') + whole[at] + text(value);
    return Buffer.from(changed + whole.slice(at + 1 + was.length), 'latin1');
  };
  const shares = fittedHead(folderWith({ 'model_head.pkl': older('three', 'ovr') }));
  expect(shares?.scores).toBe('shares');
  const plain = fittedHead(folderWith({ 'model_head.pkl': bytesOf('two') })) as FittedHead;
  const doubled = fittedHead(folderWith({ 'model_head.pkl': older('two', 'multinomial') })) as FittedHead;
  expect([...doubled.weight]).toEqual([...plain.weight].map((weight) => 2 * weight));
});

test.each<[string, string | Uint8Array, RegExp]>([
  ['a classifier chain', bytesOf('chain'), /the name "sklearn\.multioutput\.ClassifierChain", which no heads/],
  ['a compressed file', Buffer.from([0x78, 0x9c, 1]), /a compressed file/],
  ['nothing', '', /a compressed file, or none of joblib/],
])('refused: %s', (_, content, message) => {
  const refused = () => fittedHead(folderWith({ 'model_head.pkl': content }));
  expect(refused).toThrow(message);
  expect(refused).toThrow(expect.objectContaining({ code: 'MODEL_UNSUPPORTED' }));
});

const text = (value: string) => Buffer.concat([Buffer.from([0x8c, value.length]), Buffer.from(value)]);
const name = (module: string, of: string) => Buffer.concat([text(module), text(of), Buffer.from([0x93])]);
/** A pickled object; attributes alternate names and values. */
const object = (module: string, of: string, attributes: readonly Uint8Array[]) =>
  Buffer.concat([name(module, of), Buffer.from([0x29, 0x81, 0x7d, 0x28]), ...attributes, Buffer.from([0x75, 0x62])]);
const array = (type: string, rows: number, columns: number) => {
  const sizes = Buffer.alloc(11, 0x4a);
  sizes.writeInt32LE(rows, 1);
  sizes.writeInt32LE(columns, 6);
  sizes[10] = 0x86;
  const dtype = Buffer.concat([name('numpy', 'dtype'), text(type), Buffer.from([0x85, 0x52])]);
  return object('joblib.numpy_pickle', 'NumpyArrayWrapper', [text('shape'), sizes, text('dtype'), dtype]);
};
const head = (coefficients: Uint8Array) => {
  const attributes = [text('classes_'), array('i8', 0, 1), text('coef_'), coefficients];
  return Buffer.concat([
    Buffer.from([0x80, 4]),
    object('sklearn.linear_model._logistic', 'LogisticRegression', attributes),
    Buffer.from([0x2e]),
  ]);
};

test.each<[string, Uint8Array, RegExp]>([
  ['two thousand million rows of no numbers', array('f8', 2_000_000_000, 0), /coefficients that are no table/],
  [
    'files in files',
    Buffer.concat(Array.from({ length: 100_000 }, () => Buffer.concat([array('O8', 1, 1), Buffer.from([0x80, 4])]))),
    /got /,
  ],
])('a small file that claims much is refused: %s', (_, coefficients, message) => {
  const refused = () => fittedHead(folderWith({ 'model_head.pkl': head(coefficients) }));
  expect(refused).toThrow(message);
  expect(refused).toThrow(expect.objectContaining({ code: 'MODEL_UNSUPPORTED' }));
});

test('a pickle that would run something is refused, and runs nothing', async () => {
  const ran = join(root, 'ran');
  const attack = (module: string, of: string) =>
    Buffer.concat([Buffer.from([0x80, 4]), name(module, of), text(`touch ${ran}`), Buffer.from([0x85, 0x52, 0x2e])]);
  const within = Buffer.from(
    bytesOf('two').toString('latin1').replace('\x8c\x05numpy\x94\x8c\x07ndarray', '\x8c\x05posix\x94\x8c\x06system'),
    'latin1',
  );
  for (const file of [attack('posix', 'system'), attack('builtins', 'eval'), attack('os', 'system'), within]) {
    await refusal(() => fittedHead(folderWith({ 'model_head.pkl': file })));
  }
  expect(existsSync(ran)).toBe(false);
});

test('damaged heads: a coded error, or numbers', () => {
  const names = Object.keys(CLASSES);
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.nat(), fc.nat(255), fc.boolean(), (name, place, value, cut) => {
      const bytes = bytesOf(name);
      const at = place % bytes.length;
      bytes[at] = value;
      try {
        const head = fittedHead(folderWith({ 'model_head.pkl': cut ? bytes.subarray(0, at) : bytes }));
        expect(head?.weight.every(Number.isFinite)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(RobustError);
      }
    }),
    { numRuns: tries(300) },
  );
});

const WIDTH = 4;
const encoder = new Map([...tinyTensors].filter(([name]) => !name.startsWith('classifier')));
const config = { ...tinyConfig, architectures: ['BertModel'], id2label: undefined };

/** The files of a SetFit model as SetFitModel.save_pretrained writes them. */
const setFitFiles = (head: string | Uint8Array, settings: Json | undefined): Record<string, string | Uint8Array> => ({
  ...tinyFiles,
  'modules.json': JSON.stringify([
    { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
    { idx: 1, name: '1', path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
  ]),
  'config.json': JSON.stringify(config),
  'sentence_bert_config.json': JSON.stringify({ max_seq_length: 12, do_lower_case: false }),
  'config_sentence_transformers.json': JSON.stringify({ prompts: {}, default_prompt_name: null }),
  ...(settings && { 'config_setfit.json': JSON.stringify(settings) }),
  'model_head.pkl': head,
});
const POOLING = JSON.stringify({ word_embedding_dimension: WIDTH, pooling_mode_mean_tokens: true });

function setFit(head: string | Uint8Array, settings?: Json): string {
  const folder = checkpoint(config, encoder);
  mkdirSync(join(folder, '1_Pooling'));
  writeFileSync(join(folder, '1_Pooling', 'config.json'), POOLING);
  for (const [name, content] of Object.entries(setFitFiles(head, settings))) writeFileSync(join(folder, name), content);
  return folder;
}

const load = (spec: string, options: Parameters<typeof loadModel>[1] = {}) =>
  loadModel(spec, { ...options, hub: { ...options.hub, cache: join(root, 'cache', 'hub') } });

/** The mean of the last layer over the tokens of a text. */
async function embeddingOf(folder: string, ids: readonly number[]): Promise<number[]> {
  const { tensors } = openCheckpoint(folder);
  const d = new Drawing(
    new ModelConfig(config, folder, bert.defaults),
    new CheckpointWeights(tensors, { path: folder, prefix: 'bert' }),
  );
  d.g.output(d.g.ops('Identity', [bert.encode(d)], ['logits'])[0] as string, DataType.float);
  const zeros = ids.map(() => 0);
  const fed = { input_ids: [ids], attention_mask: [ids.map(() => 1)], token_type_ids: [zeros] };
  const { data } = await answers(d.g.model(), fed);
  return Array.from(
    { length: WIDTH },
    (_, at) => ids.reduce((sum, __, token) => sum + (data[token * WIDTH + at] as number), 0) / ids.length,
  );
}

test.each([
  ['three', { labels: ['no', 'perhaps', 'yes'], normalize_embeddings: false }, ['no', 'perhaps', 'yes']],
  ['two-names', { labels: null, normalize_embeddings: true }, ['bad', 'fair']],
  ['shares', undefined, ['bad', 'fair', 'good']],
  ['three', undefined, ['0', '1', '2']],
] as const)(
  'a folder with the head "%s" and %j answers as encoder and head together',
  async (name, settings, labels) => {
    const folder = setFit(bytesOf(name), settings);
    const model = await load(folder);
    onTestFinished(() => model.close());
    expect(model.labels).toEqual(labels);
    expect(model.maximumTokens).toBe(12);
    const text = 'good film';
    const ids = Array.from(model.onnx?.encoder.encode(text).ids ?? []);
    const embedding = await embeddingOf(folder, ids);
    const length = settings?.normalize_embeddings ? Math.hypot(...embedding) : 1;
    const head = openSetFit(folder).head;
    const wanted = probabilities(
      head,
      embedding.map((value) => value / length),
    );
    const [row] = await model.classify([text]);
    for (const [at, p] of wanted.entries()) expect(row?.[at]).toBeCloseTo(p, 5);
  },
);

test.each([true, false])('texts in lower case, where the encoder asks for it: %s', async (lowercase) => {
  const folder = setFit(bytesOf('three'));
  const tokenizer = { ...wordPiece(), normalizer: null };
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'sentence_bert_config.json'), JSON.stringify({ do_lower_case: lowercase }));
  const model = await load(folder);
  onTestFinished(() => model.close());
  const [lower, upper] = await model.classify(['good film', 'Good FILM']);
  expect(distance(lower!, upper!) === 0).toBe(lowercase);
});

test('any number of labels, from a repository whose ONNX file is its encoder alone', async () => {
  const files: Record<string, string | Uint8Array> = {
    ...setFitFiles(bytesOf('one-vs-rest'), { labels: ['x', 'y', 'z'], normalize_embeddings: false }),
    '1_Pooling/config.json': POOLING,
    'onnx/model.onnx': 'the encoder',
  };
  const folder = checkpoint(config, encoder);
  files['model.safetensors'] = readFileSync(join(folder, 'model.safetensors'));
  const hub = await fakeHub({ 'org/setfit': { files } });
  onTestFinished(() => hub.close());
  const model = await load('hf:org/setfit', { hub: { endpoint: hub.url }, decision: 'multi-label' });
  const rows = await model.classify(['good film', 'bad']);
  expect(model.labels).toEqual(['x', 'y', 'z']);
  expect(rows.every((row) => Array.from(row).every((p) => p > 0 && p < 1))).toBe(true);
  await model.close();
});

test('convert writes a folder that answers alike, and checks it', async () => {
  const source = setFit(bytesOf('shares'), { labels: null, normalize_embeddings: true });
  const output = join(root, 'converted');
  const result = await convert({ source, output, check: true });
  expect(result).toMatchObject({ family: 'bert', task: 'classify' });
  const [from, to] = await Promise.all([load(source), load(output)]);
  expect(await to.classify(['good film'])).toEqual(await from.classify(['good film']));
  await Promise.all([from.close(), to.close()]);
});

test.each<[string, Record<string, string | Uint8Array>]>([
  ['no head', { 'model_head.pkl': '' }],
  ['fewer names than classes', { 'config_setfit.json': '{"labels": ["a"]}' }],
  ['a model of spans', { 'config_setfit.json': '{"span_context": 3}' }],
  ['a prompt', { 'config_sentence_transformers.json': '{"default_prompt_name": "query"}' }],
])('a folder is refused: %s', async (_, files) => {
  const folder = setFit(bytesOf('three'), { labels: null });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  await refusal(load(folder));
});

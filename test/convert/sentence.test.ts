/** @file Encoders of sentence-transformers under a new head: each way of pooling, dense layers and norms against explicit sums. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCheckpoint } from '../../packages/onnx/src/convert/checkpoint/open.js';
import { ModelConfig } from '../../packages/onnx/src/convert/config.js';
import { Drawing } from '../../packages/onnx/src/convert/drawing.js';
import { bert } from '../../packages/onnx/src/convert/families/bert.js';
import { convertCheckpoint } from '../../packages/onnx/src/convert/index.js';
import { CheckpointWeights } from '../../packages/onnx/src/convert/weights.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import {
  answers,
  byFormula,
  checkpoint,
  type Json,
  safetensorsBytes,
} from '../../packages/onnx/test/convert/checkpoints.js';
import { tinyConfig, tinyFiles, tinyTensors } from '../../packages/onnx/test/convert/tiny-bert.js';
import { train } from '../../src/app/train.js';
import { random } from '../../src/core/random.js';
import { loadModel } from '../../src/model/load.js';
import { lasting } from '../calibration.js';
import { matrix } from '../matrix.js';
import { fakeHub } from '../model/fake-hub.js';
import { refusal } from '../refusal.js';

const root = mkdtempSync(join(tmpdir(), 'robust-sentence-'));

const config = { ...tinyConfig, architectures: ['BertModel'], id2label: undefined };
const encoder = new Map([...tinyTensors].filter(([name]) => !name.startsWith('classifier')));
const WIDTH = 4;
const kind = (name: string, path = '') => ({ path, type: `sentence_transformers.models.${name}` });
const DENSE = byFormula({ 'linear.weight': [3, WIDTH], 'linear.bias': [3] });

interface Parts {
  readonly pooling: Json;
  readonly dense?: Json;
  readonly norm?: boolean;
}

/** The files behind the encoder. */
function filesOf({ pooling, dense, norm = false }: Parts): Record<string, string | Buffer> {
  const modules = [kind('Transformer'), kind('Pooling', '1_Pooling')];
  if (dense) modules.push(kind('Dense', '2_Dense'));
  if (norm) modules.push(kind('Normalize', '3_Normalize'));
  return {
    'modules.json': JSON.stringify(modules),
    '1_Pooling/config.json': JSON.stringify({ word_embedding_dimension: WIDTH, ...pooling }),
    ...(dense && { '2_Dense/config.json': JSON.stringify({ in_features: WIDTH, out_features: 3, ...dense }) }),
    ...(dense && { '2_Dense/model.safetensors': safetensorsBytes(DENSE) }),
  };
}

function folderOf(parts: Parts): string {
  const folder = checkpoint(config, encoder);
  for (const part of ['1_Pooling', '2_Dense']) mkdirSync(join(folder, part));
  for (const [name, bytes] of Object.entries({ ...tinyFiles, ...filesOf(parts) }))
    if (name !== 'config.json') writeFileSync(join(folder, name), bytes);
  return folder;
}

const head = { labels: 2, random: random(1, 'head') };
const FED = {
  input_ids: matrix('2 5 6 3; 2 7 3 0'),
  attention_mask: matrix('1 1 1 1; 1 1 1 0'),
  token_type_ids: matrix('0 0 0 0; 0 0 0 0'),
};
const LENGTHS = [4, 3];

/** The last layer, [texts][tokens][width]. */
async function hiddenStates(folder: string): Promise<number[][][]> {
  const { tensors } = openCheckpoint(folder);
  const weights = new CheckpointWeights(tensors, { path: folder, prefix: 'bert' });
  const d = new Drawing(new ModelConfig(config, folder, bert.defaults), weights);
  d.g.output(d.g.ops('Identity', [bert.encode(d)], ['logits'])[0]!, DataType.float);
  const { data } = await answers(d.g.model(), FED);
  return [0, 1].map((text) =>
    [0, 1, 2, 3].map((token) => Array.from(data.subarray((text * 4 + token) * WIDTH, (text * 4 + token + 1) * WIDTH))),
  );
}

const over = (rows: readonly (readonly number[])[], fold: (column: readonly number[]) => number): number[] =>
  Array.from({ length: WIDTH }, (_, at) => fold(rows.map((row) => row[at] as number)));
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/** By the key that asks for it: of the tokens that are no padding. */
const POOLED: Readonly<Record<string, (rows: readonly (readonly number[])[]) => number[]>> = {
  pooling_mode_cls_token: ([first]) => [...(first as number[])],
  pooling_mode_max_tokens: (rows) => over(rows, (column) => Math.max(...column)),
  pooling_mode_mean_tokens: (rows) => over(rows, (column) => sum(column) / column.length),
  pooling_mode_mean_sqrt_len_tokens: (rows) => over(rows, (column) => sum(column) / Math.sqrt(column.length)),
  pooling_mode_weightedmean_tokens: (rows) =>
    over(rows, (column) => sum(column.map((value, at) => value * (at + 1))) / sum(column.map((_, at) => at + 1))),
  pooling_mode_lasttoken: (rows) => [...(rows.at(-1) as number[])],
};

const KEYS = Object.keys(POOLED);
const CASES: readonly (Parts & { readonly keys: readonly string[]; readonly title: string })[] = [
  ...KEYS.map((key) => ({ keys: [key], pooling: { [key]: true } })),
  {
    keys: KEYS.slice(1, 3),
    pooling: { [KEYS[2] as string]: true, [KEYS[1] as string]: true, pooling_mode_cls_token: false },
  },
  // Since sentence-transformers 5.4: a name, or names in the order in which they are joined.
  ...['cls', 'max', 'mean', 'mean_sqrt_len_tokens', 'weightedmean', 'lasttoken'].map((mode, at) => ({
    keys: [KEYS[at] as string],
    pooling: { word_embedding_dimension: undefined, embedding_dimension: WIDTH, pooling_mode: mode },
  })),
  { keys: [KEYS[2] as string, KEYS[0] as string], pooling: { pooling_mode: ['mean', 'cls'] } },
  { keys: [KEYS[2] as string], pooling: { [KEYS[2] as string]: true }, norm: true },
  { keys: [KEYS[2] as string], pooling: { [KEYS[2] as string]: true }, dense: { bias: true }, norm: true },
  {
    keys: [KEYS[0] as string],
    pooling: { [KEYS[0] as string]: true },
    dense: { bias: true, activation_function: 'torch.nn.modules.linear.Identity' },
  },
].map((each) => ({ ...each, title: JSON.stringify(each) }));

test.each(CASES)('$title', async ({ keys, ...parts }) => {
  const folder = folderOf(parts);
  const { model, fresh } = convertCheckpoint(folder, config, { head });
  expect(fresh).toEqual(['classifier.weight', 'classifier.bias']);
  const { data } = await answers(model, FED);
  const states = await hiddenStates(folder);
  const matrix = model.graph.initializers.get('classifier.weight')?.floats() as Float32Array;
  const wanted = states.flatMap((tokens, text) => {
    const rows = tokens.slice(0, LENGTHS[text]);
    let x = keys.flatMap((key) => (POOLED[key] as (typeof POOLED)[string])(rows));
    if (parts.dense) {
      const [weight, bias] = ['weight', 'bias'].map((leaf) => DENSE.get(`linear.${leaf}`)?.values as Float32Array);
      x = [0, 1, 2].map(
        (out) => sum(x.map((value, at) => value * (weight?.[out * WIDTH + at] as number))) + (bias?.[out] as number),
      );
      if (!parts.dense.activation_function) x = x.map(Math.tanh);
    }
    if (parts.norm) x = x.map((value) => value / Math.hypot(...x));
    return [0, 1].map((label) => sum(x.map((value, at) => value * (matrix[at * 2 + label] as number))));
  });
  expect(data).toHaveLength(4);
  for (const [at, value] of wanted.entries()) expect(data[at]).toBeCloseTo(value, 5);
});

test.each<[string, Record<string, string>]>([
  [
    'a module',
    { 'modules.json': JSON.stringify([kind('Transformer'), kind('Pooling', '1_Pooling'), kind('CLIPModel')]) },
  ],
  ['an encoder elsewhere', { 'modules.json': JSON.stringify([kind('Transformer', '0_Transformer')]) }],
  ['a folder outside', { 'modules.json': JSON.stringify([kind('Transformer', '../x')]) }],
  ['no way of pooling', { '1_Pooling/config.json': '{}' }],
  ['a way that is not known', { '1_Pooling/config.json': '{"pooling_mode_new": true}' }],
  ['another width', { '1_Pooling/config.json': '{"word_embedding_dimension": 5}' }],
  ['no JSON', { 'modules.json': '{' }],
  ['no length', { 'sentence_bert_config.json': '{"max_seq_length": "long"}' }],
  ['no case', { 'sentence_bert_config.json': '{"do_lower_case": "yes"}' }],
])('refused by name: %s', async (_, files) => {
  const folder = folderOf({ pooling: { pooling_mode_mean_tokens: true } });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await refusal(() => convertCheckpoint(folder, config, { head }));
});

test('from the Hub: its modules are fetched, and a head on them learns', async () => {
  const files = filesOf({ pooling: { pooling_mode_mean_tokens: true }, dense: { bias: true }, norm: true });
  const own = { ...tinyFiles, 'config.json': JSON.stringify(config), 'model.safetensors': safetensorsBytes(encoder) };
  const limit = { 'sentence_bert_config.json': '{"max_seq_length": 5, "do_lower_case": false}' };
  const hub = await fakeHub({ 'org/sentences': { files: { ...own, ...files, ...limit, 'README.md': 'not needed' } } });
  onTestFinished(() => hub.close());
  const data = join(root, 'data.tsv');
  const rows = Array.from({ length: 40 }, (_, at) => (at % 2 ? 'good film\tfine' : 'bad film\ttoxic'));
  writeFileSync(data, `text\tlabel\n${rows.join('\n')}\n`);
  const reach = { cache: join(root, 'hub', 'hub'), endpoint: hub.url, timeout: lasting(5), pause: 1 };
  const output = join(root, 'mine');
  const settings = { data, output, labels: 'toxic,fine', epochs: 12, lr: 0.05, batchSize: 8, hub: reach };
  const { clean } = await train({ ...settings, model: 'hf:org/sentences' });
  expect(clean.accuracy.value).toBe(1);
  expect(hub.seen.some(({ path }) => path.includes('2_Dense/model.safetensors'))).toBe(true);
  expect(JSON.parse(readFileSync(join(output, 'config.json'), 'utf8')).id2label).toEqual({ 0: 'toxic', 1: 'fine' });
  // As long as its maker let the encoder's texts be, which is less than its positions.
  const loaded = await loadModel(output, { workers: 1 });
  expect(loaded.maximumTokens).toBe(5);
  await loaded.close();
});

/** @file Good files of every kind, and what is made of them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encoder } from '../../../bench/models.js';
import { byFormula, safetensorsBytes } from '../../../packages/onnx/test/convert/checkpoints.js';
import { tinyConfig, tinyTensors } from '../../../packages/onnx/test/convert/tiny-bert.js';
import { packageRoot } from '../../../src/core/package-root.js';
import type { Random } from '../../../src/plugin.js';
import { AdamW } from '../../../src/train/adamw.js';
import { saveCheckpoint } from '../../../src/train/checkpoint.js';
import { parquetOf } from '../../datasets/parquet.js';
import { config, external, toyGraph, vocabulary, wordPiece } from '../../model/toy-parts.js';
import { scene } from '../../scenes.js';
import { mutateBytes, mutateJson, mutateMessage, mutateRows } from './mutate.js';

/** Writes a damaged file, and good ones beside it, into `folder`. */
export type Damage = (folder: string, random: Random) => void;

type Files = Readonly<Record<string, string | Uint8Array>>;

function put(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

const json = (value: unknown): string => JSON.stringify(value);

/** A third by bytes, the others by structure. */
const either = (random: Random, content: string | Uint8Array, structured: (text: string) => string): Uint8Array =>
  random.int(3) === 0
    ? mutateBytes(Buffer.from(content), random)
    : Buffer.from(structured(Buffer.from(content).toString('utf8')));

const ROWS = Array.from(
  { length: 12 },
  (_, at) => [`${at % 2 ? 'a good' : 'a "bad"'} film about a ${scene(at)}`, String(at % 2)] as const,
);
const TABLES: Files = {
  'data.tsv': `text\tlabel\n${ROWS.map((row) => row.join('\t').replaceAll('"', "'")).join('\n')}\n`,
  'data.csv': `text,label\n${ROWS.map(([text, label]) => `"${text.replaceAll('"', '""')}",${label}`).join('\n')}\n`,
  'data.jsonl': `${ROWS.map(([text, label]) => json({ text, label: Number(label) })).join('\n')}\n`,
  'data.txt':
    'DESC:manner How did serfdom develop ?\nENTY:cremat What films featured Popeye ?\nDESC:def What is a film ?\n',
  'data.parquet': parquetOf(
    [
      { name: 'text', values: ROWS.map(([text]) => text) },
      { name: 'label', values: ROWS.map(([, label]) => BigInt(label)) },
    ],
    5,
  ),
};

const unigram = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'NFKC' },
      { type: 'Lowercase' },
      { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
    ],
  },
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  post_processor: null,
  decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  model: {
    type: 'Unigram',
    unk_id: 0,
    vocab: [
      ['<unk>', 0],
      ['▁good', -1],
      ['▁film', -1.5],
      ['g', -5],
      ['o', -5],
      ['▁', -3],
    ],
  },
};

const bpe = {
  version: '1.0',
  truncation: { max_length: 16, strategy: 'LongestFirst', stride: 0, direction: 'Right' },
  padding: null,
  added_tokens: [
    { id: 0, content: '<s>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
  ],
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  post_processor: {
    type: 'RobertaProcessing',
    sep: ['<s>', 0],
    cls: ['<s>', 0],
    trim_offsets: true,
    add_prefix_space: false,
  },
  decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
  model: {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: '',
    end_of_word_suffix: '',
    fuse_unk: false,
    byte_fallback: false,
    vocab: { '<s>': 0, g: 1, o: 2, d: 3, go: 4, good: 5, od: 6, Ġ: 7 },
    merges: ['g o', 'o d', 'go od'],
  },
};

const TOKENIZERS = [wordPiece(), unigram, bpe];

const MANIFESTS = [
  {
    model: 'model.onnx',
    labels: ['no', 'yes'],
    input: {
      kind: 'word-index',
      vocabulary: 'words.json',
      lowercase: true,
      remove: '[.,!?]',
      unknown: 1,
      length: 16,
      padId: 0,
      pad: 'end',
      truncate: 'end',
    },
    output: { activation: 'softmax' },
  },
  {
    model: 'model.onnx',
    labels: ['no', 'yes'],
    input: { kind: 'tokenizer' },
    output: { name: 'logits', activation: 'sigmoid', normalise: true },
  },
];

const SETTINGS = `# what is attacked
model: distilbert
data: dev.tsv
suites: [typos, chars]
attacks: [fgsm, "pruthi:max-edits=2"]
numExamples: 50
labelMap: { pos: 1, neg: 0 }
isolate: true
require:
  - clean.accuracy >= 0.90
  - { limit: typos.attackSuccessRate <= 0.30, level: warn, ci: upper, minExamples: 10 }
thresholds:
  chars.attackSuccessRate: [warn, "<= 0.30", { ci: upper, minExamples: 10 }]
waivers:
  - { metric: clean.accuracy, owner: me, reason: later, expires: 2027-01-01 }
baseline: { file: robust.baseline.json, maxIncrease: 0.03 }
`;

const GRAPHS = [
  toyGraph().build(),
  toyGraph({ inputs: ['attention_mask', 'token_type_ids'], last: 'Softmax', width: 3 }).build(),
  toyGraph({ shape: [1, 8], inputs: ['attention_mask'] }).build(),
  toyGraph({ company: 'quantise' }).build(),
  encoder({ layers: 1, dim: 8, heads: 2, ffn: 16, vocabulary: vocabulary.length, positions: 16, labels: 2 }),
];

const besideGraph: Files = { 'config.json': json(config()), 'tokenizer.json': json(wordPiece()) };

interface Configuration {
  readonly config: Record<string, unknown>;
  readonly tensors: Readonly<Record<string, readonly number[]>>;
}

const reference = (path: string): unknown => JSON.parse(readFileSync(join(packageRoot, path), 'utf8'));
const configurations = (name: string) =>
  (reference(`packages/onnx/test/convert/${name}.json`) as { readonly cases: readonly Configuration[] }).cases;
const [CONFIGURATIONS, DECODERS] = [configurations('configurations'), configurations('decoders')];

const HEADS = Object.values(
  (
    reference('test/convert/setfit/heads.json') as {
      readonly heads: Readonly<Record<string, { readonly file: string }>>;
    }
  ).heads,
).map(({ file }) => Buffer.from(file, 'base64'));

const QUERY = 'base_model.model.bert.encoder.layer.0.attention.self.query';
const ADAPTER = {
  config: {
    ...{ peft_type: 'LORA', task_type: 'SEQ_CLS', base_model_name_or_path: 'base', r: 2, lora_alpha: 4, bias: 'none' },
    ...{ rank_pattern: {}, alpha_pattern: { key: 3 }, use_rslora: false, use_dora: false, target_modules: ['query'] },
  },
  tensors: byFormula({ [`${QUERY}.lora_A.weight`]: [2, 4], [`${QUERY}.lora_B.weight`]: [4, 2] }),
};

/** An adapter beside its base, with some files in place of the good ones. */
const adapted = (folder: string, files: Files): void =>
  put(folder, {
    'base/config.json': json(tinyConfig),
    'base/model.safetensors': safetensorsBytes(tinyTensors),
    'adapter/adapter_config.json': json(ADAPTER.config),
    'adapter/adapter_model.safetensors': safetensorsBytes(ADAPTER.tensors),
    ...files,
  });

const configDamage =
  (among: readonly Configuration[]): Damage =>
  (folder, random) => {
    const { config: good, tensors } = random.pick(among);
    put(folder, {
      'config.json': either(random, json(good), (text) => mutateJson(text, random)),
      'model.safetensors': safetensorsBytes(byFormula(tensors)),
    });
  };

const INSERT_POSITIONS = [
  'model.onnx_data',
  '../model.onnx_data',
  '/etc/passwd',
  '/dev/zero',
  '',
  '.',
  'a\0b',
  'model.onnx',
  'x'.repeat(3000),
  'sub/../model.onnx_data',
];

/** Seed files of each reader. `made`: the folder that `make` filled. */
export function damages(made: string): Readonly<Record<string, Damage>> {
  const table =
    (name: string, separator: string): Damage =>
    (folder, random) =>
      put(folder, { [name]: either(random, TABLES[name] as string, (text) => mutateRows(text, random, separator)) });
  const stored = (random: Random, files: Readonly<Record<string, string>>, which: string): Files => {
    const content = readFileSync(join(made, which));
    return {
      [files[which] ?? which]: either(random, content, (text) =>
        which.endsWith('.jsonl') ? lines(text, random) : mutateJson(text, random),
      ),
    };
  };
  const model =
    (name: string, seeds: readonly unknown[], beside: Files): Damage =>
    (folder, random) =>
      put(folder, {
        'model.onnx': GRAPHS[0] as Uint8Array,
        ...besideGraph,
        ...beside,
        [name]: either(random, json(random.pick(seeds)), (text) => mutateJson(text, random)),
      });
  const onnx: Damage = (folder, random) => {
    let bytes: Uint8Array = random.pick(GRAPHS);
    if (random.int(4) === 0) bytes = mutateBytes(bytes, random);
    else for (let times = 1 + random.int(3); times > 0; times--) bytes = mutateMessage(bytes, random);
    put(folder, { 'model.onnx': bytes, ...besideGraph });
  };
  return {
    'onnx graph': onnx,
    'onnx session': onnx,
    'onnx external data': (folder, random) => {
      const { bytes, data } = external(random.pick(INSERT_POSITIONS));
      put(folder, {
        ...besideGraph,
        'model.onnx': random.int(2) ? mutateMessage(bytes, random) : bytes,
        'model.onnx_data': random.int(2) ? mutateBytes(data, random) : data,
      });
    },
    'tokenizer.json': model('tokenizer.json', TOKENIZERS, {}),
    'config.json': model(
      'config.json',
      [config(), config(['a', 'b', 'c'], { problem_type: 'multi_label_classification', model_type: 'roberta' })],
      {},
    ),
    'tokenizer_config.json': model(
      'tokenizer_config.json',
      [
        {
          model_max_length: 16,
          do_lower_case: true,
          added_tokens_decoder: { 0: { content: '[PAD]' } },
          cls_token: '[CLS]',
          clean_up_tokenization_spaces: true,
        },
      ],
      {},
    ),
    'robust.json': model('robust.json', MANIFESTS, { 'words.json': json({ good: 2, bad: 3, film: 4 }) }),
    tsv: table('data.tsv', '\t'),
    csv: table('data.csv', ','),
    txt: table('data.txt', ' '),
    jsonl: (folder, random) =>
      put(folder, { 'data.jsonl': either(random, TABLES['data.jsonl'] as string, (text) => lines(text, random)) }),
    parquet: (folder, random) =>
      put(folder, { 'data.parquet': mutateBytes(TABLES['data.parquet'] as Uint8Array, random) }),
    'robust.config.yaml': (folder, random) =>
      put(folder, {
        'robust.config.yaml': either(random, SETTINGS, (text) =>
          mutateRows(text, random, random.pick([' ', ':', ','])),
        ),
      }),
    baseline: (folder, random) => {
      cpSync(join(made, 'run'), join(folder, 'run'), { recursive: true });
      put(folder, stored(random, {}, 'robust.baseline.json'));
    },
    'run.json': (folder, random) => {
      cpSync(join(made, 'run'), join(folder, 'run'), { recursive: true });
      put(folder, stored(random, {}, 'run/run.json'));
    },
    'results.jsonl': (folder, random) => {
      cpSync(join(made, 'run'), join(folder, 'run'), { recursive: true });
      put(folder, stored(random, {}, 'run/results.jsonl'));
    },
    shards: (folder, random) => {
      for (const part of ['part1', 'part2']) cpSync(join(made, part), join(folder, part), { recursive: true });
      put(
        folder,
        stored(
          random,
          {},
          random.pick(['part1/run.json', 'part1/results.jsonl', 'part2/run.json', 'part2/results.jsonl']),
        ),
      );
    },
    'report.json': (folder, random) => put(folder, stored(random, {}, 'report.json')),
    'training checkpoint': (folder, random) =>
      put(folder, { 'checkpoint.bin': mutateBytes(readFileSync(join(made, 'checkpoint.bin')), random) }),
    'checkpoint safetensors': (folder, random) =>
      put(folder, {
        'config.json': json(tinyConfig),
        'model.safetensors': mutateTensors(safetensorsBytes(tinyTensors), random),
      }),
    'checkpoint pickle': (folder, random) =>
      put(folder, {
        'config.json': json(tinyConfig),
        'pytorch_model.bin': mutateBytes(
          readFileSync(join(packageRoot, 'packages/onnx/test/convert/tiny-bert.bin')),
          random,
        ),
      }),
    'checkpoint config': configDamage(CONFIGURATIONS),
    'checkpoint decoder': configDamage(DECODERS),
    'checkpoint adapter config': (folder, random) =>
      adapted(folder, {
        'adapter/adapter_config.json': either(random, json(ADAPTER.config), (text) => mutateJson(text, random)),
      }),
    'checkpoint adapter weights': (folder, random) =>
      adapted(folder, {
        'adapter/adapter_model.safetensors': mutateTensors(safetensorsBytes(ADAPTER.tensors), random),
      }),
    'checkpoint head': (folder, random) => put(folder, { 'model_head.pkl': mutateBytes(random.pick(HEADS), random) }),
    'checkpoint head config': (folder, random) => {
      const settings = { labels: ['no', 'yes'], normalize_embeddings: true };
      put(folder, {
        'model_head.pkl': random.pick(HEADS),
        'config_setfit.json': either(random, json(settings), (text) => mutateJson(text, random)),
      });
    },
    'checkpoint sentences': (folder, random) => {
      const good: Record<string, unknown> = {
        'config.json': { ...tinyConfig, architectures: ['BertModel'] },
        'modules.json': ['Transformer', 'Pooling', 'Dense', 'Normalize'].map((kind, at) => ({
          path: at === 0 ? '' : `${at}_${kind}`,
          type: `sentence_transformers.models.${kind}`,
        })),
        '1_Pooling/config.json': { word_embedding_dimension: 4, pooling_mode_mean_tokens: true },
        '2_Dense/config.json': { in_features: 4, out_features: 3, bias: true },
        'sentence_bert_config.json': { max_seq_length: 12, do_lower_case: true },
        'config_sentence_transformers.json': { prompts: {}, default_prompt_name: null },
      };
      const worse = random.pick(Object.keys(good));
      const written = Object.entries(good).map(([name, value]): [string, string | Uint8Array] => [
        name,
        name === worse ? either(random, json(value), (text) => mutateJson(text, random)) : json(value),
      ]);
      put(folder, {
        ...Object.fromEntries(written),
        'model.safetensors': safetensorsBytes(new Map([...tinyTensors].filter(([name]) => name.startsWith('bert.')))),
        '2_Dense/model.safetensors': safetensorsBytes(byFormula({ 'linear.weight': [3, 4], 'linear.bias': [3] })),
      });
    },
    'checkpoint index': (folder, random) => {
      const index = { metadata: { total_size: 1 }, weight_map: { a: 'one.safetensors', b: 'two.safetensors' } };
      const half = Math.floor(tinyTensors.size / 2);
      put(folder, {
        'config.json': json(tinyConfig),
        'model.safetensors.index.json': either(random, json(index), (text) => mutateJson(text, random)),
        'one.safetensors': safetensorsBytes(new Map([...tinyTensors].slice(0, half))),
        'two.safetensors': safetensorsBytes(new Map([...tinyTensors].slice(half))),
      });
    },
  };
}

/** A safetensors file changed by its bytes, or by the tree of its header. */
function mutateTensors(bytes: Buffer, random: Random): Uint8Array {
  if (random.int(2) === 0) return mutateBytes(bytes, random);
  const length = Number(bytes.readBigUInt64LE());
  const header = Buffer.from(mutateJson(bytes.toString('utf8', 8, 8 + length), random));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([size, header, bytes.subarray(8 + length)]);
}

/** Mutates JSON lines: the tree of one line, or the order of all. */
function lines(text: string, random: Random): string {
  const all = text.split('\n');
  const full = all.flatMap((line, at) => (line === '' ? [] : [at]));
  if (random.int(3) === 0 || full.length === 0) return mutateRows(text, random, ',');
  const at = random.pick(full);
  all[at] = mutateJson(all[at] as string, random);
  return all.join('\n');
}

/** Runs the command line once, for the files it writes. */
export function make(folder: string): void {
  const toy = join(packageRoot, 'test', 'commands', 'toy-classifier.mjs');
  put(folder, { 'data.tsv': TABLES['data.tsv'] as string });
  const robust = (...args: string[]) =>
    execFileSync(process.execPath, [join(packageRoot, 'bin', 'run.js'), ...args], { cwd: folder, stdio: 'ignore' });
  const attack = ['attack', '-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '-a', 'pruthi', '-q', '--force'];
  const runs = join(folder, '.robust', 'runs');
  const newest = (known: readonly string[]) =>
    join(runs, readdirSync(runs).find((name) => name !== 'latest' && !known.includes(name)) as string);
  const known: string[] = [];
  for (const [to, args] of [
    ['run', ['-o', 'report.json']],
    ['part1', ['--shard', '1/2']],
    ['part2', ['--shard', '2/2']],
  ] as const) {
    robust(...attack, ...args);
    if (to === 'run') robust('baseline', 'save');
    const made = newest(known);
    known.push(made.slice(runs.length + 1));
    cpSync(made, join(folder, to), { recursive: true });
  }
  const parameters = [{ name: 'w', dims: [2, 2], values: Float32Array.of(1, 2, 3, 4), decays: true, table: false }];
  saveCheckpoint(
    join(folder, 'checkpoint.bin'),
    'this',
    { parameters, optimiser: new AdamW(parameters) },
    { step: 3, firstLoss: 1, lossSum: 1, lossCount: 2, sinceBest: 0, points: [] },
  );
}

/**
 * @file Measures the reuse of what texts share in a decoder: processor time of the model in whole searches, with reuse over without, on
 * sentences of SST-2 dev. The decoder has random weights. Both search the same texts in turns, in one process; medians with their range.
 *
 *     npm run bench dist/bench/prefix-reuse.js -- [--layers 12] [--width 768] [--sentences 4] [--rounds 3] [--queries 100]
 *     npm run bench dist/bench/prefix-reuse.js -- --peer PYTHON      # transformers with and without past keys and values, on the same sizes
 */
import { execFileSync } from 'node:child_process';
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { charmer } from '../attacks/charmer.js';
import { deepwordbug } from '../attacks/deepwordbug.js';
import { synonym } from '../attacks/synonym.js';
import { openDataset } from '../datasets/index.js';
import { packageRoot } from '../src/core/package-root.js';
import type { EvasionPlugin } from '../src/core/plugin.js';
import { random } from '../src/core/random.js';
import { english } from '../src/language/english/index.js';
import { type LoadOptions, loadModel } from '../src/model/load.js';
import { attack, createRun } from '../src/run/index.js';
import { untargeted } from '../src/search/goals.js';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    layers: { type: 'string', default: '12' },
    width: { type: 'string', default: '768' },
    sentences: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    queries: { type: 'string', default: '100' },
    peer: { type: 'string' },
  },
});
const [layers, width, sentences, rounds, queries] = [
  values.layers,
  values.width,
  values.sentences,
  values.rounds,
  values.queries,
].map(Number) as [number, number, number, number, number];
const VOCABULARY = 30_522;
const LABELS = ['NEGATIVE', 'POSITIVE'];
/** Some 200 tokens. */
const PROMPT = `${'You judge whether a short text says something good or something bad. '.repeat(15)}Text: {{text}} Answer:`;

/** A Llama with random weights, and the tokenizer of DistilBERT. */
function writeDecoder(folder: string, causal: boolean): string {
  mkdirSync(folder);
  const inner = 4 * width;
  const config = {
    model_type: 'llama',
    architectures: [causal ? 'LlamaForCausalLM' : 'LlamaForSequenceClassification'],
    ...{ vocab_size: VOCABULARY, hidden_size: width, intermediate_size: inner, num_hidden_layers: layers },
    ...{ num_attention_heads: width / 64, max_position_embeddings: 1024, pad_token_id: 0, tie_word_embeddings: true },
    id2label: Object.fromEntries(LABELS.entries()),
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  copyFileSync(join(packageRoot, 'models', 'distilbert', 'tokenizer.json'), join(folder, 'tokenizer.json'));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ model_max_length: 1024 }));
  const shapes: [string, number[]][] = [['model.embed_tokens.weight', [VOCABULARY, width]]];
  for (let layer = 0; layer < layers; layer++) {
    const name = `model.layers.${layer}`;
    for (const part of ['q', 'k', 'v', 'o']) shapes.push([`${name}.self_attn.${part}_proj.weight`, [width, width]]);
    for (const part of ['gate', 'up']) shapes.push([`${name}.mlp.${part}_proj.weight`, [inner, width]]);
    shapes.push([`${name}.mlp.down_proj.weight`, [width, inner]]);
    for (const part of ['input', 'post_attention']) shapes.push([`${name}.${part}_layernorm.weight`, [width]]);
  }
  shapes.push(['model.norm.weight', [width]], ...(causal ? [] : [['score.weight', [2, width]] as [string, number[]]]));
  const header: Record<string, object> = {};
  let at = 0;
  for (const [name, shape] of shapes) {
    const end = at + shape.reduce((product, size) => product * size, 4);
    header[name] = { dtype: 'F32', shape, data_offsets: [at, end] };
    at = end;
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  writeSync(file, Buffer.concat([length, json]));
  const stream = random(1, 'weights');
  const noise = new Float32Array(2 ** 21).map(() => stream.normal());
  for (const [index, [, shape]] of shapes.entries()) {
    const size = shape.reduce((product, each) => product * each, 1);
    const scale = index === 0 ? 1 : 1 / Math.sqrt(shape[1] ?? 1);
    const weights = new Float32Array(size);
    // Each tensor begins at another place of the noise.
    for (let i = 0; i < size; i++) {
      weights[i] = shape.length === 1 ? 1 : scale * noise[(i + 7919 * index) % noise.length]!;
    }
    writeSync(file, Buffer.from(weights.buffer));
  }
  closeSync(file);
  return folder;
}

const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));
const dataset = await openDataset('../shared/data/sst2/dev.tsv', { labels: LABELS });

/** Processor seconds of the model in one search of each sentence, and the texts it computed. */
async function search(spec: string, options: LoadOptions, plugin: EvasionPlugin, name: string) {
  const hub = { cache: join(folder, 'hub') };
  const model = await loadModel(spec, { ...options, workers: 1, hub });
  try {
    const plan = {
      model: { classifier: model, name: 'random', sha256: model.sha256 },
      dataset,
      attacks: [{ plugin, options: plugin.options.parse({}) as Record<string, unknown>, suite: null, label: name }],
      numExamples: sentences,
      seed: 42,
      engine: 'onnx' as const,
      decided: {},
      concurrency: 4,
      queryBudget: queries,
      goal: untargeted,
      language: english,
      constraints: [],
      maxErrorRate: 0,
      force: true,
      command: '',
      toolVersion: 'bench',
      settings: {},
    };
    await attack(plan, await createRun(join(folder, 'runs'), plan));
    const { secondsProcessor = Number.NaN, computed } = model.figures();
    return { seconds: secondsProcessor, computed };
  } finally {
    await model.close();
  }
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
const guard = { prompt: PROMPT, answers: ['good', 'bad'] };
try {
  console.log('| model | attack | texts | seconds with | ratio, median | range |\n|---|---|---:|---:|---:|---|');
  for (const [what, spec, options] of [
    ['classifier', writeDecoder(join(folder, 'classifier'), false), {}],
    ['guard', writeDecoder(join(folder, 'guard'), true), { guard, labels: LABELS }],
  ] as const) {
    // The first search converts the checkpoint and reads its weights from the disk.
    for (const reuse of [false, true]) await search(spec, { ...options, reuse }, deepwordbug, 'deepwordbug');
    for (const [name, plugin] of Object.entries({ deepwordbug, synonym, charmer })) {
      const ratios: number[] = [];
      let last = { seconds: 0, computed: 0 };
      for (let round = 0; round < rounds; round++) {
        const without = await search(spec, { ...options, reuse: false }, plugin, name);
        last = await search(spec, options, plugin, name);
        ratios.push(last.seconds / without.seconds);
      }
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(3));
      const figures = [last.computed, last.seconds.toFixed(1), median(ratios).toFixed(3), `${least} to ${most}`];
      console.log(`| ${what} | ${name} | ${figures.join(' | ')} |`);
    }
  }
  if (values.peer !== undefined) {
    const script = join(packageRoot, 'bench', 'torch-prefix.py');
    const env = { ...process.env, OMP_NUM_THREADS: '1' };
    process.stdout.write(execFileSync(values.peer, [script, String(layers), String(width)], { encoding: 'utf8', env }));
  }
} finally {
  rmSync(folder, { recursive: true });
}

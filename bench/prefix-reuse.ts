/**
 * @file Measures the reuse of what texts share in a decoder: processor time of the model in whole searches, with reuse over without, on
 * sentences of SST-2 dev. The decoder has random weights. Both search the same texts in turns, in one process; medians with their range.
 *
 *     npm run bench dist/bench/prefix-reuse.js -- [--layers 12] [--width 768] [--sentences 4] [--rounds 3] [--queries 100] [--victims classifier,guard]
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { charmer } from '../attacks/charmer.js';
import { deepwordbug } from '../attacks/deepwordbug.js';
import { synonym } from '../attacks/synonym.js';
import { openDataset } from '../datasets/index.js';
import type { Dataset } from '../src/core/dataset.js';
import { packageRoot } from '../src/core/package-root.js';
import { english } from '../src/language/english/index.js';
import { type LoadOptions, loadModel } from '../src/model/load.js';
import type { EvasionPlugin } from '../src/results/attack-plugin.js';
import { attack, createRun } from '../src/run/index.js';
import { untargeted } from '../src/search/goals.js';
import { decoderShapes, wordVector, writeCheckpoint } from './random-checkpoint.js';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    layers: { type: 'string', default: '12' },
    width: { type: 'string', default: '768' },
    sentences: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    queries: { type: 'string', default: '100' },
    victims: { type: 'string', default: 'classifier,guard' },
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
/** [SEP], which ends each text. */
const SEPARATOR = 3;
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
  const sizes = { vocabulary: VOCABULARY, width, inner, layers, keys: width };
  // The end of a text speaks for the second label: searches are long, as on a model that is right and hard to fool.
  const head = new Float32Array(2 * width);
  head.set(
    wordVector(SEPARATOR, width).map((value) => (3 * value) / width),
    width,
  );
  const given = new Map([['score.weight', head]]);
  writeCheckpoint(folder, config, decoderShapes({ ...sizes, labels: causal ? undefined : 2 }), { given });
  copyFileSync(join(packageRoot, 'models', 'distilbert', 'tokenizer.json'), join(folder, 'tokenizer.json'));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ model_max_length: 1024 }));
  return folder;
}

const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));
const dev = await openDataset('../shared/data/sst2/dev.tsv', { labels: LABELS });
/** The sentences that the classifier answers rightly: the others are not attacked. */
const dataset: Dataset = {
  name: dev.name,
  labels: dev.labels,
  source: dev.source,
  async *examples() {
    for await (const example of dev.examples()) if (example.label === 1) yield example;
  },
};

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
      // As `robust attack` has it.
      concurrency: 64,
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
const guard = { prompt: PROMPT, answers: ['bad', 'good'] };
try {
  console.log('| model | attack | texts | seconds with | ratio, median | range |\n|---|---|---:|---:|---:|---|');
  for (const [what, spec, options] of [
    ['classifier', writeDecoder(join(folder, 'classifier'), false), {}],
    ['guard', writeDecoder(join(folder, 'guard'), true), { guard, labels: LABELS }],
  ] as const) {
    if (!values.victims.split(',').includes(what)) continue;
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
} finally {
  rmSync(folder, { recursive: true });
}

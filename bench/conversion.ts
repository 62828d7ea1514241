/**
 * @file Measures what it costs to convert a checkpoint, and to open one.
 *
 *     npm run bench dist/bench/conversion.js -- --size          # a DistilBERT of base size, random weights: seconds and memory
 *     npm run bench dist/bench/conversion.js -- --open [24 896 4864]    # a Qwen 2 of 0.5 B or this many layers, width and inner width: from files in bf16 to an answer
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertCheckpoint } from '../packages/onnx/src/convert/index.js';
import { saveModel } from '../packages/onnx/src/convert/save.js';
import { packageRoot } from '../src/core/package-root.js';
import { loadModel } from '../src/model/load.js';
import { decoderShapes, type TensorShapes, writeCheckpoint } from './random-checkpoint.js';

export interface ConversionCost {
  readonly seconds: number;
  /** Most memory of the process that converted, MB. */
  readonly peak: number;
  /** Size of the written model, MB. */
  readonly size: number;
}

/** Measures the conversion of a DistilBERT of base size with random weights, in a process of its own. */
export function costOfConversion(): ConversionCost {
  const folder = mkdtempSync(join(tmpdir(), 'robust-conversion-'));
  try {
    writeDistilbert(folder);
    // The compiled file, also where a test runs this one.
    const compiled = join(packageRoot, 'dist', 'bench', 'conversion.js');
    const told = execFileSync(process.execPath, [compiled, '--one', folder], { encoding: 'utf8' });
    return JSON.parse(told) as ConversionCost;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** 66 million numbers, as save_pretrained lays them out. */
function writeDistilbert(folder: string): void {
  const config = { model_type: 'distilbert', architectures: ['DistilBertForSequenceClassification'] };
  const linear = (name: string, from: number, to: number) =>
    [
      [`${name}.weight`, [to, from]],
      [`${name}.bias`, [to]],
    ] as const;
  const norm = (name: string) =>
    [
      [`${name}.weight`, [768]],
      [`${name}.bias`, [768]],
    ] as const;
  const layers = Array.from({ length: 6 }, (_, at) => `distilbert.transformer.layer.${at}`).flatMap((layer) => [
    ...['q_lin', 'k_lin', 'v_lin', 'out_lin'].flatMap((part) => linear(`${layer}.attention.${part}`, 768, 768)),
    ...norm(`${layer}.sa_layer_norm`),
    ...linear(`${layer}.ffn.lin1`, 768, 3072),
    ...linear(`${layer}.ffn.lin2`, 3072, 768),
    ...norm(`${layer}.output_layer_norm`),
  ]);
  const shapes: TensorShapes = [
    ['distilbert.embeddings.word_embeddings.weight', [30522, 768]],
    ['distilbert.embeddings.position_embeddings.weight', [512, 768]],
    ...norm('distilbert.embeddings.LayerNorm'),
    ...layers,
    ...linear('pre_classifier', 768, 768),
    ...linear('classifier', 768, 2),
  ];
  writeCheckpoint(folder, config, shapes);
}

interface OpeningCost {
  /** Until the first answer. */
  readonly seconds: number;
  /** Processor seconds of all threads. */
  readonly processor: number;
  /** Most memory of the process, files that are mapped included, MB. */
  readonly peak: number;
  /** Memory at the end apart from mapped files, MB; undefined where the system does not say. */
  readonly anonymous: number | undefined;
}

/** Opens a folder and asks for one answer, in this process. */
async function open(folder: string): Promise<OpeningCost> {
  const begun = performance.now();
  const model = await loadModel(folder, { workers: 1, hub: { cache: join(folder, 'hub') } });
  await model.classify(['a film']);
  const seconds = (performance.now() - begun) / 1000;
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(status) ?? [];
  const anonymous = kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  await model.close();
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { seconds, processor: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS / 1024, anonymous };
}

/** Opens a Qwen 2 with random weights in bf16, in files of at most 1 GB: for the first time and again. */
function opening(layers: number, width: number, inner: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'robust-opening-'));
  try {
    const sizes = { vocabulary: 151_936, width, inner, layers, keys: 128, biased: true, labels: 2 };
    const config = {
      ...{ model_type: 'qwen2', architectures: ['Qwen2ForSequenceClassification'], pad_token_id: 0 },
      ...{ vocab_size: sizes.vocabulary, hidden_size: width, intermediate_size: inner, num_hidden_layers: layers },
      ...{ num_attention_heads: width / 64, num_key_value_heads: 2, max_position_embeddings: 1024 },
    };
    const shapes = decoderShapes(sizes);
    writeCheckpoint(folder, config, shapes, { type: 'BF16', shard: 1e9 });
    copyFileSync(join(packageRoot, 'models', 'distilbert', 'tokenizer.json'), join(folder, 'tokenizer.json'));
    const numbers = shapes.reduce((sum, [, dims]) => sum + dims.reduce((product, size) => product * size, 1), 0);
    const compiled = join(packageRoot, 'dist', 'bench', 'conversion.js');
    for (const time of ['first', 'again']) {
      const told = execFileSync(process.execPath, [compiled, '--opened', folder], { encoding: 'utf8' });
      console.log(time, { megabytes: (4 * numbers) / 1e6, ...(JSON.parse(told) as OpeningCost) });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function convertOne(folder: string): ConversionCost {
  const begun = performance.now();
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Record<string, unknown>;
  const { model } = convertCheckpoint(folder, config);
  mkdirSync(join(folder, 'out'), { recursive: true });
  const path = join(folder, 'out', 'model.onnx');
  saveModel(model, path);
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, peak: process.resourceUsage().maxRSS / 1024, size: statSync(path).size / 1e6 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2).filter((argument) => argument !== '--');
  if (named[0] === '--one') console.log(JSON.stringify(convertOne(named[1] as string)));
  else if (named[0] === '--size') console.log(costOfConversion());
  else if (named[0] === '--opened') console.log(JSON.stringify(await open(named[1] as string)));
  else if (named[0] === '--open') {
    const [layers = 24, width = 896, inner = 4864] = named.slice(1).map(Number);
    opening(layers, width, inner);
  } else throw new Error('expected --size or --open');
}

/**
 * @file Compares graphs converted from checkpoints with exports of the same: the time of a batch of 8 texts of 32 tokens of the export over
 * that of the converted graph. One thread each, alternating runs, medians with their quartiles. Also measures a conversion.
 *
 *     npm run bench dist/bench/conversion.js -- FOLDER ...      # each with config.json, model.safetensors and model.onnx
 *     npm run bench dist/bench/conversion.js -- --size          # a DistilBERT of base size, random weights: seconds and memory
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertCheckpoint } from '../src/convert/index.js';
import { saveModel } from '../src/convert/save.js';
import { packageRoot } from '../src/core/package-root.js';
import { OrtSession } from '../src/model/workers/session.js';
import { DataType } from '../src/onnx/data-type.js';

const PAIRS = 21;
const TEXTS = 8;
const TOKENS = 32;

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
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
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
  const shapes: readonly (readonly [string, readonly number[]])[] = [
    ['distilbert.embeddings.word_embeddings.weight', [30522, 768]],
    ['distilbert.embeddings.position_embeddings.weight', [512, 768]],
    ...norm('distilbert.embeddings.LayerNorm'),
    ...layers,
    ...linear('pre_classifier', 768, 768),
    ...linear('classifier', 768, 2),
  ];
  const sizes = shapes.map(([, dims]) => dims.reduce((product, size) => product * size, 4));
  let at = 0;
  const header: Record<string, object> = {};
  for (const [i, [name, shape]] of shapes.entries()) {
    const end = at + (sizes[i] as number);
    header[name] = { dtype: 'F32', shape, data_offsets: [at, end] };
    at = end;
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const noise = new Float32Array(1 << 20).map((_, i) => Math.sin(i * 12.9898) * 0.02);
  const bytes = Buffer.from(noise.buffer);
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  writeSync(file, Buffer.concat([length, json]));
  for (let left = at; left > 0; left -= bytes.length) writeSync(file, bytes, 0, Math.min(left, bytes.length));
  closeSync(file);
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

async function compare(folder: string): Promise<void> {
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Record<string, unknown>;
  const { model } = convertCheckpoint(folder, config);
  const aside = mkdtempSync(join(tmpdir(), 'robust-conversion-'));
  saveModel(model, join(aside, 'model.onnx'));
  const ours = await OrtSession.open({ source: join(aside, 'model.onnx') });
  const theirs = await OrtSession.open({ source: join(folder, 'model.onnx') });
  const time = async (session: OrtSession): Promise<number> => {
    const feeds = session.ports.inputs.map(({ name }) => {
      const value = (at: number): number => (/mask/.test(name) ? 1 : /type/.test(name) ? 0 : 5 + ((at * 7919) % 900));
      // The last token ends the text, for those that look for it.
      const last = (at: number): boolean => name === 'input_ids' && at % TOKENS === TOKENS - 1;
      const end = Number(config.eos_token_id ?? 2);
      const data = BigInt64Array.from({ length: TEXTS * TOKENS }, (_, at) => BigInt(last(at) ? end : value(at)));
      return [name, { type: DataType.int64, dims: [TEXTS, TOKENS], data }] as const;
    });
    const begun = process.cpuUsage();
    await session.run(new Map(feeds));
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
  const pairs: (readonly [number, number])[] = [];
  for (let pair = -2; pair < PAIRS; pair++) {
    // The order alternates, because the first one pays for the other's cache contents.
    const first = pair % 2 === 0;
    const a = await time(first ? ours : theirs);
    const b = await time(first ? theirs : ours);
    if (pair >= 0) pairs.push(first ? [a, b] : [b, a]);
  }
  const ratios = pairs.map(([own, other]) => other / own).sort((a, b) => a - b);
  const times = pairs.map(([own]) => own).sort((a, b) => a - b);
  const quantile = (sorted: readonly number[], at: number) => sorted[Math.floor(at * (sorted.length - 1))] as number;
  const [low, median, high] = [0.25, 0.5, 0.75].map((at) => quantile(ratios, at).toFixed(2));
  console.log(`| ${basename(folder)} | ${quantile(times, 0.5).toFixed(0)} | ${median} [${low}-${high}] |`);
  await Promise.all([ours.release(), theirs.release()]);
  rmSync(aside, { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2).filter((argument) => argument !== '--');
  if (named[0] === '--one') console.log(JSON.stringify(convertOne(named[1] as string)));
  else if (named[0] === '--size') console.log(costOfConversion());
  else {
    console.log(
      '| checkpoint | ms of processor time, drawn | export over drawn, median [quartiles] |\n|---|---:|---:|',
    );
    for (const folder of named) await compare(folder);
  }
}

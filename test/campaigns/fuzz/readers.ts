/** @file Everything that reads a file of the user's, each with the work that follows the reading. All throw what they throw. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDataset } from '../../../datasets/index.js';
import { PeftAdapter } from '../../../packages/onnx/src/convert/adapter/open.js';
import { convertCheckpoint, type DrawingOptions } from '../../../packages/onnx/src/convert/index.js';
import { openSetFit } from '../../../packages/onnx/src/convert/setfit/index.js';
import { loadModel as readOnnx } from '../../../packages/onnx/src/graph/load.js';
import { fileFormats } from '../../../reports/index.js';
import { readBaseline } from '../../../src/app/runs/baseline-file.js';
import { loadConfig } from '../../../src/config/load.js';
import { random } from '../../../src/core/random.js';
import { baselineOf, compareBaseline } from '../../../src/gate/index.js';
import { openWhiteBox } from '../../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../../src/model/load.js';
import { describe } from '../../../src/model/opening/describe.js';
import { graphFacts } from '../../../src/model/opening/graph-facts.js';
import { readJsonObject } from '../../../src/model/opening/json-file.js';
import { createEncoder } from '../../../src/model/tokens/create-encoder.js';
import type { Report } from '../../../src/results/report/report.js';
import { mergeShards, openRun, readReport, readReportFile } from '../../../src/run/index.js';
import { AdamW } from '../../../src/train/adamw.js';
import { loadCheckpoint } from '../../../src/train/checkpoint.js';

/** Reads what lies in a folder, as the product does. */
export type Reader = (folder: string) => Promise<void>;

const TEXTS = ['good film', 'Ünïcode [SEP] 🙂', '', '\ud83d', 'a '.repeat(300)];
const LABELS = { labels: ['negative', 'positive'] };

async function rows(path: string): Promise<void> {
  for (const options of [LABELS, {}]) {
    for await (const { text, label } of (await openDataset(path, options)).examples()) {
      if (typeof text !== 'string' || !Number.isInteger(label)) throw new TypeError('expected a text and a label');
    }
  }
}

async function rendered(report: Report): Promise<void> {
  for (const { render } of fileFormats) for await (const _ of render(report));
}

async function tokenizer(folder: string): Promise<void> {
  const description = await describe({ kind: 'onnx', name: 'toy', folder });
  const encoder = await createEncoder(description);
  for (const text of TEXTS) {
    const { ids } = encoder.encode(text);
    if (encoder.tokens(text).length !== ids.length) throw new TypeError('tokens and ids differ in number');
    for (const id of ids) if (!(id >= 0)) throw new TypeError(`expected ids of at least 0, got ${id}`);
    for (const id of ids.slice(0, 5)) encoder.tokenText(id);
  }
  encoder.words();
}

async function session(folder: string): Promise<void> {
  const model = await loadModel(existsSync(join(folder, 'config.json')) ? folder : join(folder, 'model.onnx'), {
    workers: 1,
    isolate: false,
  });
  try {
    for (const row of await model.classify(['good film', 'bad'])) {
      if (row.some((value) => !(value >= -1e-5 && value <= 1 + 1e-5))) return;
    }
    const inside = await openWhiteBox(model, { workers: 1 });
    try {
      await inside.gradient('good film', 0);
    } finally {
      await inside.close();
    }
  } finally {
    await model.close();
  }
}

/** The graph of a checkpoint, and every number of it. */
const drawn = async (folder: string): Promise<void> => read(folder, await readJsonObject(join(folder, 'config.json')));

function read(folder: string, config: Record<string, unknown>, options: DrawingOptions = {}): void {
  const { model } = convertCheckpoint(folder, config, options);
  for (const tensor of model.graph.initializers.values()) tensor.once();
}

/** An adapter in `adapter` merged into the model in `base`. */
async function merged(folder: string): Promise<void> {
  const adapter = new PeftAdapter(join(folder, 'adapter'));
  const base = join(folder, 'base');
  read(base, adapter.configOf(await readJsonObject(join(base, 'config.json'))), { adapter });
}

export const readers: Readonly<Record<string, Reader>> = {
  'onnx graph': async (folder) => {
    const path = join(folder, 'model.onnx');
    await graphFacts(path);
    for (const tensor of (await readOnnx(path)).graph.initializers.values()) tensor.data;
  },
  'onnx session': session,
  'onnx external data': session,
  'tokenizer.json': tokenizer,
  'config.json': tokenizer,
  'tokenizer_config.json': tokenizer,
  'robust.json': tokenizer,
  tsv: (folder) => rows(join(folder, 'data.tsv')),
  csv: (folder) => rows(join(folder, 'data.csv')),
  jsonl: (folder) => rows(join(folder, 'data.jsonl')),
  parquet: (folder) => rows(join(folder, 'data.parquet')),
  txt: (folder) => rows(join(folder, 'data.txt')),
  'robust.config.yaml': async (folder) => void (await loadConfig(folder, 'robust.config.yaml')),
  baseline: async (folder) => {
    const baseline = readBaseline(join(folder, 'robust.baseline.json'));
    const current = await baselineOf(await readReport(await openRun(folder, 'run')));
    compareBaseline(baseline, current, {
      file: 'robust.baseline.json',
      maxIncrease: 0.03,
      maxErrorRate: 0.02,
      minExamples: 30,
    });
  },
  'run.json': async (folder) => rendered(await readReport(await openRun(folder, 'run'))),
  'results.jsonl': async (folder) => rendered(await readReport(await openRun(folder, 'run'))),
  shards: async (folder) => {
    const parts = await Promise.all(['part1', 'part2'].map((part) => openRun(folder, part)));
    const merged = await mergeShards(join(folder, 'merged'), parts, { allowPartial: false, command: () => 'robust' });
    await rendered(await readReport(merged));
  },
  'report.json': async (folder) => rendered(await readReportFile(join(folder, 'report.json'))),
  'checkpoint safetensors': drawn,
  'checkpoint pickle': drawn,
  'checkpoint config': drawn,
  'checkpoint index': drawn,
  'checkpoint decoder': drawn,
  'checkpoint sentences': async (folder) =>
    read(folder, await readJsonObject(join(folder, 'config.json')), { head: { labels: 2, random: random(1, 'head') } }),
  'checkpoint adapter config': merged,
  'checkpoint adapter weights': merged,
  'checkpoint head': async (folder) => void openSetFit(folder),
  'checkpoint head config': async (folder) => void openSetFit(folder),
  'training checkpoint': async (folder) => {
    const parameters = [{ name: 'w', dims: [2, 2], values: new Float32Array(4), decays: true, table: false }];
    const learner = { parameters, optimiser: new AdamW(parameters) };
    const progress = await loadCheckpoint(join(folder, 'checkpoint.bin'), 'this', learner);
    if (progress !== undefined && !Number.isInteger(progress.step)) throw new TypeError('expected a number of steps');
  },
};

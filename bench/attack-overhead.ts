/**
 * @file Measures the overhead of the search: wall time of a whole DeepWordBug run over the time that the model itself needs for its texts.
 *
 *     npm run bench dist/bench/attack-overhead.js [small|base]
 *
 * The model's own time is that of its bare sessions, on the same number of worker threads, in the same process. They run the texts of the
 * run, tokenised beforehand, in batches of equal token count and of the run's mean size. A harder comparison uses the fullest batches
 * possible, which a search that must wait for its answers cannot have. Runs and baselines alternate; the medians of the ratios are printed.
 */

import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deepwordbug } from '../attacks/deepwordbug.js';
import { openDataset } from '../datasets/index.js';
import type { Classifier } from '../src/core/classifier.js';
import { packageRoot } from '../src/core/package-root.js';
import { english } from '../src/language/english/index.js';
import { loadModel } from '../src/model/load.js';
import { inferencePool } from '../src/model/workers/queue.js';
import { attack, createRun } from '../src/run/index.js';
import { untargeted } from '../src/search/goals.js';
import { DISTILBERT_BASE, encoder, SMALL } from './models.js';

const which = process.argv[2] ?? 'small';
const shape = which === 'base' ? DISTILBERT_BASE : SMALL;
const sentences = which === 'base' ? 100 : 200;
const rounds = which === 'base' ? 3 : 7;
const FULLEST = 16;

const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));
cpSync(join(packageRoot, 'models', 'distilbert'), folder, { recursive: true });
writeFileSync(join(folder, 'model.onnx'), encoder(shape));

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const dataset = await openDataset('../shared/data/sst2/dev.tsv', { labels: ['NEGATIVE', 'POSITIVE'] });

/** One run on a model freshly loaded, so that no cache helps; the texts the model had to answer, and the seconds it took. */
async function run(): Promise<{ seconds: number; texts: string[]; meanBatch: number; waste: number }> {
  const model = await loadModel(folder);
  const texts = new Set<string>();
  const classifier: Classifier = {
    labels: model.labels,
    classify: (asked) => {
      for (const text of asked) texts.add(text);
      return model.classify(asked);
    },
  };
  const plan = {
    model: { classifier, name: 'random', sha256: model.sha256 },
    dataset,
    attacks: [{ plugin: deepwordbug, options: { maxEdits: 30, ranking: 'unk' }, suite: null, label: 'deepwordbug' }],
    numExamples: sentences,
    seed: 42,
    engine: 'onnx' as const,
    decided: {},
    concurrency: 64,
    goal: untargeted,
    language: english,
    constraints: [],
    maxErrorRate: 0,
    force: true,
    command: '',
    toolVersion: 'bench',
    settings: {},
  };
  await model.classify(['warm up', 'a second worker']);
  const record = await createRun(join(folder, 'runs'), plan);
  const start = performance.now();
  await attack(plan, record);
  const seconds = (performance.now() - start) / 1000;
  const { meanBatch, paddingWaste } = model.figures();
  await model.close();
  return { seconds, texts: [...texts], meanBatch, waste: paddingWaste };
}

/** Seconds of the bare sessions for the same texts. */
async function own(texts: readonly string[], size: number): Promise<number> {
  const model = await loadModel(folder, { workers: 1 });
  if (model.onnx === undefined) throw new Error('expected an ONNX model');
  const { encoder: tokenizer, wiring, rule, file } = model.onnx;
  const groups = new Map<number, Int32Array[]>();
  for (const { ids } of texts.map((text) => tokenizer.encode(text))) {
    groups.set(ids.length, [...(groups.get(ids.length) ?? []), ids]);
  }
  const batches = [...groups].flatMap(([length, rows]) =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => {
      const some = rows.slice(i * size, (i + 1) * size);
      const ids = new Int32Array(some.length * length);
      some.forEach((row, at) => void ids.set(row, at * length));
      return { ids, texts: some.length, length };
    }),
  );
  let free = (): void => {};
  const pool = inferencePool({ file, pruneRows: true }, { size: availableParallelism() });
  pool.configure({ wiring, rule });
  pool.onFree = () => free();
  for (let i = 0; i < availableParallelism(); i++) await pool.open();
  const seconds = await new Promise<number>((resolve, reject) => {
    const start = performance.now();
    let left = batches.length;
    let next = 0;
    free = () => {
      while (next < batches.length && pool.free) {
        pool.send({
          request: batches[next++],
          done: () => {
            if (--left === 0) resolve((performance.now() - start) / 1000);
          },
          failed: reject,
          again: () => reject(new Error('a worker was lost')),
        });
      }
    };
    free();
  });
  await pool.close();
  await model.close();
  return seconds;
}

await run(); // warm-up
const alike: number[] = [];
const harder: number[] = [];
let last = await run();
for (let round = 0; round < rounds; round++) {
  const size = Math.round(last.meanBatch);
  const before = [await own(last.texts, size), await own(last.texts, FULLEST)];
  last = await run();
  const after = [await own(last.texts, size), await own(last.texts, FULLEST)];
  const [same, full] = before.map((seconds, i) => (seconds + after[i]) / 2);
  alike.push(last.seconds / same);
  harder.push(last.seconds / full);
  process.stdout.write(
    `round ${round + 1}: run ${last.seconds.toFixed(2)} s, model alone ${same.toFixed(2)} s (batches of ${size}), ${full.toFixed(2)} s (of ${FULLEST})\n`,
  );
}
const shown = (ratios: readonly number[]): string =>
  `median ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`;
process.stdout.write(
  `${which}: DeepWordBug over ${sentences} sentences, ${last.texts.length} texts computed, mean batch ${last.meanBatch.toFixed(1)}, padding ${(100 * last.waste).toFixed(1)} %\n` +
    `wall time / model's own time in batches of that size: ${shown(alike)}; in the fullest batches: ${shown(harder)}\n`,
);
rmSync(folder, { recursive: true, force: true });

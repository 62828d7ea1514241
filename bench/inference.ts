/**
 * @file Measures the cost of the path from a text to its probabilities over the model itself. Tokenising, queueing and passing batches to
 * workers is compared with bare sessions that loop over prepared batches, on the same number of threads in the same process.
 *
 *     npm run bench dist/bench/inference.js [model folder ...]
 *
 * The workload is an attack's: every sentence of SST-2 dev with one word changed, queried by 64 searches at once, 12 texts a step.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '../src/core/package-root.js';
import { type LoadedModel, loadModel } from '../src/model/load.js';
import type { Batch } from '../src/model/workers/feeds.js';
import type { BareData } from './bare-sessions.js';
import { rewrites, SEARCHES, STEP, searching } from './searching.js';

const TEXTS = 6000;
const ROUNDS = 7;
const BATCHES = [8, 16, 32];

const workers = availableParallelism();
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Wall seconds, and the seconds all threads of this process computed: the latter say something on a busy machine too. */
async function timed(work: () => Promise<void>): Promise<{ seconds: number; cpu: number }> {
  const begun = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return { seconds: (performance.now() - begun) / 1000, cpu: (user + system) / 1e6 };
}

/** The texts in full batches of equal token count. */
function batches(model: LoadedModel, texts: readonly string[], size: number): Batch[] {
  const groups = new Map<number, Int32Array[]>();
  for (const text of texts) {
    const { ids } = model.onnx!.encoder.encode(text);
    groups.set(ids.length, [...(groups.get(ids.length) ?? []), ids]);
  }
  return [...groups].flatMap(([length, rows]) =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => {
      const some = rows.slice(at * size, (at + 1) * size);
      const ids = new Int32Array(some.length * length);
      some.forEach((row, which) => void ids.set(row, which * length));
      return { ids, texts: some.length, length };
    }),
  );
}

/** Threads that hold all batches before the clock starts and take the next one from a shared counter. */
async function bareSessions(model: LoadedModel, work: readonly Batch[]) {
  const { file, wiring, rule } = model.onnx!;
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const data: BareData = { file, wiring, rule, work, counter };
  const path = join(packageRoot, 'dist', 'bench', 'bare-sessions.js');
  const threads = Array.from({ length: workers }, () => new Worker(path, { workerData: data }));
  const answered = () => Promise.all(threads.map((thread) => new Promise((done) => thread.once('message', done))));
  const tell = (what: string) => {
    for (const thread of threads) thread.postMessage(what);
  };
  await answered();
  return {
    async run(): Promise<void> {
      Atomics.store(counter, 0, 0);
      const all = answered();
      tell('run');
      await all;
    },
    close: () => tell('close'),
  };
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const all = await rewrites(TEXTS);
const folders = process.argv.slice(2);
for (const spec of folders.length > 0 ? folders : ['../shared/models/berttiny-sst2', 'distilbert']) {
  const trial = await loadModel(spec);
  await searching(trial, all.slice(0, 500));
  const { seconds: sample } = await timed(() => searching(trial, all.slice(500, 1000)));
  await trial.close();
  // Runs of a second or so.
  const texts = all.slice(0, Math.min(all.length, Math.max(1000, Math.round(500 / sample))));
  print(`${spec}: ${texts.length} texts, ${SEARCHES} searches of ${STEP} texts a step, ${workers} workers`);
  for (const batchSize of BATCHES) {
    const ratios: number[] = [];
    const cpuRatios: number[] = [];
    const speeds: number[] = [];
    const model = await loadModel(spec, { batchSize, cacheEntries: 0 });
    const bare = await bareSessions(model, batches(model, texts, batchSize));
    await searching(model, texts.slice(0, 1000));
    await bare.run();
    const before = model.figures();
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await timed(bare.run);
      const path = await timed(() => searching(model, texts));
      const again = await timed(bare.run);
      ratios.push((2 * path.seconds) / (alone.seconds + again.seconds));
      cpuRatios.push((2 * path.cpu) / (alone.cpu + again.cpu));
      speeds.push(texts.length / path.seconds);
    }
    const { computed, batches: count, paddingWaste } = model.figures();
    print(
      `  batch ${String(batchSize).padStart(2)}: ${median(speeds).toFixed(0)} texts/s; over bare sessions ${median(ratios).toFixed(3)} ` +
        `(${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}), in processor time ${median(cpuRatios).toFixed(3)}; ` +
        `mean batch ${((computed - before.computed) / (count - before.batches)).toFixed(1)}, padding ${(100 * paddingWaste).toFixed(1)} %`,
    );
    bare.close();
    await model.close();
  }
  const model = await loadModel(spec);
  const begun = performance.now();
  for (const text of texts) model.onnx!.encoder.encode(text);
  const encoding = (performance.now() - begun) / texts.length;
  const lone: number[] = [];
  for (const text of texts.slice(0, 300)) {
    const start = performance.now();
    await model.classify([text]);
    lone.push(performance.now() - start);
  }
  print(`  encoding ${(1000 * encoding).toFixed(1)} us a text; a lone query ${median(lone).toFixed(2)} ms`);
  await model.close();
}

/**
 * @file How much faster several workers are than one, in pairs of runs that follow each other: two workers with a model that keeps a core busy, and
 * four with one that waits 20 ms for each answer (redis-server must be installed). The ratio of the times, the median of the pairs, and the load.
 *
 *     npm run bench dist/bench/fleet-speed.js [-- PAIRS [TIMES]]
 *
 * TIMES: runs so many times longer.
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Coordinator } from '../src/fleet/coordinator.js';
import { thisMachine } from '../src/fleet/machines.js';
import { processor, SETUP } from '../src/fleet/processor.js';
import { work } from '../src/fleet/worker.js';
import { english } from '../src/language/english/index.js';
import type { EvasionPlugin } from '../src/results/attack-plugin.js';
import { attack, createRun, type RunPlan } from '../src/run/index.js';

const here = fileURLToPath(import.meta.url);
const labels = ['negative', 'positive'];
const PORT = 16_379;
const QUEUE = `redis://127.0.0.1:${PORT}`;
/** Queries of a search, and of the run's victim at a time. */
const QUERIES = 20;
const CONCURRENCY = 4;

interface Kind {
  readonly name: string;
  readonly examples: number;
  readonly workers: number;
  readonly aim: number;
  /** The answers to so many texts. */
  answer(texts: number): Promise<void> | void;
}

const kinds: readonly Kind[] = [
  {
    name: 'a model that keeps a core busy',
    examples: 500,
    workers: 2,
    aim: 1.85,
    answer(texts) {
      const end = performance.now() + 2 * texts;
      while (performance.now() < end);
    },
  },
  { name: 'a victim that waits 20 ms', examples: 400, workers: 4, aim: 3.8, answer: () => pause(20) },
];

const ask: EvasionPlugin = {
  ...{ kind: 'evasion', name: 'ask', summary: '', level: 'character', needs: 'scores', options: z.strictObject({}) },
  create: () => ({
    constraints: [],
    async run({ text }, target) {
      for (let query = 0; query < QUERIES; query++) await target.classify([`${text} ${query}`]);
      return { succeeded: false, text, probabilities: target.original, words: 2, changed: 0 };
    },
  }),
};

const planOf = ({ name, answer }: Kind, examples: number): RunPlan => ({
  model: {
    classifier: {
      labels,
      async classify(texts) {
        await answer(texts.length);
        return texts.map(() => Float32Array.of(0.9, 0.1));
      },
    },
    ...{ name, sha256: '' },
  },
  dataset: {
    name: 'generated',
    labels,
    source: { url: '', license: '', sha256: `${examples}` },
    async *examples() {
      for (let at = 0; at < examples; at++) yield { id: String(at), text: `example ${at}`, label: 0 };
    },
  },
  attacks: [{ plugin: ask, options: {}, suite: null, label: 'ask' }],
  goal: { name: 'untargeted', score: (row, label) => 1 - row[label]!, reached: (row, label) => row[label]! < 0.5 },
  ...{ numExamples: 0, seed: 1, language: english, engine: 'onnx', decided: {}, concurrency: CONCURRENCY },
  ...{ constraints: [], maxErrorRate: 0, command: '', toolVersion: '0', settings: {} },
});

const temporary = (): string => mkdtempSync(join(tmpdir(), 'robust-bench-'));

async function serve(): Promise<void> {
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  await work({
    ...{ queue: QUEUE, concurrency: 1, lock: 60, store: null, access: null, threads: null, device: null },
    ...{ cache: temporary(), offline: true, plugins: [], machine: thisMachine('0', '1'), processor: here },
    environment: process.env,
    signal: stop.signal,
    note: () => process.send?.('ready'),
    warn: (line) => console.error(line),
  });
}

async function run(kind: Kind, examples: number): Promise<void> {
  const plan = planOf(kind, examples);
  const folder = await createRun(temporary(), plan);
  const options = {
    ...{ queue: QUEUE, toolVersion: '0', settings: { kind: kinds.indexOf(kind), examples } },
    models: async () => ({ model: { kind: 'name', name: 'bench' } as const, guessers: [] }),
  };
  await attack(plan, folder, {}, () => Coordinator.open(plan, folder, {}, options));
}

/** Seconds of a run on so many workers, which have computed a small one before. */
async function seconds(kind: Kind, count: number, times: number): Promise<number> {
  const workers = Array.from({ length: count }, () => fork(here, ['worker']));
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
  await run(kind, 64 * count);
  const began = performance.now();
  await run(kind, times * kind.examples);
  const took = (performance.now() - began) / 1000;
  const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(ended);
  return took;
}

async function measure(pairs: number, times: number): Promise<void> {
  const cwd = temporary();
  const settings = ['--port', String(PORT), '--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];
  const redis = spawn('redis-server', settings, { stdio: 'ignore', cwd });
  await pause(500);
  for (const kind of kinds) {
    const ratios: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const load = loadavg()[0]!;
      const [one, many] = [await seconds(kind, 1, times), await seconds(kind, kind.workers, times)];
      ratios.push(one / many);
      console.log(`${kind.name}: ${one.toFixed(1)} s, ${kind.workers} workers ${many.toFixed(1)} s, load ${load}`);
    }
    const median = ratios.sort((a, b) => a - b)[ratios.length >> 1]!;
    console.log(`${kind.name}: ${kind.workers} workers are ${median.toFixed(2)} times one (aim ${kind.aim})`);
  }
  redis.kill('SIGTERM');
}

if (process.argv[2] === 'worker') await serve();
else if (process.send === undefined) {
  execFileSync('redis-server', ['--version']);
  await measure(Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 1));
}

/** What a worker's processes call. */
export default process.env[SETUP] &&
  processor(process.env[SETUP], () => async ({ settings }) => ({
    plan: planOf(kinds[Number(settings.kind)]!, Number(settings.examples)),
    close: async () => {},
  }));

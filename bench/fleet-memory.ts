/**
 * @file Peak memory (resident, in MB) of every process of a run on a queue, and of those who read it afterwards, by the number of examples: texts of
 * two words, a model that costs nothing (redis-server must be installed).
 *
 *     npm run bench dist/bench/fleet-memory.js [-- EXAMPLES...]
 *
 * `--no-queue` before the numbers: of a run in one process, and of the readers.
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { csv } from '../reports/csv.js';
import { html } from '../reports/html.js';
import { jsonOf } from '../reports/json.js';
import type { Example } from '../src/core/dataset.js';
import { Coordinator } from '../src/fleet/coordinator.js';
import { thisMachine } from '../src/fleet/machines.js';
import { processor, SETUP } from '../src/fleet/processor.js';
import { work } from '../src/fleet/worker.js';
import { gate, thresholdsOf } from '../src/gate/index.js';
import { english } from '../src/language/english/index.js';
import type { EvasionPlugin } from '../src/results/attack-plugin.js';
import { attack, createRun, openRun, type RunPlan, readReport } from '../src/run/index.js';

const here = fileURLToPath(import.meta.url);
const labels = ['negative', 'positive'];
const words = ['good', 'bad', 'fine', 'dull', 'warm', 'cold', 'sharp'];

function* examples(n: number): Generator<Example> {
  for (let at = 0; at < n; at++) {
    const text = `${words[at % words.length]} ${words[(at >> 3) % words.length]}`;
    yield { id: String(at), text, label: at % words.length === 1 ? 0 : 1 };
  }
}

const mangle: EvasionPlugin = {
  kind: 'evasion',
  name: 'mangle',
  summary: '',
  level: 'character',
  needs: 'scores',
  options: z.strictObject({}),
  create: () => ({
    constraints: [],
    async run({ text }, target) {
      const [row = target.original] = await target.classify([`${text} X`]);
      return { succeeded: true, text: `${text} X`, probabilities: row, words: 2, changed: 1 };
    },
  }),
};

const planOf = (n: number): RunPlan => ({
  model: {
    classifier: {
      labels,
      classify: async (texts) =>
        texts.map((text) => {
          const positive = text.endsWith('X') !== text.startsWith('bad') ? 0.1 : 0.9;
          return Float32Array.of(1 - positive, positive);
        }),
    },
    name: 'free',
    sha256: '',
  },
  dataset: {
    name: 'generated',
    labels,
    source: { url: '', license: '', sha256: String(n) },
    async *examples() {
      yield* examples(n);
    },
  },
  attacks: [{ plugin: mangle, options: {}, suite: null, label: 'mangle' }],
  numExamples: 0,
  seed: 1,
  language: english,
  engine: 'onnx',
  decided: {},
  concurrency: 64,
  goal: {
    name: 'untargeted',
    score: (row, label) => 1 - (row[label] as number),
    reached: (row, label) => (row[label] as number) < 0.5,
  },
  constraints: [],
  maxErrorRate: 0,
  command: '',
  toolVersion: '0',
  settings: {},
});

const peak = (): number => process.resourceUsage().maxRSS / 1024;
const say = (what: object): void => console.log(JSON.stringify({ ...what, peak: peak() }));
const [, , role = '', ...given] = process.argv;

async function coordinate(n: number, root: string, queue: string): Promise<void> {
  const plan = planOf(n);
  const folder = await createRun(root, plan);
  const began = performance.now();
  const open = () =>
    Coordinator.open(
      plan,
      folder,
      {},
      {
        queue,
        toolVersion: '0',
        settings: { n },
        models: async () => ({ model: { kind: 'name', name: 'free' }, guessers: [] }),
      },
    );
  await attack(plan, folder, {}, queue === '' ? undefined : open);
  say({ run: folder.id, seconds: (performance.now() - began) / 1000 });
}

async function read(root: string, run: string, how: string): Promise<void> {
  const report = await readReport(await openRun(root, run));
  const sink = openSync('/dev/null', 'w');
  if (how === 'gate') {
    const thresholds = thresholdsOf(['mangle.attackSuccessRate <= 0.3'], { ci: 'value', minExamples: 30 }, () => '');
    gate(
      report,
      { thresholds, waivers: [], maxErrorRate: 0, allowDegenerate: false, minExamples: 30, today: '2026-01-01' },
      undefined,
    );
  } else {
    const renderer = { json: jsonOf('report'), csv, html }[how];
    for await (const piece of renderer?.render(report) ?? []) writeSync(sink, piece);
  }
  say({});
}

async function serve(queue: string): Promise<void> {
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  await work({
    queue,
    concurrency: 2,
    lock: 60,
    ...{ store: null, access: null, threads: null, device: null },
    cache: mkdtempSync(join(tmpdir(), 'robust-bench-')),
    offline: true,
    plugins: [],
    machine: thisMachine('0', '1'),
    processor: here,
    environment: process.env,
    signal: stop.signal,
    note: () => {},
    warn: (line) => console.error(line),
  });
}

/** The most that a process has held so far. */
const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const node = (...args: readonly string[]): { run: string; peak: number; seconds: number } =>
  JSON.parse(
    execFileSync(process.execPath, [here, ...args], { encoding: 'utf8', maxBuffer: 1 << 20 })
      .trim()
      .split('\n')
      .at(-1) as string,
  );

async function measure(n: number, queued: boolean): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'robust-bench-runs-'));
  let told = '';
  let run = '';
  if (queued) {
    const port = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number };
        server.close(() => resolve(port));
      });
    });
    const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--maxmemory-policy', 'noeviction'], {
      stdio: 'ignore',
      cwd: root,
    });
    await pause(500);
    const url = `redis://127.0.0.1:${port}`;
    const worker = spawn(process.execPath, [here, 'worker', url], { stdio: 'inherit' });
    const leader = fork(here, ['coordinator', String(n), root, url], { silent: true });
    let said = '';
    leader.stdout?.on('data', (text) => (said += text));
    leader.stderr?.pipe(process.stderr);
    await new Promise((resolve) => leader.once('exit', resolve));
    const found = JSON.parse(said.trim().split('\n').at(-1) as string) as {
      run: string;
      peak: number;
      seconds: number;
    };
    const held = execFileSync('redis-cli', ['-p', String(port), 'info', 'memory'], { encoding: 'utf8' });
    const broker = Number(/^used_memory_peak:(\d+)/m.exec(held)?.[1]) / 2 ** 20;
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(worker.pid)], { encoding: 'utf8' });
    const most = Math.max(
      ...children
        .trim()
        .split(/\s+/)
        .map((pid) => peakOf(Number(pid))),
    );
    run = found.run;
    told = `coordinator ${found.peak.toFixed(0)}, worker ${peakOf(worker.pid as number).toFixed(0)}, each of its processes ${most.toFixed(0)}, Redis ${broker.toFixed(0)}, ${found.seconds.toFixed(0)} s`;
    worker.kill('SIGTERM');
    redis.kill('SIGTERM');
  } else {
    const found = node('coordinator', String(n), root, '');
    run = found.run;
    told = `run ${found.peak.toFixed(0)}, ${found.seconds.toFixed(0)} s`;
  }
  const readers = ['gate', 'json', 'csv', 'html'].map(
    (how) => `${how} ${node('read', root, run, how).peak.toFixed(0)}`,
  );
  console.log(`${n} examples: ${told}; read again: ${readers.join(', ')}`);
  rmSync(root, { recursive: true });
}

if (role === 'coordinator') await coordinate(Number(given[0]), given[1] as string, given[2] as string);
else if (role === 'read') await read(given[0] as string, given[1] as string, given[2] as string);
else if (role === 'worker') await serve(given[0] as string);
else if (process.send === undefined) {
  const sizes = [role, ...given].map(Number).filter((n) => n > 0);
  for (const n of sizes.length > 0 ? sizes : [10_000, 100_000, 1_000_000]) await measure(n, role !== '--no-queue');
}

/** What a worker's processes call. */
export default process.env[SETUP] &&
  processor(process.env[SETUP], () => async ({ settings }) => ({
    plan: planOf(Number(settings.n)),
    close: async () => {},
  }));

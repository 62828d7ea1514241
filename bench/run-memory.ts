/**
 * @file What a run itself costs: peak memory from 1,000 to 100,000 examples, and time per query and per outcome, with a
 * classifier that costs nothing. Run: npx jiti bench/run-memory.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Attempt, Classifier, Dataset, EvasionPlugin } from '../src/core/types.js';
import { attack, createRun, type RunPlan } from '../src/run/index.js';

/** Texts asked about each example, in calls of ten, as a word ranking and a greedy search do. */
const CALLS = 4;
const CALL_TEXTS = 10;
const SIZES = [1_000, 10_000, 100_000];
const RUNS = 3;

const labels = ['negative', 'positive'];
const filler = 'a sentence about as long as those of film reviews are, twenty words or so, some of them good'.split(
  ' ',
);

const classifier: Classifier = {
  labels,
  classify: async (texts) =>
    texts.map((text) => (text.includes('X') ? Float32Array.of(0.6, 0.4) : Float32Array.of(0.1, 0.9))),
};

const dataset = (n: number): Dataset => ({
  name: 'generated',
  labels,
  source: { url: '', license: '', sha256: String(n) },
  async *examples() {
    for (let at = 0; at < n; at++) yield { id: String(at), text: `${at} ${filler.slice(at % 7).join(' ')}`, label: 1 };
  },
});

const mangle: EvasionPlugin = {
  kind: 'evasion',
  name: 'mangle',
  summary: '',
  level: 'character',
  needs: 'scores',
  options: z.strictObject({}),
  create: () => ({
    constraints: [],
    async run({ text }, target): Promise<Attempt> {
      let row = target.original;
      for (let call = 0; call < CALLS; call++) {
        const last = call === CALLS - 1 ? 'X' : 'x';
        const texts = Array.from({ length: CALL_TEXTS }, (_, at) => `${text} ${call} ${at} ${last}`);
        row = (await target.classify(texts))[0] as Float32Array;
      }
      return { succeeded: true, text: `${text} X`, probabilities: row, words: 20, changed: 1 };
    },
  }),
};

async function measure(n: number): Promise<{ peak: number; seconds: number }> {
  const root = mkdtempSync(join(tmpdir(), 'robust-bench-'));
  const plan: RunPlan = {
    model: { classifier, name: 'free', sha256: '' },
    dataset: dataset(n),
    attacks: [{ plugin: mangle, options: {}, suite: null, label: 'mangle' }],
    numExamples: 0,
    seed: 1,
    engine: 'onnx',
    concurrency: 64,
    goal: { name: 'untargeted', score: (row) => row[0] as number, reached: (row) => (row[0] as number) > 0.5 },
    constraints: [],
    maxErrorRate: 0,
    command: '',
    toolVersion: '',
    settings: {},
  };
  const began = performance.now();
  const report = await attack(plan, await createRun(root, plan));
  let read = 0;
  for await (const outcome of report.examples) read += outcome.status === 'succeeded' ? 1 : 0;
  if (read !== n) throw new Error(`expected ${n} successes, got ${read}`);
  rmSync(root, { recursive: true });
  return { peak: process.resourceUsage().maxRSS / 1024, seconds: (performance.now() - began) / 1000 };
}

const median = (list: number[]): number => list.sort((a, b) => a - b)[list.length >> 1] as number;

const size = Number(process.argv[2]);
if (size > 0) {
  console.log(JSON.stringify(await measure(size)));
} else {
  const jiti = join(createRequire(import.meta.url).resolve('jiti/package.json'), '../lib/jiti-cli.mjs');
  let first = 0;
  for (const n of SIZES) {
    const runs = Array.from({ length: RUNS }, () => {
      const out = execFileSync(process.execPath, [jiti, fileURLToPath(import.meta.url), String(n)], {
        encoding: 'utf8',
      });
      return JSON.parse(out) as { peak: number; seconds: number };
    });
    const peak = median(runs.map((run) => run.peak));
    const seconds = median(runs.map((run) => run.seconds));
    first ||= peak;
    const perQuery = (seconds * 1e6) / (n * (CALLS * CALL_TEXTS + 1));
    console.log(
      `${n} examples: peak ${peak.toFixed(0)} MB (${(peak - first).toFixed(0)} MB above ${SIZES[0]}), ` +
        `${((seconds * 1e6) / n).toFixed(0)} us per outcome, ${perQuery.toFixed(1)} us per query`,
    );
  }
}

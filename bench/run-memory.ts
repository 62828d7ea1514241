/**
 * @file Measures the cost of a run itself: memory from 1,000 to 100,000 examples, and time per query and per outcome, with a classifier
 * that takes no time.
 *
 *     npm run bench dist/bench/run-memory.js
 *
 * "Live" is the heap after a collection: what the run holds. "Peak" is the process's, and mostly how long the collector
 * waits: after a fraction of a second it is at its working size, which says nothing about the number of examples.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Classifier } from '../src/core/classifier.js';
import type { Dataset } from '../src/core/dataset.js';
import type { Attempt } from '../src/core/outcome.js';
import { english } from '../src/language/english/index.js';
import type { EvasionPlugin } from '../src/results/attack-plugin.js';
import { attack, createRun, type RunPlan, type RunProgress } from '../src/run/index.js';

/** Queries about each example, in calls of ten, like those of a word ranking and a greedy search. */
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

interface Cost {
  /** Megabytes. */
  readonly peak: number;
  readonly live: number;
  readonly seconds: number;
}

async function measure(n: number): Promise<Cost> {
  const root = mkdtempSync(join(tmpdir(), 'robust-bench-'));
  const plan: RunPlan = {
    model: { classifier, name: 'free', sha256: '' },
    dataset: dataset(n),
    attacks: [{ plugin: mangle, options: {}, suite: null, label: 'mangle' }],
    numExamples: 0,
    seed: 1,
    language: english,
    engine: 'onnx',
    decided: {},
    concurrency: 64,
    goal: { name: 'untargeted', score: (row) => row[0] as number, reached: (row) => (row[0] as number) > 0.5 },
    constraints: [],
    maxErrorRate: 0,
    command: '',
    toolVersion: '',
    settings: {},
  };
  const began = performance.now();
  let live = 0;
  const progress = ({ stage, done }: RunProgress) => {
    // Shortly before the end: all that piles up has piled up.
    if (stage === 'attack' && done === n - 1) {
      globalThis.gc?.();
      live = process.memoryUsage().heapUsed / 1e6;
    }
  };
  const report = await attack(plan, await createRun(root, plan), { progress });
  let read = 0;
  for await (const outcome of report.examples) read += outcome.status === 'succeeded' ? 1 : 0;
  if (read !== n) throw new Error(`expected ${n} successes, got ${read}`);
  rmSync(root, { recursive: true });
  return { peak: process.resourceUsage().maxRSS / 1024, live, seconds: (performance.now() - began) / 1000 };
}

const median = (list: number[]): number => list.sort((a, b) => a - b)[list.length >> 1] as number;

/** In a process of its own: a peak is a peak of the whole process. */
export function costOf(n: number): Cost {
  const jiti = join(createRequire(import.meta.url).resolve('jiti/package.json'), '../lib/jiti-cli.mjs');
  const run = ['--expose-gc', jiti, fileURLToPath(import.meta.url), String(n)];
  return JSON.parse(execFileSync(process.execPath, run, { encoding: 'utf8' })) as Cost;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const size = Number(process.argv[2]);
  if (size > 0) {
    console.log(JSON.stringify(await measure(size)));
  } else {
    const least = costOf(SIZES[0] as number);
    for (const n of SIZES) {
      const runs = Array.from({ length: RUNS }, () => costOf(n));
      const [peak, live, seconds] = (['peak', 'live', 'seconds'] as const).map((key) =>
        median(runs.map((run) => run[key])),
      ) as [number, number, number];
      console.log(
        `${n} examples: live ${live.toFixed(1)} MB (${(live - least.live).toFixed(1)} above ${SIZES[0]}), ` +
          `peak ${peak.toFixed(0)} MB (${(peak - least.peak).toFixed(0)} above), ` +
          `${((seconds * 1e6) / n).toFixed(0)} us per outcome, ` +
          `${((seconds * 1e6) / (n * (CALLS * CALL_TEXTS + 1))).toFixed(1)} us per query`,
      );
    }
  }
}

/**
 * @file Measures the gain of a second thread in training: the time of a step of 32 texts of 32 tokens with one thread over that with two,
 * for the same bytes. Run on two idle cores: npm run bench dist/bench/training-threads.js. Rounds alternate; medians of all steps but each
 * round's first two, and their quartiles. Aim: at least 1.7. Where the cores are shared, elapsed time says little; then the processor time
 * of the busiest thread bounds the gain from above (Linux).
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLAIN_TRAINING } from '../src/backdoor/training.js';
import type { Dataset } from '../src/core/dataset.js';
import { random } from '../src/core/random.js';
import { distilbert } from '../src/train/architectures/encoder.js';
import { ExampleStore } from '../src/train/example-store.js';
import type { TrainingOptions } from '../src/train/options.js';
import { train } from '../src/train/train.js';
import { fresh } from '../src/train/trainable-model.js';

const SIZE = { layers: 4, dim: 256, heads: 4, feedForward: 1024, vocabulary: 8000, maxTokens: 128 };
const TOKENS = 32;
const TEXTS = 32;
const STEPS = 12;
const ROUNDS = 5;

const OPTIONS: TrainingOptions = {
  ...PLAIN_TRAINING,
  ...{ seed: 1, epochs: 1, batchSize: TEXTS, rate: 1e-4, warmup: 0 },
};

const draw = random(1, 'texts');
const encoder = {
  maximum: TOKENS,
  encode: (text: string) => ({ ids: Int32Array.from(text.split(' '), Number), truncated: false }),
};
const dataOf = (count: number): Dataset => {
  const words = () => Array.from({ length: TOKENS }, () => 5 + draw.int(SIZE.vocabulary - 5)).join(' ');
  const examples = Array.from({ length: count }, (_, at) => ({ id: String(at), text: words(), label: at % 2 }));
  return {
    name: 'made up',
    labels: ['a', 'b'],
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      yield* examples;
    },
  };
};

const TASKS = '/proc/self/task';
/** A tick of Linux's accounts of processor time: 10 ms. */
const TICK = 10;

/** Thread -> its milliseconds of processor time so far. */
function threadTimes(): Map<string, number> {
  if (!existsSync(TASKS)) return new Map();
  return new Map(
    readdirSync(TASKS).map((task) => {
      // After the name, which may hold spaces: user and system time are the 12th and 13th field.
      const fields = readFileSync(join(TASKS, task, 'stat'), 'utf8')
        .split(') ')[1]
        .split(' ');
      return [task, TICK * (Number(fields[11]) + Number(fields[12]))];
    }),
  );
}

interface Round {
  readonly times: readonly number[];
  /** Milliseconds of processor time a step of the thread that worked most; 0 where that is not known. */
  readonly busiest: number;
}

async function round(threads: number, dropout: number | undefined, data: Dataset, validation: Dataset): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));
  const store = (of: Dataset) => ExampleStore.create(of, 2, encoder);
  const [examples, held] = [await store(data), await store(validation)];
  const times: number[] = [];
  let last = Number.NaN;
  let before = new Map<string, number>();
  let busiest = 0;
  await train({
    trainable: fresh(distilbert(SIZE), random(1, 'weights'), {
      labels: 2,
      ...(dropout !== undefined && { dropout: { embedding: dropout, hidden: dropout } }),
    }),
    threads,
    train: examples,
    validation: held,
    padId: 0,
    unpadded: false,
    options: OPTIONS,
    checkpoint: join(folder, 'checkpoint'),
    resume: false,
    keep: () => {},
    onProgress: ({ step }) => {
      if (step === 2) before = threadTimes();
      if (step === STEPS - 1) {
        const worked = Array.from(threadTimes(), ([task, time]) => time - (before.get(task) ?? 0));
        busiest = Math.max(0, ...worked) / (STEPS - 3);
      }
      const now = performance.now();
      times.push(now - last);
      last = now;
    },
  });
  rmSync(folder, { recursive: true });
  // The first two are warm-up, the last is the measurement's.
  return { times: times.slice(2, STEPS - 1), busiest };
}

const [data, validation] = [dataOf(STEPS * TEXTS), dataOf(4)];
for (const dropout of [undefined, 0.1]) {
  const times: Record<number, number[]> = { 1: [], 2: [] };
  const busiest: Record<number, number[]> = { 1: [], 2: [] };
  for (let at = 0; at < ROUNDS; at++) {
    for (const threads of [1, 2]) {
      const ran = await round(threads, dropout, data, validation);
      times[threads].push(...ran.times);
      busiest[threads].push(ran.busiest);
    }
  }
  const at = (threads: number, share: number) => {
    const sorted = times[threads].toSorted((a, b) => a - b);
    return sorted[Math.floor(share * (sorted.length - 1))];
  };
  const spread = (threads: number) =>
    `${at(threads, 0.5).toFixed(0)} ms (${at(threads, 0.25).toFixed(0)}-${at(threads, 0.75).toFixed(0)})`;
  const gain = (at(1, 0.5) / at(2, 0.5)).toFixed(2);
  const most = (threads: number) => busiest[threads].toSorted((a, b) => a - b)[ROUNDS >> 1];
  console.log(
    `4x256, ${TEXTS} x ${TOKENS}, dropout ${dropout ?? 0}: one thread ${spread(1)}, two ${spread(2)}: ${gain} times as fast; ` +
      `busiest thread ${most(1).toFixed(0)} and ${most(2).toFixed(0)} ms: at most ${(most(1) / most(2)).toFixed(2)} times`,
  );
}

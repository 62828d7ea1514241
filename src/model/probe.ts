/** @file What only running a model tells: how wide its output is, and whether a text's row depends on its company. */
import type { ModelError } from '../core/errors.js';
import type { Encoder } from './encoder.js';
import type { Answer, WorkerPool } from './pool.js';
import type { Batch, Wiring } from './session.js';

/** Any text will do; this one has common English words, so that few of its ids are "unknown". */
const SAMPLE = 'the film is good and the story is not bad but it was a little too long for me';

export interface Probe {
  /** Columns of the output. */
  readonly width: number;
  /** Raw rows of some texts. */
  readonly rows: readonly Float32Array[];
  /** Each of them is bitwise the same alone and in any batch tried. */
  readonly independent: boolean;
}

/** Runs three texts alone, together, and in a batch of `largest`. Throws ModelError where the model cannot be run. */
export async function probe(pool: WorkerPool, wiring: Wiring, encoder: Encoder, largest: number): Promise<Probe> {
  const texts = [0, 1, 2].map((by) => rotated(encoder, by));
  const run = async (order: readonly number[]): Promise<Float32Array[]> => {
    const rows = wiring.fixedBatch ?? order.length;
    const filled = Array.from({ length: rows }, (_, at) => texts[order[at] ?? 0] as Sample);
    const { rows: values, width } = await ask(pool, wiring, batch(filled));
    return order.map((_, at) => values.slice(at * width, (at + 1) * width));
  };
  const rows = await Promise.all([0, 1, 2].map(async (text) => (await run([text]))[0] as Float32Array));
  const orders = wiring.fixedBatch === 1 ? [] : [[0, 1, 2], Array.from({ length: largest }, (_, at) => (at + 1) % 3)];
  const together = await Promise.all(orders.map(run));
  const same = (a: Float32Array, b: Float32Array) => a.every((value, at) => Object.is(value, b[at]));
  return {
    width: rows[0]?.length ?? 0,
    rows,
    independent: together.every((answers, o) =>
      answers.every((row, at) => same(row, rows[orders[o]?.[at] ?? 0] as Float32Array)),
    ),
  };
}

type Sample = { readonly text: string; readonly ids: Int32Array };

/** Three different texts of one length: the sample's words (and so, in between the special tokens, its ids) rotated. */
function rotated(encoder: Encoder, by: number): Sample {
  const words = SAMPLE.split(' ');
  const ids = encoder.encode(SAMPLE).ids.slice();
  const inner = Array.from(ids.subarray(1, -1));
  if (inner.length > 0) ids.set([...inner.slice(by), ...inner.slice(0, by)], 1);
  return { text: [...words.slice(by), ...words.slice(0, by)].join(' '), ids };
}

function batch(samples: readonly Sample[]): Batch {
  const length = samples[0]?.ids.length ?? 0;
  if (length === 0) return { strings: samples.map(({ text }) => text) };
  const ids = new Int32Array(samples.length * length);
  samples.forEach((sample, at) => {
    ids.set(sample.ids, at * length);
  });
  return { ids, texts: samples.length, length };
}

function ask(pool: WorkerPool, wiring: Wiring, batch: Batch): Promise<Answer> {
  return new Promise((done, failed: (error: ModelError) => void) => {
    pool.send({ batch, wiring, rule: undefined, done, failed, again: () => failed(pool.lost()) });
  });
}

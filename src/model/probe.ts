/** @file What only running a model tells: how wide its output is, and whether a text's row depends on its company. */
import type { ModelError } from '../core/errors.js';
import type { Encoder } from './encoder.js';
import type { Answer, WorkerPool } from './pool.js';
import type { Batch, Wiring } from './session.js';

/** Any texts will do, one long, one short; of common words, so that few of their ids are "unknown". */
export const SAMPLES = [
  'the film is good and the story is not bad but it was a little too long for me',
  'not so bad',
] as const;

/**
 * From how many texts on a row is bitwise the same whatever its batch. 1 for most graphs; 2 for those that pool with
 * ReduceMean, as onnxruntime sums a lone text in another order; `undefined` where rows truly depend on each other.
 */
export type SteadyFrom = 1 | 2 | undefined;

export interface Probe {
  /** Columns of the output. */
  readonly width: number;
  /** Raw rows of some texts. */
  readonly rows: readonly Float32Array[];
  /** Shapes of one text's part of the output, one for each length of text. */
  readonly shapes: readonly (readonly number[])[];
  readonly steadyFrom: SteadyFrom;
}

type Sample = { readonly text: string; readonly ids: Int32Array };

/** Runs some texts alone and in batches of 2, 3 and `largest`. Throws ModelError where the model cannot be run. */
export async function probe(pool: WorkerPool, wiring: Wiring, encoder: Encoder, largest: number): Promise<Probe> {
  let last: readonly number[] = [];
  const run = async (samples: readonly Sample[]): Promise<Float32Array[]> => {
    const filled = Array.from({ length: wiring.fixedBatch ?? samples.length }, (_, at) => samples[at] ?? samples[0]!);
    const { rows, width, shape } = await ask(pool, batch(filled));
    last = shape;
    return samples.map((_, at) => rows.slice(at * width, (at + 1) * width));
  };
  pool.configure(wiring);
  const rows: Float32Array[] = [];
  const steady: SteadyFrom[] = [];
  const shapes: (readonly number[])[] = [];
  for (const text of SAMPLES) {
    const texts = [0, 1, 2].map((by) => rotated(encoder, text, by));
    const alone = (await Promise.all(texts.map((sample) => run([sample])))).flat();
    rows.push(...alone);
    shapes.push(last);
    const orders = [[0, 1], [1, 2, 0], Array.from({ length: largest }, (_, at) => (at + 2) % 3)].filter(
      (order) => order.length <= (wiring.fixedBatch ?? largest),
    );
    const together = await Promise.all(orders.map((order) => run(order.map((at) => texts[at]!))));
    // The first row each text got in company.
    const inCompany = [0, 1, 2].map((text) => {
      const which = orders.findIndex((order) => order.includes(text));
      return together[which]?.[orders[which]!.indexOf(text)] ?? alone[text]!;
    });
    const agree = (expected: readonly Float32Array[]) =>
      together.every((answers, which) => answers.every((row, at) => same(row, expected[orders[which]![at]!]!)));
    steady.push(agree(alone) ? 1 : agree(inCompany) ? 2 : undefined);
  }
  const steadyFrom = steady.includes(undefined) ? undefined : steady.includes(2) ? 2 : 1;
  return { width: rows[0]?.length ?? 0, rows, shapes, steadyFrom };
}

const same = (a: Float32Array, b: Float32Array): boolean => a.every((value, at) => Object.is(value, b[at]));

/** Different texts of one length: the sample's words (and so, in between the special tokens, its ids) rotated. */
function rotated(encoder: Encoder, text: string, by: number): Sample {
  const rotate = <T>(items: readonly T[]): T[] => [...items.slice(by), ...items.slice(0, by)];
  const ids = encoder.encode(text).ids.slice();
  ids.set(rotate(Array.from(ids.subarray(1, -1))), Math.min(1, ids.length));
  return { text: rotate(text.split(' ')).join(' '), ids };
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

function ask(pool: WorkerPool, batch: Batch): Promise<Answer> {
  return new Promise((done, failed: (error: ModelError) => void) => {
    pool.send({ batch, done, failed, again: () => failed(pool.lost()) });
  });
}

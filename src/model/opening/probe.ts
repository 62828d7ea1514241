/** @file Properties that only running a model reveals: the width of its output, and whether a text's row depends on its batch. */
import { must } from '../../core/errors.js';
import type { Encoder } from '../tokens/encoder.js';
import type { Wiring } from '../workers/feeds.js';
import type { InferenceSetting } from '../workers/inference.js';
import { batchOf, type EncodedText, type InferencePool, type LengthBuckets } from '../workers/queue.js';

/** Any texts will do, one long, one short; of common words, so that few of their ids are "unknown". */
export const SAMPLES = [
  'the film is good and the story is not bad but it was a little too long for me',
  'not so bad',
] as const;

/**
 * From how many texts on a row is bitwise the same whatever its batch. 1 for most graphs; 2 for those that pool with
 * ReduceMean, as onnxruntime sums a lone text in another order; `undefined` where rows truly depend on each other.
 */
type SteadyFrom = 1 | 2 | undefined;

export interface ProbeResult {
  /** Columns of the output. */
  readonly width: number;
  /** Raw rows of some texts. */
  readonly rows: readonly Float32Array[];
  /** Shapes of one text's part of the output, one for each length of text. */
  readonly shapes: readonly (readonly number[])[];
  readonly steadyFrom: SteadyFrom;
  /** All texts got the same row, those of words from the vocabulary too: the model may not read its input. */
  readonly alike: boolean;
}

type ProbeText = EncodedText & { readonly text: string };

/** Runs some texts alone and in batches of 2, 3 and `largest`, in 8 bits where `int8`. Throws ModelError where the model cannot be run. */
export async function probe(
  pool: InferencePool,
  wiring: Wiring,
  encoder: Encoder,
  largest: number,
  int8 = false,
): Promise<ProbeResult> {
  let last: readonly number[] = [];
  const run = async (samples: readonly ProbeText[]): Promise<Float32Array[]> => {
    const sample = (at: number): ProbeText => ({ ...(samples[at] ?? must(samples[0])), int8 });
    const filled = Array.from({ length: wiring.fixedBatch ?? samples.length }, (_, at) => sample(at));
    const { rows, width, shape } = await pool.ask(batchOf(filled, encoder.features !== undefined));
    last = shape;
    return samples.map((_, at) => rows.slice(at * width, (at + 1) * width));
  };
  pool.configure({ wiring, rule: undefined } satisfies InferenceSetting);
  const rows: Float32Array[] = [];
  const steady: SteadyFrom[] = [];
  const shapes: (readonly number[])[] = [];
  for (const text of SAMPLES) {
    const texts = [0, 1, 2].map((by) => (encoder.features === undefined ? rotated : shorten)(encoder, text, by));
    const alone = (await Promise.all(texts.map((sample) => run([sample])))).flat();
    rows.push(...alone);
    shapes.push(last);
    const orders = [[0, 1], [1, 2, 0], Array.from({ length: largest }, (_, at) => (at + 2) % 3)].filter(
      (order) => order.length <= (wiring.fixedBatch ?? largest),
    );
    const together = await Promise.all(orders.map((order) => run(order.map((at) => must(texts[at])))));
    // The first row each text got in company.
    const inCompany = [0, 1, 2].map((text) => {
      const which = orders.findIndex((order) => order.includes(text));
      return together[which]?.[must(orders[which]).indexOf(text)] ?? must(alone[text]);
    });
    const agree = (expected: readonly Float32Array[]) =>
      together.every((answers, which) =>
        answers.every((row, at) => same(row, must(expected[must(orders[which])[at]!]))),
      );
    steady.push(agree(alone) ? 1 : agree(inCompany) ? 2 : undefined);
  }
  const alike = async (): Promise<boolean> => {
    const [first] = rows;
    const equal = (row: Float32Array) => row.length === first?.length && same(row, first);
    if (!rows.every(equal)) return false;
    const words = spread(encoder.words(), 16).map((text): ProbeText => ({ text, ...encoder.encode(text) }));
    // An id beyond the table is another fault, of the text that has it.
    const more = await Promise.allSettled(words.map((sample) => run([sample])));
    return more.every((answer) => answer.status === 'rejected' || answer.value.every(equal));
  };
  const steadyFrom = steady.includes(undefined) ? undefined : steady.includes(2) ? 2 : 1;
  return { width: rows[0]?.length ?? 0, rows, shapes, steadyFrom, alike: await alike() };
}

/** Whether a graph that continues texts gives each the same bits wherever it is cut, alone and in company, also of shorter texts. */
export async function steadyWhereverCut(
  pool: InferencePool,
  wiring: Wiring,
  encoder: Encoder,
  buckets: LengthBuckets | undefined,
): Promise<boolean> {
  pool.configure({ wiring, rule: undefined } satisfies InferenceSetting);
  const run = async (texts: readonly EncodedText[], cut: number): Promise<Float32Array> =>
    (await pool.ask({ ...batchOf(texts, false, buckets), cut })).rows;
  const short = buckets === undefined ? [] : [rotated(encoder, SAMPLES[1], 0)];
  for (const sample of SAMPLES) {
    const [first, ...others] = [0, 1, 2].map((by) => rotated(encoder, sample, by)) as [ProbeText, ...ProbeText[]];
    const whole = await run([first], 0);
    const { length } = first.ids;
    const text = length - (wiring.prompt?.length ?? 0);
    const middle = Math.ceil(text / 2);
    const cuts = [2, 3, middle, text - 3, text - 2].map((behind) => length - text + behind);
    if (!same(whole, await run([first], length - text + middle))) return false;
    for (const cut of [0, ...new Set(cuts)]) {
      const together = await run([first, ...others, ...short], cut);
      if (!same(whole, together.subarray(0, whole.length))) return false;
    }
  }
  return true;
}

const same = (a: Float32Array, b: Float32Array): boolean => a.every((value, at) => Object.is(value, b[at]));

/** Different texts of one length: the sample's words (and so, in between the special tokens, its ids) rotated. */
function rotated(encoder: Encoder, text: string, by: number): ProbeText {
  const rotate = <T>(items: readonly T[]): T[] => [...items.slice(by), ...items.slice(0, by)];
  const encoded = encoder.encode(text);
  const ids = encoded.ids.slice();
  ids.set(rotate(Array.from(ids.subarray(1, -1))), Math.min(1, ids.length));
  return { ...encoded, text: rotate(text.split(' ')).join(' '), ids };
}

/** Other features, of texts that hold words of the vocabulary, if it has any: the order of words does not matter to them. */
function shorten(encoder: Encoder, text: string, by: number): ProbeText {
  const words = [...text.split(' '), ...spread(encoder.words(), 12)];
  const kept = words.slice(0, words.length - 2 * by).join(' ');
  return { text: kept, ...encoder.encode(kept) };
}

/** `count` of the items, evenly from the first to the last. */
const spread = <T>(items: readonly T[], count: number): T[] =>
  items.length <= count
    ? [...items]
    : Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)] as T);

/** @file Which examples of a data set are taken: the options offset and shuffle of -n, which then takes the first of these. */
import type { CheckedDataset } from '../../../datasets/index.js';
import type { Example } from '../../core/dataset.js';
import { must, RobustError } from '../../core/errors.js';
import { quantity } from '../../core/figure-text.js';
import { random } from '../../core/random.js';
import { labelsDiffer } from '../../results/clean/label-shift.js';

export interface Selection {
  /** The order is drawn from the whole file by the seed. */
  readonly shuffle?: boolean | undefined;
  /** So many examples are left out, of the shuffled order where there is one. */
  readonly offset?: number | undefined;
  readonly seed?: number | undefined;
  /** How many the caller takes; 0 = all. */
  readonly numExamples?: number | undefined;
}

/** Examples held at once: each pass over the file collects so many. The first pass collects few, which most runs need no more than. */
const FIRST_CHUNK = 1024;
const LARGEST_CHUNK = 65_536;

/** The data set in the order of the selection. Throws RobustError where nothing is left. */
export async function selectExamples(
  dataset: CheckedDataset,
  { shuffle = false, offset = 0, seed = 42, numExamples = 0 }: Selection,
  warn: (message: string) => void = () => {},
): Promise<CheckedDataset> {
  if (offset >= dataset.size && offset > 0)
    throw new RobustError(
      `--num-examples offset=${offset}: expected fewer than the ${quantity(dataset.size, 'example')} of ${dataset.name}`,
      { code: 'FLAG_INVALID', hint: 'Leave offset out, or give a smaller one.' },
    );
  const selected = shuffle
    ? { ...dataset, size: dataset.size - offset, examples: () => shuffled(dataset, seed, offset) }
    : offset === 0
      ? dataset
      : { ...dataset, size: dataset.size - offset, examples: () => behind(dataset, offset) };
  if (!shuffle && numExamples > 0 && numExamples < selected.size)
    await checkLabelShares(dataset, selected, numExamples, warn);
  return selected;
}

async function* behind(dataset: CheckedDataset, offset: number): AsyncGenerator<Example> {
  let at = 0;
  for await (const example of dataset.examples()) if (at++ >= offset) yield example;
}

/** A permutation of the whole file (Fisher and Yates), which the seed alone decides; four bytes an example. */
function permutation(size: number, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: size }, (_, at) => at);
  const stream = random(seed, 'shuffle');
  for (let last = size - 1; last > 0; last--) {
    const other = stream.int(last + 1);
    const moved = must(order[last]);
    order[last] = must(order[other]);
    order[other] = moved;
  }
  return order;
}

async function* shuffled(dataset: CheckedDataset, seed: number, offset: number): AsyncGenerator<Example> {
  const order = permutation(dataset.size, seed);
  let chunk = FIRST_CHUNK;
  for (let from = offset; from < order.length; ) {
    yield* await collected(dataset, order.subarray(from, from + chunk));
    from += chunk;
    chunk = Math.min(LARGEST_CHUNK, chunk * 4);
  }
}

/** The examples at these places, in the order of the places: one pass over the file up to the last of them. */
async function collected(dataset: CheckedDataset, places: Uint32Array): Promise<Example[]> {
  const ranks = new Map(Array.from(places, (place, rank) => [place, rank]));
  const found: Example[] = [];
  let [at, missing] = [0, places.length];
  for await (const example of dataset.examples()) {
    const rank = ranks.get(at++);
    if (rank === undefined) continue;
    found[rank] = example;
    if (--missing === 0) break;
  }
  return found;
}

/** Warns where the first examples have other labels than the file: a file in order of its labels is no random sample. */
async function checkLabelShares(
  { labelCounts, labels, name }: CheckedDataset,
  selected: CheckedDataset,
  numExamples: number,
  warn: (message: string) => void,
): Promise<void> {
  if (labelCounts === undefined) return;
  const counts = labels.map(() => 0);
  let n = 0;
  for await (const { label } of selected.examples()) {
    counts[label] = (counts[label] ?? 0) + 1;
    if (++n === numExamples) break;
  }
  if (!labelsDiffer(counts, labelCounts)) return;
  const total = labelCounts.reduce((a, b) => a + b, 0);
  const [most = 0] = [...labels.keys()].sort((a, b) => shift(b) - shift(a));
  function shift(label: number): number {
    return Math.abs(must(counts[label]) / n - (labelCounts?.[label] ?? 0) / total);
  }
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  warn(
    `the first ${quantity(n, 'example')} of ${name} differ from the whole file: ${percent(must(counts[most]) / n)} of them are ${labels[most]}, ${percent(must(labelCounts[most]) / total)} of the file are (chi-squared test, p < 0.01); -n ${n}:shuffle=true takes a random sample of the file`,
  );
}

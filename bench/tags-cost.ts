/**
 * @file Compares the cost of a query to a model that tags with that of one that classifies: processor time (in user mode) of answers to the
 * same texts by the same network, once with a head for texts and once with one for tokens.
 *
 *     npm run bench dist/bench/tags-cost.js
 *
 * The networks are new BERTs with random weights, for which texts cost what they cost a trained one: one of two layers and width 128, as the
 * bundled `bert-mini`, and one of six layers and width 256. Each round asks both heads for new texts: reviews with a number behind them, each
 * with one entity in question. The order alternates. The median ratio of the rounds is printed with its interval by order statistics. The
 * last layer of a classifier computes one row a text, that of a tagger a row for each token.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataset } from '../datasets/index.js';
import { queryText } from '../src/core/pair.js';
import { iob2Labels } from '../src/core/tags/scheme.js';
import { collect } from '../src/core/take.js';
import { type LoadedModel, loadModel } from '../src/model/load.js';
import { writeFreshBert } from './fresh-bert.js';

const ROUNDS = 41;
const TEXTS = 64;
const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));
const reviews = await openDataset('reviews');
const texts = (await collect(reviews.examples())).map(({ text }) => text);

const SIZES = [
  { layers: 2, dim: 128, heads: 2, feedForward: 512 },
  { layers: 6, dim: 256, heads: 4, feedForward: 1024 },
] as const;

async function open(of: (typeof SIZES)[number], tags?: readonly string[]): Promise<LoadedModel> {
  const path = join(folder, `${of.layers}-${tags ? 'tags' : 'labels'}`);
  await writeFreshBert(path, reviews, of, tags);
  return loadModel(path, { workers: 1, cacheEntries: 0, ...(tags && { decision: 'tags' }) });
}

let asked = 0;
/** Processor seconds of the answers to new texts. */
async function seconds(model: LoadedModel): Promise<number> {
  const queries = Array.from({ length: TEXTS }, () => {
    const text = `${texts[asked % texts.length]} ${asked++}`;
    const entity = { start: 0, end: text.indexOf(' '), type: 'PERSON' };
    return model.tags ? queryText(text, { entities: [entity], entity: 0 }) : text;
  });
  const before = process.cpuUsage();
  await model.classify(queries);
  return process.cpuUsage(before).user / 1e6;
}

async function compare(of: (typeof SIZES)[number]): Promise<void> {
  const labels = await open(of);
  const tags = await open(of, iob2Labels(['PERSON', 'ORGANISATION', 'DATE', 'ADDRESS', 'EMAIL']));
  for (let warm = 0; warm < 4; warm++) await seconds(warm % 2 === 0 ? labels : tags);
  const ratios: number[] = [];
  const least = { labels: Number.POSITIVE_INFINITY, tags: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % 2 === 0;
    const [a, b] = [await seconds(first ? labels : tags), await seconds(first ? tags : labels)];
    const [ofLabels, ofTags] = first ? [a, b] : [b, a];
    least.labels = Math.min(least.labels, ofLabels);
    least.tags = Math.min(least.tags, ofTags);
    ratios.push(ofTags / ofLabels);
  }
  ratios.sort((a, b) => a - b);
  const at = (rank: number): string => (ratios[rank] as number).toFixed(3);
  const each = (total: number): string => ((1e3 * total) / TEXTS).toFixed(2);
  // The 14th and the 28th of 41 values enclose the median with a probability of 0.96 (binomial).
  process.stdout.write(
    `${of.layers} layers of ${of.dim}, a text: ${each(least.labels)} ms with labels, ${each(least.tags)} ms with tags (least of ${ROUNDS} rounds)\n` +
      `tags / labels: median ${at(20)} (${at(13)}-${at(27)}) of ${ROUNDS} rounds\n`,
  );
  await labels.close();
  await tags.close();
}

for (const size of SIZES) await compare(size);
rmSync(folder, { recursive: true, force: true });

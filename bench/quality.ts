/**
 * @file Whether the quality columns agree with people: AUROC of similarity where people said that one text keeps another's meaning.
 *
 *     npm run bench dist/bench/quality.js
 *
 * Pairs of a set are 1 where people said that the meaning is kept. Rules were chosen on the sets marked "design"; the others chose nothing.
 */
import { readFileSync } from 'node:fs';
import { random } from '../src/core/random.js';
import { auroc } from '../src/core/statistics/auroc.js';
import { english } from '../src/language/english/index.js';
import { negationProbes } from '../src/language/english/negation/probes.js';
import { qualityMeter } from '../src/language/quality.js';

const SHARED = '../shared/data';
/** Pairs of a set, at most. */
const MOST = 1200;

interface Pair {
  readonly before: string;
  readonly after: string;
  readonly good: boolean;
}

function table(path: string, folder: string = SHARED): Record<string, string>[] {
  const [header = '', ...rows] = readFileSync(`${folder}/${path}`, 'utf8').trimEnd().split(/\r?\n/);
  const names = header.split('\t');
  return rows.map((row) => Object.fromEntries(row.split('\t').map((value, at) => [names[at], value])));
}

/** `kept` answers true, false, or nothing where the row is left out. */
function pairs(
  path: string,
  columns: readonly [string, string],
  kept: (row: Record<string, string>) => boolean | undefined,
): Pair[] {
  const found = table(path).flatMap((row) => {
    const good = kept(row);
    const [before, after] = columns.map((column) => row[column] as string) as [string, string];
    return good === undefined || before === after ? [] : [{ before, after, good }];
  });
  return random(42, path).shuffle(found).slice(0, MOST);
}

const entailed = (column: string) => (row: Record<string, string>) =>
  ({ entailment: true, contradiction: false })[(row[column] ?? '').toLowerCase()];
const scored = ({ score }: Record<string, string>) =>
  Number(score) >= 4 ? true : Number(score) <= 2 ? false : undefined;

const MEANING: readonly (readonly [string, string, () => Pair[]])[] = [
  ['breaking-nli, first half', 'design', () => halfOf(0)],
  [
    'sick train',
    'design',
    () => pairs('sick/train.tsv', ['sentence_A', 'sentence_B'], entailed('entailment_judgment')),
  ],
  ['breaking-nli, other categories', 'held out', () => halfOf(1)],
  [
    'sick test',
    'held out',
    () => pairs('sick/test.tsv', ['sentence_A', 'sentence_B'], entailed('entailment_judgment')),
  ],
  ['stsb test', 'held out', () => pairs('stsb/test.tsv', ['sentence1', 'sentence2'], scored)],
  ['negation rewrites, sst2 train', 'design', () => rewrites('sst2/train-sentences.tsv', '1')],
  ['negation rewrites, sst2 test', 'held out', () => rewrites('sst2/test.tsv', '1')],
  ['negation rewrites, reviews', 'held out', () => rewrites('reviews.tsv', 'positive', 'datasets/data')],
  ['paws test', 'held out', () => pairs('paws/test.tsv', ['sentence1', 'sentence2'], ({ label }) => label === '1')],
];

/** The negation attack's own rewrites of a labelled set: those that say the same (INV) against those that say the opposite (DIR). */
function rewrites(path: string, positive: string, folder?: string): Pair[] {
  const found = table(path, folder).flatMap(({ text = '', label }) =>
    negationProbes(text, label === positive ? 'positive' : 'negative').map((probe) => ({
      before: text,
      after: probe.text,
      good: probe.relation === 'INV',
    })),
  );
  return random(42, path).shuffle(found).slice(0, MOST);
}

/** By category, so that no kind of change is in both halves. */
function halfOf(half: number): Pair[] {
  const categories = [...new Set(table('breaking-nli/all.tsv').map(({ category }) => category as string))].sort();
  return pairs('breaking-nli/all.tsv', ['sentence1', 'sentence2'], (row) =>
    row.category === 'synonyms' || categories.indexOf(row.category as string) % 2 === half
      ? entailed('gold_label')(row)
      : undefined,
  );
}

const figure = (value: ReturnType<typeof auroc>): string =>
  value === null ? '-' : `${value.value.toFixed(3)} (${value.low.toFixed(2)}-${value.high.toFixed(2)})`;

console.log('| pairs | | kept | changed | similarity |\n|---|---|---:|---:|---:|');
for (const [name, role, read] of MEANING) {
  const all = read();
  const meter = qualityMeter(
    all.map(({ before }) => before),
    english,
  );
  const judged = all.map(({ before, after, good }) => ({ good, ...meter(before, after) }));
  const of = (good: boolean) => judged.filter((each) => each.good === good);
  const by = (good: boolean) => Float64Array.from(of(good), ({ similarity }) => similarity);
  console.log(
    `| ${name} | ${role} | ${of(true).length} | ${of(false).length} | ${figure(auroc(by(true), by(false)))} |`,
  );
}

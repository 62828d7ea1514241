/** @file Figures of two runs over the same entities. Intervals and p-values resample texts, with both models' answers;
 * no interval is narrower than Newcombe's. */
import { must } from '../../core/errors.js';
import { random } from '../../core/random.js';
import { pairedBootstrap, type Statistic } from '../../core/statistics/bootstrap.js';
import { holm, pairedDifference } from '../../core/statistics/paired.js';
import type { FigureComparison } from '../comparison/comparison.js';
import { countPairs } from '../comparison/paired-figures.js';
import { clusteredRate, type EntityState, type TextShare } from './figures.js';

interface EntityFigure {
  readonly metric: string;
  readonly higherIsBetter: boolean;
  readonly holds: (entity: EntityState) => boolean;
  /** Also for each type. */
  readonly byType?: true;
}

const FIGURES: readonly EntityFigure[] = [
  { metric: 'recall', higherIsBetter: true, holds: ({ found }) => found },
  { metric: 'recallUnderAttack', higherIsBetter: true, holds: ({ kept }) => kept, byType: true },
  { metric: 'leakRateBefore', higherIsBetter: false, holds: ({ leakedBefore }) => leakedBefore },
  { metric: 'leakRate', higherIsBetter: false, holds: ({ leaked }) => leaked > 0, byType: true },
];

/** Entities by number; `labels` are those of the first run. Only entities that both runs have count. */
export function comparedTags(
  a: ReadonlyMap<number, EntityState>,
  b: ReadonlyMap<number, EntityState>,
  labels: readonly string[],
  seed: number,
): FigureComparison[] {
  const shared = [...a.keys()].filter((at) => b.has(at)).sort((x, y) => x - y);
  const [ofA, ofB] = [shared.map((at) => must(a.get(at))), shared.map((at) => must(b.get(at)))];
  const scopes = [
    { of: () => true, figures: FIGURES },
    ...labels.map((label, index) => ({
      label,
      of: (at: number) => must(ofA[at]).label === index,
      figures: FIGURES.filter(({ byType }) => byType),
    })),
  ];
  const found = scopes.flatMap(({ of, figures, ...label }) => {
    const places = shared.map((_, at) => at).filter(of);
    return places.length === 0 ? [] : figures.map((figure) => compare(figure, label, places, [ofA, ofB], seed));
  });
  const ps = holm(found.map(({ p }) => p));
  return found.map((figure, at) => ({ ...figure, adjustedP: must(ps[at]) }));
}

function compare(
  { metric, higherIsBetter, holds }: EntityFigure,
  { label }: { readonly label?: string },
  places: readonly number[],
  [a, b]: readonly [readonly EntityState[], readonly EntityState[]],
  seed: number,
) {
  const texts = new Map<string, number[]>();
  for (const at of places) texts.set(must(a[at]).text, [...(texts.get(must(a[at]).text) ?? []), at]);
  const shares = (of: readonly EntityState[]): TextShare[] =>
    [...texts.values()].map((own) => ({ hits: own.filter((at) => holds(must(of[at]))).length, n: own.length }));
  const [x, y] = [shares(a), shares(b)];
  const letters = (of: readonly EntityState[]): string => places.map((at) => Number(holds(must(of[at])))).join('');
  const counts = countPairs(letters(a), letters(b));
  const differing = counts.onlyA + counts.onlyB;
  const pair = { a: shareOf(x), b: shareOf(y), differing };
  const [drawn] = pairedBootstrap(texts.size, [pair], random(seed, 'entities', metric, label ?? ''));
  const { difference, lower, higher } = must(drawn);
  // Where no text differs, no resample does: never narrower than for independent entities.
  const newcombe = pairedDifference(counts);
  return {
    metric: `tags.${metric}${label === undefined ? '' : `.${label}`}`,
    ...(label !== undefined && { label }),
    higherIsBetter,
    a: clusteredRate(x),
    b: clusteredRate(y),
    difference: {
      ...newcombe,
      low: Math.min(must(newcombe.low), must(difference.low)),
      high: Math.max(must(newcombe.high), must(difference.high)),
    },
    p: differing === 0 ? 1 : Math.min(1, 2 * Math.min(lower ?? 1, higher ?? 1)),
  };
}

const shareOf =
  (texts: readonly TextShare[]): Statistic =>
  (times) => {
    let [hits, n] = [0, 0];
    for (const [at, text] of texts.entries()) {
      hits += must(times[at]) * text.hits;
      n += must(times[at]) * text.n;
    }
    return n === 0 ? undefined : hits / n;
  };

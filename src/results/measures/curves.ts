/**
 * @file Accuracy against what an attack may do: edits of a text, and queries. An example counts as flipped from the limit at which its attack
 * succeeded, so the last point of a curve is the accuracy under attack.
 */
import { z } from 'zod';
import { count, type Declared, positiveCount } from '../../core/declared.js';
import { must } from '../../core/errors.js';
import { quantity } from '../../core/figure-text.js';
import { type Outcome, spentBudget } from '../../core/outcome.js';
import { type Rate, rateSchema } from '../../core/statistics/rate.js';
import { mean, wilson } from '../../core/statistics/stats.js';
import { type Block, type Chart, type ChartLine, note, type Section, table } from '../report/document.js';
import { type Standing, type StandingCounts, standingOf } from './attack-rates.js';
import type { AttackValue, Measure } from './measure.js';

const curveShape = {
  points: z.array(z.object({ limit: count, accuracy: rateSchema })).min(1),
  area: rateSchema.describe(
    'Mean accuracy over the limits of `range`. Its bounds are the means of the bounds, which is conservative: all points are of the same examples.',
  ),
  range: z.array(count).min(2).max(2).describe('First and last limit of the area.'),
};

export const curvesSchema = z
  .object({
    edits: z
      .object({ unit: z.enum(['characters', 'words']), ...curveShape })
      .describe(
        'By edits of the successes: characters for attacks on characters, else words. `standard` takes back edits that a success does not need; for other attacks the accuracy is an upper bound.',
      )
      .exactOptional(),
    queries: z
      .object(curveShape)
      .describe('By queries of the successes. The area is over limits at equal ratios: 10, 20, 50, ...'),
    cut: positiveCount
      .describe(
        'Failures whose search the query budget ended. They count as not flipped: with more queries the accuracy may be lower.',
      )
      .exactOptional(),
  })
  .meta({ id: 'curves' });

/** Accuracy under one attack, by the edits and by the queries that it may use. */
export interface Curves extends Declared<typeof curvesSchema> {}
type AccuracyCurve = Curves['queries'];
type EditUnit = NonNullable<Curves['edits']>['unit'];

/** Limits in edits over which the area is taken; the same for every model. */
const AREA_EDITS = [1, 10] as const;
/** Limits in queries over which the area is taken, unless the query budget is smaller. */
const AREA_QUERIES = [10, 1000] as const;

/** 1, 2, 5, 10, 20, ... times `from`, up to the first that is at least `most`. */
function roundLimits(from: number, most: number): number[] {
  const limits = [from];
  for (let at = 1; must(limits.at(-1)) < most; at++)
    limits.push(from * must([1, 2, 5][at % 3]) * 10 ** Math.floor(at / 3));
  return limits;
}

const editLimits = (most: number): number[] => [
  ...Array.from({ length: 1 + AREA_EDITS[1] }, (_, limit) => limit),
  ...(most > AREA_EDITS[1] ? roundLimits(AREA_EDITS[1], most).slice(1) : []),
];

function queryLimits(most: number, budget = Number.POSITIVE_INFINITY): number[] {
  const limits = roundLimits(AREA_QUERIES[0], Math.max(most, AREA_QUERIES[1])).filter((limit) => limit < budget);
  return Number.isFinite(budget) && (limits.at(-1) ?? 0) < budget ? [...limits, budget] : limits;
}

/** The mean of rates of the same examples. */
function meanRate(rates: readonly Rate[]): Rate {
  const part = (name: 'value' | 'low' | 'high'): number => mean(rates.map((rate) => must(rate[name])));
  return { value: part('value'), low: part('low'), high: part('high'), n: rates[0]?.n ?? 0 };
}

/** `successes`: limit that a success needed -> number of successes. */
function curveOf(
  limits: readonly number[],
  [from, to]: readonly [number, number],
  {
    successes,
    correct,
    n,
  }: { readonly successes: ReadonlyMap<number, number>; readonly correct: number; readonly n: number },
): AccuracyCurve {
  const points = limits.map((limit) => {
    const flipped = [...successes].reduce((sum, [needed, times]) => (needed <= limit ? sum + times : sum), 0);
    return { limit, accuracy: wilson(correct - flipped, n) };
  });
  const within = points.filter(({ limit }) => from <= limit && limit <= to);
  const inArea = within.length > 0 ? within : points.slice(-1);
  return {
    points,
    area: meanRate(inArea.map(({ accuracy }) => accuracy)),
    range: [must(inArea[0]).limit, must(inArea.at(-1)).limit],
  };
}

export interface CurveTerms {
  /** The level of the attack, which decides the unit of its edits. @default characters */
  readonly level?: 'character' | 'word' | 'sentence' | 'embedding' | undefined;
  /** Queries that each search may make. @default any number */
  readonly queryBudget?: number | undefined;
}

/** Counts from which curves are drawn. */
interface CurveCounts {
  readonly correct: number;
  readonly n: number;
  /** Edits, or queries, that a success needed -> number of successes. */
  readonly edits: ReadonlyMap<number, number> | undefined;
  readonly queries: ReadonlyMap<number, number>;
  readonly cut: number;
}

function curvesFrom({ edits, queries, cut, ...counts }: CurveCounts, unit: EditUnit, queryBudget?: number): Curves {
  const most = (of: ReadonlyMap<number, number>): number => [...of.keys()].reduce((a, b) => Math.max(a, b), 0);
  return {
    ...(edits && { edits: { unit, ...curveOf(editLimits(most(edits)), AREA_EDITS, { successes: edits, ...counts }) } }),
    queries: curveOf(queryLimits(most(queries), queryBudget), AREA_QUERIES, { successes: queries, ...counts }),
    ...(cut > 0 && { cut }),
  };
}

/** Key of the curves of an attack, and of the suite `standard`, in a report. */
export const CURVES = 'curves';

/** The measure for one attack of a run. */
export function curvesMeasure({ level = 'character', queryBudget }: CurveTerms = {}): Measure<Curves> {
  const unit: EditUnit = level === 'character' ? 'characters' : 'words';
  return {
    name: CURVES,
    schema: curvesSchema,
    fold() {
      const standings: Record<Standing, number> = { flipped: 0, kept: 0, wrong: 0 };
      const edits = new Map<number, number>();
      const queries = new Map<number, number>();
      let [cut, unmeasured] = [0, 0];
      return {
        add(outcome) {
          const standing = standingOf(outcome);
          if (standing === undefined) return;
          standings[standing] += 1;
          if (spentBudget(outcome, queryBudget)) cut += 1;
          if (standing !== 'flipped') return;
          addOne(queries, outcome.queries.asked);
          const size = sizeOf(outcome, unit);
          if (size === undefined) unmeasured += 1;
          else addOne(edits, size);
        },
        value() {
          const { flipped, kept, wrong } = standings;
          const correct = flipped + kept;
          if (correct === 0) return undefined;
          const measured = level !== 'embedding' && unmeasured === 0;
          const counts = { correct, n: correct + wrong, edits: measured ? edits : undefined, queries, cut };
          return curvesFrom(counts, unit, queryBudget);
        },
      };
    },
    sections: (found) => [curvesOfModel(found)],
  };
}

/**
 * Folds the outcomes of several attacks into their common curves: an example counts as flipped from the fewest characters that any of the
 * attacks edited, and from the fewest queries that any of them made. Each attack may make that many.
 */
export function unionCurves(queryBudget?: number) {
  /** Index of a flipped example -> the least that a success took. */
  const edits = new Map<number, number>();
  const queries = new Map<number, number>();
  const cut = new Set<number>();
  return {
    /** `index`: the example's position in the run. */
    add(outcome: Outcome, index: number): void {
      if (spentBudget(outcome, queryBudget)) cut.add(index);
      if (standingOf(outcome) !== 'flipped') return;
      keepLeast(queries, index, outcome.queries.asked);
      const size = sizeOf(outcome, 'characters');
      if (size !== undefined) keepLeast(edits, index, size);
    },

    /** Undefined if no example was attacked. `standings`: examples by how they count under all attacks together. */
    value({ flipped, kept, wrong }: StandingCounts): Curves | undefined {
      const correct = flipped + kept;
      if (correct === 0) return undefined;
      return curvesFrom(
        {
          correct,
          n: correct + wrong,
          edits: edits.size === queries.size ? countValues(edits) : undefined,
          queries: countValues(queries),
          cut: [...cut].filter((index) => !queries.has(index)).length,
        },
        'characters',
        queryBudget,
      );
    },
  };
}

const keepLeast = (least: Map<number, number>, key: number, value: number): void =>
  void least.set(key, Math.min(least.get(key) ?? Number.POSITIVE_INFINITY, value));

function countValues(values: ReadonlyMap<number, number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values.values()) addOne(counts, value);
  return counts;
}

const addOne = (counts: Map<number, number>, key: number): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** Edits of a success; undefined outside text space, or if they were not measured. */
function sizeOf({ adversarial, changed, quality }: Outcome, unit: EditUnit): number | undefined {
  if (adversarial === undefined) return undefined;
  const size = unit === 'words' ? changed : quality?.editDistance;
  // An insertion that touches no word is one edit.
  return size === undefined ? undefined : Math.max(1, size);
}

/** Curves of one attack, a line for each model. */
export interface CurvePanel {
  readonly title: string;
  readonly lines: readonly (Pick<ChartLine, 'name' | 'tone'> & { readonly alone: string; readonly curves: Curves })[];
}

/** A panel for each attack, by each unit of edits and by queries. */
function curveCharts(panels: readonly CurvePanel[]): Chart[] {
  const chart = (by: string, label: string, curveOf: (curves: Curves) => AccuracyCurve | undefined): Chart[] => {
    const drawn = panels.flatMap(({ title, lines }) => {
      const shown = lines.flatMap(({ curves, ...line }): ChartLine[] => {
        const curve = curveOf(curves);
        return curve === undefined ? [] : [{ ...line, points: curve.points.map(pointOf) }];
      });
      return shown.length === 0 ? [] : [{ title: `${title}, by ${by}`, lines: shown }];
    });
    const y = {
      label: 'robust share',
      min: 0,
      max: 1,
      format: (share: number) => `${Math.round(share * 1000) / 10} %`,
    };
    return drawn.length === 0
      ? []
      : [{ kind: 'chart', drawnOnly: true, panels: drawn, x: { label, spacing: 'even' }, y }];
  };
  const edits = (unit: EditUnit) => (curves: Curves) => (curves.edits?.unit === unit ? curves.edits : undefined);
  return [
    ...chart('edits', 'characters edited at most', edits('characters')),
    ...chart('edits', 'words changed at most', edits('words')),
    ...chart('queries', 'queries at most', ({ queries }) => queries),
  ];
}

const pointOf = ({ limit, accuracy }: AccuracyCurve['points'][number]) => ({
  x: limit,
  y: must(accuracy.value),
  low: must(accuracy.low),
  high: must(accuracy.high),
});

const ABOUT =
  'Bands and intervals: pointwise 95 % Wilson intervals. An example counts as flipped from the edits, or the queries, that its success took; the queries of standard include those that take back edits. Attacks outside standard keep edits that a success does not need, so their curve by edits is an upper bound. Robust share: correct without attack and not flipped within the limit. Means are over 1 to 10 edits, and over limits of 10, 20, 50, ... 1,000 queries or up to the query budget.';

/** More attacks than these are folded on a page. */
const MOST_PANELS = 8;

/** The mean of each line, then the charts, then how to read them. */
export function curveBlocks(panels: readonly CurvePanel[]): Block[] {
  const lines = panels.flatMap(({ title, lines: all }) => all.map((line) => ({ title, ...line })));
  const charts = curveCharts(panels);
  const cut = lines.flatMap(({ alone, curves }) => cutLine(alone, curves));
  return [
    table(
      'Mean robust share by edits and by queries',
      ['', 'mean robust share, 1 to 10 edits', 'unit of edits', 'mean robust share, 10 to 1,000 queries'],
      lines.map(({ alone, curves: { edits, queries } }) => [
        alone,
        edits === undefined ? '-' : { rate: edits.area },
        edits?.unit ?? '-',
        { rate: queries.area },
      ]),
    ),
    ...(panels.length <= MOST_PANELS
      ? charts
      : [{ kind: 'fold' as const, title: `Curves of ${panels.length} attacks`, blocks: charts }]),
    note([ABOUT, ...cut].join(' ')),
  ];
}

const cutLine = (name: string, { cut }: Curves): string[] =>
  cut === undefined
    ? []
    : [
        `${name}: the query budget ended the search for ${quantity(cut, 'example, which counts', 'examples, which count')} as not flipped.`,
      ];

/** Neither accuracy nor recall: models of numbers and of several labels have curves too. */
export const CURVES_TITLE = 'Robust share by edits and by queries';

/** The curves of attacks on one model. */
export const curvesOfModel = (found: readonly AttackValue<Curves>[]): Section => ({
  id: 'curves',
  title: CURVES_TITLE,
  full: true,
  blocks: curveBlocks(
    found.map(({ attack, value }) => ({
      title: attack,
      lines: [{ name: 'robust share', alone: attack, tone: 'hold', curves: value }],
    })),
  ),
});

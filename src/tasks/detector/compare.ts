/** @file Two detectors over the same examples. */
import { z } from 'zod';
import { type ThresholdDecision, type ThresholdRule, wasAnswered } from '../../core/decision.js';
import type { Declared } from '../../core/declared.js';
import { auroc } from '../../core/statistics/auroc.js';
import { averagePrecision } from '../../core/statistics/average-precision.js';
import { wilson } from '../../core/statistics/stats.js';
import type { DecisionDifference } from '../../results/comparison/decision-difference.js';
import * as statistics from '../../results/comparison/figure-statistics.js';
import {
  countPairs,
  type PairedFigure,
  placesOf,
  proportion,
  type Resampled,
  rateFigures,
  resample,
} from '../../results/comparison/paired-figures.js';
import { foundShape, letterColumn, lettersAt, numbersSchema, padded, valuesAt } from '../stored-letters.js';
import type { AnswerCollector, AttackedRun, Comparing } from '../task.js';
import { deciding } from './decide.js';

const schema = z.object({
  kind: z.literal('threshold'),
  ...foundShape,
  scores: numbersSchema.describe(
    'The score of the detected labels, to six digits; null where the text was not answered.',
  ),
});

export interface DetectorAnswers extends Declared<typeof schema> {}

const six = (value: number): number => Math.round(value * 1e6) / 1e6;

function detectorCollector({ isPositive }: ThresholdDecision): AnswerCollector<DetectorAnswers> {
  const scores: (number | null)[] = [];
  const { set, letters } = letterColumn();
  return {
    add(at, outcome) {
      const [answered, positive] = [wasAnswered(outcome), isPositive(outcome.label)];
      set(at, positive, answered ? isPositive(outcome.from) : undefined);
      scores[at] = answered ? six(positive ? outcome.scoreBefore : 1 - outcome.scoreBefore) : null;
    },
    answers: (n) => ({ kind: 'threshold', ...letters(n), scores: padded(scores, n, null) }),
  };
}

function detectorFigures(a: DetectorAnswers, b: DetectorAnswers, seed: number): PairedFigure[] {
  const places = placesOf(a.truth.length, (at) => a.found[at] !== '-' && b.found[at] !== '-');
  const positive = places.map((at) => a.truth[at] === '1');
  const read = ({ found, scores }: DetectorAnswers) => {
    const [detected, ofScores] = [places.map((at) => found[at] === '1'), places.map((at) => scores[at]!)];
    const kind = (is: boolean): Float64Array =>
      Float64Array.from(ofScores.filter((_, at) => positive[at] === is)).sort();
    const hits = detected.filter((each, at) => each && positive[at]).length;
    const area = auroc(kind(true), kind(false));
    return {
      ofScores,
      precision: { rate: wilson(hits, detected.filter(Boolean).length), by: statistics.precision(positive, detected) },
      auroc: {
        rate: area ? { ...area, n: places.length } : wilson(0, 0),
        by: statistics.areaUnderRoc(positive, ofScores),
      },
      averagePrecision: {
        rate: averagePrecision(kind(true), kind(false)) ?? wilson(0, 0),
        by: statistics.meanPrecision(positive, ofScores),
      },
    };
  };
  const [x, y] = [read(a), read(b)];
  const oneKind = !a.truth.includes('1') || !a.truth.includes('0');
  const figure = (metric: 'precision' | 'auroc' | 'averagePrecision', differing: number): Resampled => ({
    naming: { metric, higherIsBetter: true },
    absent: oneKind,
    of: [x[metric], y[metric]],
    differing,
  });
  const scored = x.ofScores.filter((score, at) => score !== y.ofScores[at]).length;
  const decided = places.filter((at) => a.found[at] !== b.found[at]).length;
  return [
    ...rateFigures(a, b),
    ...resample(
      [figure('precision', decided), figure('auroc', scored), figure('averagePrecision', scored)],
      places.length,
      seed,
    ),
  ];
}

/** The letters of detected texts by the outcome letter; `s`: it was misread unedited already. */
const DETECTED = { '1': { 0: '1', u: '1', 1: '0', s: '0' }, '0': { 0: '0', u: '0', 1: '1', s: '1' } } as const;

/** Recall of a detector under an attack that evades, or its false positive rate under one that raises alarms. */
function underAttack(answers: DetectorAnswers, then: AttackedRun, now: AttackedRun): PairedFigure[] {
  return (['1', '0'] as const).flatMap((truth) => {
    const is = (at: number): boolean => answers.truth[at] === truth;
    const after = [then, now].some(({ outcomes }) => [...outcomes].some((each, at) => is(at) && '01u'.includes(each)));
    const lettersOfDetected = ({ clean, outcomes }: AttackedRun): string =>
      [...outcomes]
        // Skipped although it was not misread: the goal is not after it.
        .map((each, at) =>
          each === 's' && clean[at] !== '0' ? '-' : (DETECTED[truth][each as keyof (typeof DETECTED)['1']] ?? '-'),
        )
        .join('');
    const [metric, higherIsBetter] =
      truth === '1' ? (['recallUnderAttack', true] as const) : (['falsePositiveRateUnderAttack', false] as const);
    return after
      ? [proportion({ metric, higherIsBetter }, countPairs(lettersOfDetected(then), lettersOfDetected(now), is))]
      : [];
  });
}

const list = (names: readonly string[]): string => [...names].sort().join(', ');

function thresholdDifference(x: ThresholdRule, y: ThresholdRule): DecisionDifference['kind'] | undefined {
  if (list(x.positive) !== list(y.positive)) return 'incomparable';
  const sameScore = x.by === y.by || x.positive.length === 1;
  if (x.at === y.at && sameScore) return undefined;
  const [found, other] = [x.calibration, y.calibration];
  const alike = found !== undefined && found.wanted === other?.wanted && found.data === other.data;
  return alike && sameScore ? 'calibrated' : 'moved';
}

export const comparing: Comparing<ThresholdRule, DetectorAnswers> = {
  schema,
  collect: (rule, labels) => detectorCollector(deciding.decision(rule, labels, 0)),
  columns: ({ truth, found, scores }) => [truth, found, scores],
  inOrder: (answers, places) => ({ ...lettersAt(answers, places), scores: valuesAt(answers.scores, places) }),
  sides: ({ truth }) => truth,
  figures: (a, b, seed) => detectorFigures(a.answers, b.answers, seed),
  underAttack,
  difference(a, b) {
    const kind = thresholdDifference(a.rule, b.rule);
    return kind && { kind, what: 'decision', a: deciding.text(a.rule), b: deciding.text(b.rule) };
  },
  effect:
    'A higher threshold alone lowers recall and false positive rate. The area under ROC and the average precision compare the scores, whatever the threshold.',
};

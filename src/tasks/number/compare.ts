/** @file Two models that return a number, over the same examples. */
import { z } from 'zod';
import { type RegressionRule, wasAnswered } from '../../core/decision.js';
import type { Declared } from '../../core/declared.js';
import { must } from '../../core/errors.js';
import type { CountedEstimate, Rate } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';
import { regressionMetrics } from '../../results/clean/regression-metrics.js';
import * as statistics from '../../results/comparison/figure-statistics.js';
import {
  countPairs,
  type PairedFigure,
  placesOf,
  proportion,
  type Resampled,
  resample,
} from '../../results/comparison/paired-figures.js';
import { numbersSchema, padded, valuesAt } from '../stored-letters.js';
import type { AnswerCollector, Comparing } from '../task.js';

const schema = z.object({ kind: z.literal('regression'), truth: z.array(z.number()), answers: numbersSchema });

export interface NumberAnswers extends Declared<typeof schema> {}

function numberCollector(): AnswerCollector<NumberAnswers> {
  const [truth, answers]: [number[], (number | null)[]] = [[], []];
  return {
    add(at, outcome) {
      truth[at] = outcome.value ?? 0;
      answers[at] = wasAnswered(outcome) && outcome.value !== undefined ? outcome.scoreBefore : null;
    },
    answers: (n) => ({ kind: 'regression', truth: padded(truth, n, 0), answers: padded(answers, n, null) }),
  };
}

const rateOf = (found: CountedEstimate | undefined): Rate => found ?? wilson(0, 0);

function numberFigures(
  rules: readonly [RegressionRule, RegressionRule],
  a: NumberAnswers,
  b: NumberAnswers,
  seed: number,
): PairedFigure[] {
  const places = placesOf(a.truth.length, (at) => a.answers[at] != null && b.answers[at] != null);
  const truth = places.map((at) => must(a.truth[at]));
  const [ofA, ofB] = [a, b].map(({ answers }) => places.map((at) => must(answers[at]))) as [number[], number[]];
  const [x, y] = [ofA, ofB].map((answers) => ({
    rates: regressionMetrics(truth, answers),
    by: statistics.numberScores(truth, answers),
  })) as [NumberFigures, NumberFigures];
  const differing = ofA.filter((answer, at) => answer !== ofB[at]).length;
  const within = (answers: readonly number[], { delta }: RegressionRule): string =>
    answers.map((answer, at) => (Math.abs(answer - must(truth[at])) < delta ? '1' : '0')).join('');
  const figure = (name: keyof NumberFigures['by'], higherIsBetter: boolean): Resampled => ({
    naming: { metric: `regression.${name}`, higherIsBetter },
    of: [
      { rate: rateOf(x.rates[name]), by: x.by[name] },
      { rate: rateOf(y.rates[name]), by: y.by[name] },
    ],
    differing,
  });
  return [
    proportion({ metric: 'accuracy', higherIsBetter: true }, countPairs(within(ofA, rules[0]), within(ofB, rules[1]))),
    ...resample(
      [
        figure('meanSquaredError', false),
        figure('meanAbsoluteError', false),
        figure('pearson', true),
        figure('spearman', true),
      ],
      places.length,
      seed,
    ),
  ];
}

interface NumberFigures {
  readonly rates: ReturnType<typeof regressionMetrics>;
  readonly by: ReturnType<typeof statistics.numberScores>;
}

export const comparing: Comparing<RegressionRule, NumberAnswers> = {
  schema,
  collect: () => numberCollector(),
  columns: ({ truth, answers }) => [truth, answers],
  inOrder: ({ truth, answers, ...rest }, places) => ({
    ...rest,
    truth: valuesAt(truth, places),
    answers: valuesAt(answers, places),
  }),
  figures: (a, b, seed) => numberFigures([a.rule, b.rule], a.answers, b.answers, seed),
  difference: ({ rule: a }, { rule: b }) =>
    a.delta === b.delta ? undefined : { kind: 'moved', what: 'delta', a: String(a.delta), b: String(b.delta) },
  effect:
    'Delta alone changes the share within delta and what counts as a success of an attack. Errors and correlations do not depend on it.',
};

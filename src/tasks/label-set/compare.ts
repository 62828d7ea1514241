/** @file Two models of label sets over the same examples. */
import { z } from 'zod';
import { type MultiLabelRule, trueLabels, wasAnswered } from '../../core/decision.js';
import type { Declared } from '../../core/declared.js';
import type { DecisionDifference } from '../../results/comparison/decision-difference.js';
import * as statistics from '../../results/comparison/figure-statistics.js';
import type { FoundLetters } from '../../results/comparison/found-letters.js';
import {
  countPairs,
  type PairedFigure,
  placesOf,
  proportion,
  type Resampled,
  rateFigures,
  resample,
} from '../../results/comparison/paired-figures.js';
import { foundShape, letterColumn, lettersAt } from '../stored-letters.js';
import type { AnswerCollector, Comparing } from '../task.js';

const schema = z.object({
  kind: z.literal('multi-label'),
  labels: z.array(z.object({ label: z.string(), ...foundShape })).min(1),
});

export interface LabelSetAnswers extends Declared<typeof schema> {}

function labelSetCollector(labels: readonly string[]): AnswerCollector<LabelSetAnswers> {
  const columns = labels.map((label) => ({ label, ...letterColumn() }));
  return {
    add(at, outcome) {
      const [answered, wanted, found = []] = [wasAnswered(outcome), trueLabels(outcome), outcome.fromLabels];
      for (const [label, { set }] of columns.entries())
        set(at, wanted.includes(label), answered ? found.includes(label) : undefined);
    },
    answers: (n) => ({ kind: 'multi-label', labels: columns.map(({ label, letters }) => ({ label, ...letters(n) })) }),
  };
}

function labelSetFigures(a: LabelSetAnswers, given: LabelSetAnswers, seed: number): PairedFigure[] {
  // Models may order the same labels differently.
  const b = a.labels.map(({ label }) => given.labels.find((each) => each.label === label) as FoundLetters);
  const n = a.labels[0]?.truth.length ?? 0;
  const answered = (of: readonly FoundLetters[], at: number): boolean => of.every(({ found }) => found[at] !== '-');
  const exact = (of: readonly FoundLetters[]): string =>
    Array.from({ length: n }, (_, at) =>
      answered(of, at) ? (of.every(({ truth, found }) => truth[at] === found[at]) ? '1' : '0') : '-',
    ).join('');
  const places = placesOf(n, (at) => answered(a.labels, at) && answered(b, at));
  const differing = places.filter((at) =>
    a.labels.some(({ found }, label) => found[at] !== b[label]?.found[at]),
  ).length;
  const [x, y] = [a.labels, b].map((of) => statistics.labelSetScores(of, places)) as [
    ReturnType<typeof statistics.labelSetScores>,
    ReturnType<typeof statistics.labelSetScores>,
  ];
  const f1 = (metric: 'microF1' | 'macroF1'): Resampled => ({
    naming: { metric, higherIsBetter: true },
    of: [{ by: x[metric] }, { by: y[metric] }],
    differing,
  });
  return [
    proportion({ metric: 'accuracy', higherIsBetter: true }, countPairs(exact(a.labels), exact(b))),
    ...resample([f1('microF1'), f1('macroF1')], places.length, seed),
    ...a.labels.flatMap((each, at) => rateFigures(each, b[at]!, `labelSets.perLabel.${each.label}.`, each.label)),
  ];
}

const list = (names: readonly string[]): string => [...names].sort().join(', ');

interface LabelThresholds {
  readonly labels: readonly string[];
  readonly at: readonly number[];
}

function labelDifference(a: LabelThresholds, b: LabelThresholds): DecisionDifference | undefined {
  if (list(a.labels) !== list(b.labels))
    return { kind: 'incomparable', what: 'labels', a: list(a.labels), b: list(b.labels) };
  const thresholdOf = ({ labels, at }: LabelThresholds, label: string) => at[labels.indexOf(label)];
  const moved = a.labels.filter((label) => thresholdOf(a, label) !== thresholdOf(b, label));
  const each = (model: LabelThresholds): string =>
    moved.map((label) => `${label} from ${thresholdOf(model, label)} on`).join(', ');
  return moved.length === 0 ? undefined : { kind: 'moved', what: 'decision', a: each(a), b: each(b) };
}

export const comparing: Comparing<MultiLabelRule, LabelSetAnswers> = {
  schema,
  collect: (_, labels) => labelSetCollector(labels),
  columns: ({ labels }) => labels.flatMap(({ truth, found }) => [truth, found]),
  inOrder: (answers, places) => ({ ...answers, labels: answers.labels.map((each) => lettersAt(each, places)) }),
  fits: ({ labels: stored }, { at }, labels) =>
    at.length === labels.length && stored.map(({ label }) => label).join('\n') === labels.join('\n'),
  figures: (a, b, seed) => labelSetFigures(a.answers, b.answers, seed),
  difference: (a, b) => labelDifference({ labels: a.labels, at: a.rule.at }, { labels: b.labels, at: b.rule.at }),
  effect: 'The thresholds alone change every figure below.',
};

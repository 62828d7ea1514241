/** @file Performance without an attack: accuracy and related figures, then a row for each class with its confusions; certified accuracy. */

import type { DecisionRule } from '../../src/core/decision-schema.js';
import { must } from '../../src/core/errors.js';
import { quantity } from '../../src/core/figure-text.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import {
  CLASS_FIGURES,
  CLEAN_MEASURES,
  type CleanFigure,
  type CleanMetrics,
} from '../../src/results/clean/clean-metrics.js';
import { cellsOf } from '../../src/results/clean/confusion.js';
import { degenerateLine } from '../../src/results/clean/degenerate.js';
import { valueAt } from '../../src/results/measures/measure.js';
import {
  type Block,
  type Document,
  type Inline,
  note,
  type Section,
  strong,
  table,
} from '../../src/results/report/document.js';
import { percent } from '../figures.js';
import { area, detectionCurves, detectorFacts, labelSetBlocks } from './detection-figures.js';
import { numberBlocks } from './number-figures.js';
import { cleanTagBlocks, cleanTagLine } from './tag-figures.js';

export interface EvaluationData {
  readonly model: string;
  readonly data: string;
  /** Name of one example. @default example */
  readonly examples?: string;
  readonly labels: readonly string[];
  readonly clean: CleanMetrics;
  readonly decision?: DecisionRule | undefined;
  readonly certified?: CertifiedData | CertifiedEditsData;
  /** Why the figures are not evidence. */
  readonly inconclusive?: readonly string[];
}

/** Certified accuracy: it remains after replacing any of this number of words. */
interface CertifiedEditsData {
  readonly unit: string;
  readonly rate: number;
  /** Units that a version of a long text keeps on average. @default 0: the same rate for all texts */
  readonly keep?: number;
  readonly samples: number;
  readonly alpha: number;
  readonly abstained: Rate;
  readonly curve: readonly {
    readonly count: number;
    readonly edits: Rate;
    readonly insertions: Rate;
    readonly deletions: Rate;
  }[];
}

interface CertifiedData {
  readonly rate: number;
  readonly samples: number;
  readonly curve: readonly { readonly words: number; readonly accuracy: Rate }[];
}

export const evaluationDocument = ({
  model,
  data,
  examples = 'example',
  labels,
  clean,
  decision,
  certified,
  inconclusive = [],
}: EvaluationData): Document => ({
  title: `Accuracy of ${model}`,
  lead: [strong(model), ' on ', strong(data), `, ${quantity(clean.accuracy.n, examples)}`],
  summary: [
    inconclusive.length > 0 ? 'Inconclusive: ' : '',
    ...resultOf(clean, examples, decision),
    ...(certified === undefined ? [] : certifiedResult(certified)),
  ],
  alarms: [degenerateLine(model, clean) ?? []].flat(),
  ...(inconclusive.length > 0 && { inconclusive }),
  sections: [
    { id: 'clean', blocks: cleanBlocks(clean, labels, decision) },
    ...(certified === undefined ? [] : ['unit' in certified ? editsSection(certified) : certifiedSection(certified)]),
  ],
});

/** The main figure in words: `80.5 % (74-85) accurate on 200 examples`. */
function resultOf(clean: CleanMetrics, examples: string, decision?: DecisionRule): Inline[] {
  const { accuracy, recall, falsePositiveRate, labelSets, regression } = clean;
  const all = quantity(accuracy.n, examples);
  const main = { rate: accuracy, style: 'strong' as const };
  if (clean.tags !== undefined) return cleanTagLine(clean.tags);
  if (regression !== undefined) {
    const delta = decision !== undefined && 'delta' in decision ? decision.delta : 'delta';
    return [main, ` within ${delta} of the true number on ${all}`];
  }
  if (recall !== undefined && falsePositiveRate !== undefined) {
    return [
      'Recall ',
      { rate: recall, style: 'strong' },
      ' at ',
      { rate: falsePositiveRate },
      ` false positives on ${all}`,
    ];
  }
  return [main, labelSets === undefined ? ` accurate on ${all}` : ` of ${all} have every label correct`];
}

/** The certified accuracy for the smallest number of edits. */
function certifiedResult(certified: CertifiedData | CertifiedEditsData): Inline[] {
  const found =
    'unit' in certified
      ? certified.curve
          .filter(({ count }) => count > 0)
          .map(({ count, edits }) => ({ of: `${count} edited ${certified.unit}`, rate: edits, count }))
      : certified.curve
          .filter(({ words }) => words > 0)
          .map(({ words, accuracy }) => ({ of: `${words} replaced word`, rate: accuracy, count: words }));
  const [first] = found;
  return first === undefined
    ? []
    : ['; ', { rate: first.rate, style: 'strong' }, ` certified against ${first.of}${first.count === 1 ? '' : 's'}`];
}

/** Figures of all, then a row a class with precision, recall, and how often it was taken for each. */
export function cleanBlocks(clean: CleanMetrics, labels: readonly string[], decision?: DecisionRule): Block[] {
  if (clean.regression !== undefined) return numberBlocks(clean, decision);
  if (clean.tags !== undefined) {
    const close = approximationFacts(clean);
    return [
      ...cleanTagBlocks(clean.tags),
      ...(close.length > 0 ? [{ kind: 'facts' as const, heads: ['figure', 'value'] as const, facts: close }] : []),
    ];
  }
  return [
    {
      kind: 'facts',
      heads: ['figure', 'value'],
      facts: [
        ...detectorFacts(clean, decision),
        ...figureFacts(CLASS_FIGURES, clean),
        ...approximationFacts(clean),
        ...CLEAN_MEASURES.flatMap(({ figures }) => figureFacts(figures, clean)),
      ],
    },
    ...detectionCurves(clean),
    ...(clean.labelSets === undefined ? classBlocks(clean, labels) : labelSetBlocks(clean)),
  ];
}

/** A row for each figure that the model has. */
const figureFacts = (figures: readonly CleanFigure[], clean: CleanMetrics): (readonly [Inline, Inline])[] =>
  figures.flatMap((figure): (readonly [Inline, Inline])[] => {
    const value = valueAt(clean, figure.key);
    if (value === undefined || (figure.key === 'fBeta.macro' && clean.fBeta?.beta === 1)) return [];
    const { label, about } = { ...figure, ...namedFor(clean, figure.key) };
    if (figure.unit === 'rate') return [[label, { rate: value as Rate, ...(figure.style && { style: figure.style }) }]];
    const text = figure.unit === 'area' ? area(value as Rate) : percent(value as number);
    return [[label, about === undefined ? text : `${text}, ${about}`]];
  });

/** Words that depend on the model. */
function namedFor(clean: CleanMetrics, key: string): { label?: string; about?: string } {
  if (key === 'accuracy' && clean.labelSets !== undefined) return { label: 'All labels right' };
  if (key === 'macroF1') return { about: overLabels(clean) };
  return key === 'fBeta.macro' ? { label: `Macro F${clean.fBeta?.beta}` } : {};
}

/** The labels whose mean F1 is the macro F1: those of an example or a prediction. */
function overLabels({ perClass, labelSets, ...clean }: CleanMetrics): string {
  const predicted = new Set(cellsOf(clean).map(([, label]) => label));
  const isPredicted = (at: number): boolean =>
    labelSets === undefined ? predicted.has(at) : (labelSets.perLabel[at]?.precision.n ?? 0) > 0;
  const met = perClass.filter(({ support }, at) => support > 0 || isPredicted(at)).length;
  const [all, left] = [perClass.length, perClass.length - met];
  if (left === 0) return `mean of ${quantity(all, 'label')}`;
  return `mean of ${met} of ${quantity(all, 'label')}; left out: ${left} without an example or a prediction`;
}

/** Most labels whose answers have a column each. */
const MOST_COLUMNS = 12;

/** Of many labels: rows only of those with an example or a prediction, and the most frequent wrong answers instead of the matrix. */
function classBlocks({ perClass, tied, ...clean }: CleanMetrics, labels: readonly string[]): Block[] {
  const many = labels.length > MOST_COLUMNS;
  const rows = perClass.map(() => ({ answers: [] as [string, number][], answered: 0, predicted: false }));
  for (const [truth, predicted, n] of cellsOf(clean)) {
    const [row, column] = [must(rows[truth]), must(rows[predicted])];
    row.answered += n;
    if (row !== column) row.answers.push([must(labels[predicted]), n]);
    column.predicted = true;
  }
  const wrong = (at: number): string =>
    must(rows[at])
      .answers.sort(([, a], [, b]) => b - a)
      .slice(0, 3)
      .map(([label, n]) => `${label}: ${n}`)
      .join(', ');
  const shown = perClass.flatMap((each, at) =>
    !many || each.support > 0 || must(rows[at]).predicted ? [{ ...each, at }] : [],
  );
  return [
    table(
      'Classes without attack',
      [
        ...['class', 'precision', 'recall', 'F1', 'examples'],
        ...(many ? ['most often wrong as'] : labels.map((label) => `as ${label}`)),
        ...(tied === undefined ? [] : ['tied']),
      ],
      shown.map(({ label, precision, recall, f1, support, at }) => [
        label,
        ...[precision, recall, f1].map(percent),
        support,
        ...(many ? [wrong(at)] : (clean.confusion[at] ?? [])),
        ...(tied === undefined ? [] : [support - must(rows[at]).answered]),
      ]),
    ),
    note(
      `95 % intervals in parentheses.${many ? '' : ' "as X" counts texts of the class of the row that were classified as X.'}${tied === undefined ? '' : ' Tied: several labels share the highest score, which counts as a wrong prediction.'}`,
    ),
  ];
}

const approximationFacts = ({ approximation }: CleanMetrics): (readonly [Inline, Inline])[] =>
  approximation === undefined
    ? []
    : [
        approximation.device
          ? ['Device', `${approximation.device}; its answers are not reproducible to the byte`]
          : ['Approximation', approximation.precision],
        [
          approximation.device ? 'Agreement with the processor' : 'Agreement with the model itself',
          { rate: approximation.agreement },
        ],
        ['Difference from it', `${approximation.difference.toPrecision(2)}, mean of the largest of a probability`],
      ];

const editsSection = ({ unit, rate, keep = 0, samples, alpha, abstained, curve }: CertifiedEditsData): Section => ({
  id: 'certified',
  title: `Certified accuracy, by the number of ${unit}s an attacker may edit`,
  blocks: [
    table(
      'Certified accuracy',
      [`${unit}s`, 'inserted, deleted or substituted', 'inserted', 'deleted'],
      curve.map(({ count, edits, insertions, deletions }) => [
        count,
        { rate: edits },
        { rate: insertions },
        { rate: deletions },
      ]),
    ),
    { kind: 'bars', bars: curve.map(({ count, edits }) => ({ name: `${count}`, rate: edits, tone: 'hold' })) },
    note(
      `Vote of ${samples} versions, each ${unit} left out with probability ${rate}${keep > 0 ? `, or more in long texts, so that ${keep} remain on average` : ''}. Each certificate may err with probability ${alpha}, and so may the vote on an edited text within it. Of ${quantity(abstained.n, 'text')} ${Math.round((abstained.value ?? 0) * abstained.n)} have too close a vote for one, and count as wrong. The intervals are of the sampling of examples.`,
    ),
  ],
});

const certifiedSection = ({ rate, samples, curve }: CertifiedData): Section => ({
  id: 'certified',
  title: 'Certified accuracy, by the number of words an attacker may replace',
  blocks: [
    table(
      'Certified accuracy',
      ['words', 'accuracy'],
      curve.map(({ words, accuracy }) => [words, { rate: accuracy }]),
    ),
    { kind: 'bars', bars: curve.map(({ words, accuracy }) => ({ name: `${words}`, rate: accuracy, tone: 'hold' })) },
    note(
      `Vote of ${samples} versions with ${percent(rate)} of the words hidden. Replacing this number of words, one for one, cannot change it: that is certain. The intervals cover the sampling of examples.`,
    ),
  ],
});

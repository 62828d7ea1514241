/** @file A blind review in a report: how many successes keep their label for readers. */
import { interval, percent, quantity } from '../../src/core/figure-text.js';
import type { Rate } from '../../src/core/rate.js';
import type { ReviewReport } from '../../src/core/review.js';
import { note, prose, type Report, type Section, strong, table } from '../../src/plugin.js';

const rate = (of: Rate): string => `${percent(of.value)}${of.low === null ? '' : ` (${interval(of)})`}`;

/** `60 texts, 2 readers, alpha 0.81` */
function basis({ labelKept, readers, agreement }: ReviewReport): string {
  const counted = readers.filter(({ kind, leftOut }) => kind === 'person' && leftOut === undefined);
  return [
    quantity(labelKept.n, 'text'),
    quantity(counted.length, 'reader'),
    agreement === undefined ? 'no agreement between readers to measure' : `alpha ${agreement.alpha.toFixed(2)}`,
  ].join(', ');
}

/** `attack success rate 94.4 % (90-97); label kept for readers 88 % (78-94, 60 texts, 2 readers) -> valid success rate 83 % (73-90)` */
function reviewLine({ review, overall }: Pick<Report, 'review' | 'overall'>): string | undefined {
  if (review === undefined) return undefined;
  const { labelKept: kept } = review;
  const valid = overall.validSuccessRate;
  const line = `attack success rate ${rate(overall.attackSuccessRate)}; label kept for readers ${percent(kept.value)} (${[interval(kept), basis(review)].filter(Boolean).join(', ')})`;
  return valid === undefined ? line : `${line} -> valid success rate ${rate(valid)}`;
}

/** The section of a report. */
export function reviewSection(report: Report): Section[] {
  const { review } = report;
  const line = reviewLine(report);
  if (review === undefined || line === undefined) return [];
  return [
    {
      id: 'review',
      title: 'Do readers keep the labels?',
      led: true,
      brief: [prose(strong('review: '), line)],
      blocks: [prose(strong('review: '), line), ...blocksOf(review)],
    },
  ];
}

/** A table, unless it would be empty. */
const tableOf = (...[caption, columns, rows]: Parameters<typeof table>) =>
  rows.length === 0 ? [] : [table(caption, columns, rows)];

function blocksOf(review: ReviewReport) {
  const { readers, byChanged, byConstraint, judges = [], sideBySide = [], originals, unclear } = review;
  return [
    ...tableOf(
      'Readers',
      ['reader', 'answers', 'originals correct', 'agrees with itself', 'seconds a text'],
      readers.map(({ name, kind, answered, leftOut, medianSeconds, ...of }) => [
        { lines: [kind === 'model' ? `${name} (model)` : name, ...(leftOut ? [`left out: ${leftOut}`] : [])] },
        answered,
        { rate: of.originals },
        { rate: of.selfAgreement },
        medianSeconds === undefined ? '-' : medianSeconds.toFixed(1),
      ]),
    ),
    ...tableOf(
      'Label kept by number of words changed',
      ['words changed', 'label kept', 'texts'],
      byChanged.map(({ from, to, labelKept }) => [
        from === to ? String(from) : `${from}-${to}`,
        { rate: labelKept },
        labelKept.n,
      ]),
    ),
    ...tableOf(
      'Label kept by constraint',
      ['constraint', 'label kept', 'texts'],
      byConstraint.map(({ name, labelKept }) => [name, { rate: labelKept }, labelKept.n]),
    ),
    ...tableOf(
      'Next to the original',
      ['statement', 'no fault', 'mean, 1 to 5'],
      sideBySide.map(({ question, good, mean }) => [question, { rate: good }, mean.toFixed(1)]),
    ),
    ...tableOf(
      'Models as readers, which never count',
      ['model', 'label kept', 'originals correct', 'agrees with people'],
      judges.map(({ name, labelKept, originals: own, agreement }) => [
        name,
        { rate: labelKept },
        { rate: own },
        { rate: agreement },
      ]),
    ),
    note(
      `Unclear texts, which do not count: ${rate(unclear)}. Originals that most readers label as the data set does: ${rate(originals)}, the ceiling.`,
    ),
  ];
}

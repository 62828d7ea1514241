/** @file A blind review in a report: how many successes keep their label for readers. */
import { interval, percent, quantity } from '../../src/core/figure-text.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import type { ComparisonReport } from '../../src/results/comparison/comparison.js';
import { valueAt } from '../../src/results/measures/measure.js';
import { type Inline, note, prose, type Section, strong, table } from '../../src/results/report/document.js';
import type { Report } from '../../src/results/report/report.js';
import { type ReviewReport, type ReviewSummary, summariseReview } from '../../src/results/report/review.js';

const rate = (of: Rate): string => `${percent(of.value)}${of.low === null ? '' : ` (${interval(of)})`}`;

/** `60 texts, 2 readers, alpha 0.81` */
const basis = ({ labelKept, readers, agreement }: ReviewSummary): string =>
  [
    quantity(labelKept.n, 'text'),
    quantity(readers, 'reader'),
    agreement === undefined ? 'no agreement between readers to measure' : `alpha ${agreement.alpha.toFixed(2)}`,
  ].join(', ');

/** `attack success rate 94.4 % (90-97); label kept for readers 88 % (78-94, 60 texts, 2 readers) -> valid success rate 83 % (73-90)` */
function reviewLine(summary: ReviewSummary): string {
  const { attackSuccessRate, labelKept: kept, readers, validSuccessRate: valid } = summary;
  const success = `attack success rate ${rate(attackSuccessRate)}`;
  if (readers === 0) return `${success}; no person's answers count`;
  const line = `${success}; label kept for readers ${percent(kept.value)} (${[interval(kept), basis(summary)].filter(Boolean).join(', ')})`;
  return valid === undefined ? line : `${line} -> valid success rate ${rate(valid)}`;
}

const TITLE = 'Do readers keep the labels?';

/** The review of a card's run, in a line and the reasons why it is inconclusive. */
export const reviewSummarySection = (summary: ReviewSummary | undefined): Section[] =>
  summary === undefined
    ? []
    : [{ id: 'review', title: TITLE, blocks: [prose(reviewLine(summary)), ...summary.reasons.map(inconclusive)] }];

const inconclusive = (reason: string) => note(`Inconclusive: ${reason}.`);

/** The reviews of compared runs; `names`: as tables call the models. */
export const comparedReviews = (reviews: ComparisonReport['reviews'], nameOf: (run: string) => string): Section[] =>
  reviews === undefined
    ? []
    : [
        {
          id: 'reviews',
          title: TITLE,
          blocks: [
            table(
              'Blind reviews',
              ['model', 'attack success rate', 'label kept', 'valid success rate', 'texts', 'readers', 'alpha'],
              reviews.map((each) => [
                nameOf(each.run),
                { rate: each.attackSuccessRate },
                { rate: each.labelKept },
                each.validSuccessRate === undefined ? '-' : { rate: each.validSuccessRate },
                each.labelKept.n,
                each.readers,
                each.agreement?.alpha.toFixed(2) ?? '-',
              ]),
            ),
            ...reviews.flatMap(({ run, reasons }) => reasons.map((why) => inconclusive(`${nameOf(run)}: ${why}`))),
            note('Each review reads texts of its own run, so the rates are not paired.'),
          ],
        },
      ];

/** The section of a report. */
export function reviewSection(report: Report): Section[] {
  const { review } = report;
  const summary = summariseReview(review, report.overall);
  if (review === undefined || summary === undefined) return [];
  const line = reviewLine(summary);
  return [
    {
      id: 'review',
      title: TITLE,
      led: true,
      brief: [prose(strong('review:'), ` ${line}`)],
      blocks: [prose(strong('review:'), ` ${line}`), ...blocksOf(review, report.attacks)],
    },
  ];
}

const cellOf = (key: string, entry: object | undefined): Inline => {
  const found = entry && (valueAt(entry, key) as Rate | undefined);
  return found === undefined ? '-' : { rate: found };
};

/** A table, unless it would be empty. */
const tableOf = (...[caption, columns, rows]: Parameters<typeof table>) =>
  rows.length === 0 ? [] : [table(caption, columns, rows)];

function blocksOf(review: ReviewReport, attacks: Report['attacks']) {
  const { readers, judges = [], originals, unclear } = review;
  const read = attacks.filter((attack) => valueAt(attack, 'labelKept') !== undefined);
  return [
    ...tableOf(
      'Label kept by attack',
      ['attack', 'label kept for readers', 'valid success rate'],
      read.map((attack) => [attack.name, cellOf('labelKept', attack), cellOf('validSuccessRate', attack)]),
    ),
    ...tableOf(
      'Readers',
      ['reader', 'answers', 'originals correct', 'agrees with itself', 'seconds a text'],
      readers.map(({ name, kind, answered, leftOut, medianSeconds, ...of }) => [
        {
          lines: [
            kind === 'model' ? `${name} (model)` : name,
            ...(leftOut ? [kind === 'model' ? leftOut : `left out: ${leftOut}`] : []),
          ],
        },
        answered,
        { rate: of.originals },
        { rate: of.selfAgreement },
        medianSeconds === undefined ? '-' : medianSeconds.toFixed(1),
      ]),
    ),
    ...tableOf(
      'Models as readers, which never count',
      ['model as reader', 'label kept', 'originals correct', 'agrees with people'],
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

/** @file Adds what readers decided to the report of a reviewed run. */
import { RobustError } from '../../core/errors.js';
import type { Report } from '../../results/report/report.js';
import { isReviewed, ReviewFolder, withReviewFigures } from '../../review/index.js';
import type { RunFolder } from '../../run/index.js';

/** The report with the figures of the review of its run. Unchanged without answers; with a warning if the review cannot be read. */
export async function withReview(report: Report, { path, record }: RunFolder): Promise<Report> {
  if (record.status !== 'done' || !isReviewed(path)) return report;
  try {
    const folder = ReviewFolder.open(path, record.resultsSha256);
    const journals = folder.journals().filter(({ readings }) => readings.size > 0);
    if (journals.length === 0) return report;
    const reviewed = await withReviewFigures(report, folder.plan, journals);
    const remarks = reviewRemarks(reviewed);
    return { ...reviewed, warnings: [...report.warnings, ...remarks] };
  } catch (error) {
    if (!(error instanceof RobustError)) throw error;
    return { ...report, warnings: [...report.warnings, `the review of this run is left out: ${error.message}`] };
  }
}

/** Readers whose answers do not count, and why the review supports no conclusion. */
const reviewRemarks = ({ review }: Report): string[] => [
  ...(review?.readers ?? []).flatMap(({ name, kind, leftOut }) =>
    leftOut === undefined || kind === 'model' ? [] : [`reader ${name} is left out of the review: ${leftOut}`],
  ),
  ...(review?.verdict === 'inconclusive' ? [`the review is inconclusive: ${review.reasons.join('; ')}`] : []),
];

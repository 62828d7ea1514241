/** @file The page on which a reader reads the texts of a review. */
import type { UseCaseHooks } from '../context.js';
import { type RunningUi, ui } from '../ui.js';
import { openReview } from './open-review.js';
import type { ReviewOptions } from './review.js';

/**
 * Serves the page of a reader, on a free port of the loopback interface, until `signal` or `close` stops it. Throws what `openReview` throws;
 * RobustError NAME_INVALID, REVIEW_MISMATCH, ADDRESS_TAKEN.
 */
export async function reviewPage(
  { run, as = 'reader-1', width, numExamples, seed }: ReviewOptions,
  hooks: UseCaseHooks,
): Promise<RunningUi> {
  const opened = await openReview({ run, width, numExamples, seed });
  const { reader } = opened.folder.session(as);
  const running = await ui({ port: 0, ...hooks });
  const page = new URL(running.url);
  page.pathname = '/review';
  page.searchParams.set('run', opened.run.id);
  page.searchParams.set('reader', reader);
  return { ...running, url: page.href };
}

/** @file Opens the blind review of a finished run, and makes its plan for the first reader. */
import { z } from 'zod';
import { type GivenValues, type Settings, type Values, wholeNumber } from '../../config/setting.js';
import { must, RobustError } from '../../core/errors.js';
import { countTexts, isReviewed, makePlan, ReviewFolder, type ReviewPlan, textsForWidth } from '../../review/index.js';
import { openRun, type RunFolder } from '../../run/index.js';
import { decisionOf } from '../../tasks/decide.js';
import { withDefaults } from '../context.js';
import { openReport } from '../runs/open-report.js';
import { RUNS } from '../runs/runs.js';

/** About twenty minutes of reading. */
const USUAL_WIDTH = 0.25;
const USUAL_SEED = 42;

export const reviewDesignSettings = {
  width: {
    schema: z.number('expected a number').min(0.01, 'expected at least 0.01').max(1, 'expected at most 1').optional(),
    value: 'share',
    help: `read as many texts as give a 95 % interval of this width [default: ${USUAL_WIDTH}]`,
  },
  numExamples: {
    schema: wholeNumber(1).optional(),
    char: 'n',
    help: 'number of adversarial texts to read, instead of --width',
  },
  seed: { schema: wholeNumber(0).optional(), help: `random seed of a new review [default: ${USUAL_SEED}]` },
} as const satisfies Settings;

export interface OpenReviewOptions extends GivenValues<typeof reviewDesignSettings> {
  /** Id or folder of a finished run. @default 'latest' */
  readonly run?: string | undefined;
}

export interface OpenedReview {
  readonly run: RunFolder;
  readonly folder: ReviewFolder;
  /** Is the plan, or a part of it, new? */
  readonly changed: boolean;
}

/**
 * Opens the review of a run. The options design a new one; those of a later call may only ask for more texts, which keeps all answers.
 * Throws RobustError RUN_NOT_FOUND, RUN_UNFINISHED, RUN_UNSUPPORTED, EXAMPLES_TOO_FEW, REVIEW_MISMATCH, RUN_DAMAGED; OutputError.
 */
export async function openReview({ run = 'latest', ...options }: OpenReviewOptions = {}): Promise<OpenedReview> {
  const design = withDefaults(reviewDesignSettings, options);
  const folder = await openRun(RUNS, run);
  if (!isReviewed(folder.path)) {
    return { run: folder, folder: ReviewFolder.create(folder.path, await planOf(folder, design)), changed: true };
  }
  const review = ReviewFolder.open(folder.path, folder.record.resultsSha256);
  const changed = await extend(review, folder, design);
  return { run: folder, folder: review, changed };
}

type Design = Values<typeof reviewDesignSettings>;

/** Adds texts to a review if the design has more than its plan. Throws RobustError REVIEW_MISMATCH for a design that is not an extension. */
async function extend(review: ReviewFolder, folder: RunFolder, design: Design): Promise<boolean> {
  const { plan } = review;
  if (Object.values(design).every((value) => value === undefined)) return false;
  const sized = design.width !== undefined || design.numExamples !== undefined;
  const same = { seed: plan.seed, ...(!sized && { numExamples: countTexts(plan) }) };
  const wanted = await planOf(folder, { ...design, ...same, seed: design.seed ?? plan.seed });
  if (wanted.key !== plan.key)
    throw new RobustError(`expected the design of the review in ${review.path} (seed ${plan.seed}), got another seed`, {
      code: 'REVIEW_MISMATCH',
      hint: 'Leave out --seed, or move that folder away to begin another review.',
    });
  if (countTexts(wanted) <= countTexts(plan)) return false;
  review.extend(wanted);
  return true;
}

async function planOf(folder: RunFolder, design: Design): Promise<ReviewPlan> {
  const { record } = folder;
  const { width = USUAL_WIDTH, numExamples = textsForWidth(width), seed = USUAL_SEED } = design;
  const { report } = await openReport(folder.path);
  const { model, attacks, examples: outcomes } = report;
  return makePlan(
    {
      run: record.run,
      resultsSha256: must(record.resultsSha256),
      labels: model.labels,
      decision: decisionOf(model.decision, model.labels),
      attacks,
      outcomes,
    },
    { texts: numExamples, seed },
  );
}

/** @file The figures of a blind review, as a report has them. */
import { z } from 'zod';
import { count, type Declared, nonEmpty, texts } from '../../core/declared.js';
import { defined } from '../../core/defined.js';
import { rateSchema } from '../../core/statistics/rate.js';

const agreementSchema = z
  .object({ alpha: z.number().max(1), low: z.number().max(1), high: z.number().max(1) })
  .describe("Krippendorff's alpha between readers, with a bootstrap interval over texts. Absent with one reader.");

export const labelKept = rateSchema.describe(
  'Share of the adversarial texts that keep their label for most readers. The interval covers texts and readers; unclear texts do not count.',
);
const unclear = rateSchema.describe('Share of the texts read without a majority: ties, and answers of unsure readers.');

export const reviewedRatesShape = {
  validSuccessRate: rateSchema
    .describe(
      'Attack success rate that counts only texts whose label readers keep, with a joint interval. n: texts that readers decided.',
    )
    .exactOptional(),
  accuracyUnderValidAttacks: rateSchema
    .describe('Accuracy under attack if only successes whose label readers keep count. n: texts that readers decided.')
    .exactOptional(),
};

const reviewer = z.object({
  name: nonEmpty,
  kind: z.enum(['person', 'model']),
  answered: count,
  originals: rateSchema.describe('Correct answers on untouched originals.'),
  selfAgreement: rateSchema.describe('Equal answers to texts that were shown twice.'),
  medianSeconds: z.number().min(0).exactOptional(),
  leftOut: z.string().describe('Why the answers do not count.').exactOptional(),
});

export const reviewSchema = z.object({
  review: nonEmpty.describe('Identifies the plan.'),
  seed: z.number().int(),
  texts: count.describe('Adversarial texts of the plan.'),
  controls: count,
  repeats: count,
  readers: z.array(reviewer),
  labelKept: labelKept.describe('Over the texts of all attacks.'),
  unclear,
  originals: rateSchema.describe('Untouched originals whose label most readers confirm: the ceiling of labelKept.'),
  agreement: agreementSchema.exactOptional(),
  judges: z
    .array(
      z.object({
        name: nonEmpty,
        address: z.string().exactOptional(),
        labelKept,
        originals: rateSchema,
        agreement: rateSchema.describe('Texts on which the model answers as most people do.'),
      }),
    )
    .describe('Language models that read the same texts. They never count as readers.')
    .exactOptional(),
  verdict: z.enum(['conclusive', 'inconclusive']),
  reasons: texts,
});

const verdict = reviewSchema.pick({ verdict: true, reasons: true }).shape;

/** A review in short, where other reports name it: comparisons and cards. */
export const reviewSummarySchema = z.object({
  attackSuccessRate: rateSchema,
  labelKept,
  unclear,
  readers: count.describe('People whose answers count.'),
  agreement: agreementSchema.exactOptional(),
  ...reviewedRatesShape,
  ...verdict,
});

export interface ReviewSummary extends Declared<typeof reviewSummarySchema> {}

type SummarisedRates = Pick<ReviewSummary, 'attackSuccessRate' | 'validSuccessRate' | 'accuracyUnderValidAttacks'>;

/** A review in short; undefined without one. `rates`: those of all attacks, or of a suite. */
export function summariseReview(
  review: ReviewReport | undefined,
  { attackSuccessRate, validSuccessRate, accuracyUnderValidAttacks }: SummarisedRates,
): ReviewSummary | undefined {
  if (review === undefined) return undefined;
  const { labelKept: kept, unclear: open, readers, agreement, verdict: conclusion, reasons } = review;
  return {
    attackSuccessRate,
    labelKept: kept,
    unclear: open,
    readers: readers.filter(({ kind, leftOut }) => kind === 'person' && leftOut === undefined).length,
    ...defined({ agreement, validSuccessRate, accuracyUnderValidAttacks }),
    verdict: conclusion,
    reasons,
  };
}

/** The review of a run. */
export interface ReviewReport extends Declared<typeof reviewSchema> {}

/** @file What is measured of a model without an attack. */
import { z } from 'zod';
import { count, type Declared, nonEmpty, positiveCount, share, texts } from './declared.js';
import { estimateSchema, rateSchema } from './rate.js';
import { coarsenessSchema } from './scores.js';
import { textCountsSchema } from './text-census.js';

const perClass = z.object({
  label: z.string(),
  precision: share,
  recall: share,
  f1: share,
  support: count.describe('Examples of this class.'),
});

export interface PerClass extends Declared<typeof perClass> {}

const approximation = z
  .object({
    precision: nonEmpty.describe('"int8"'),
    device: nonEmpty
      .describe('Where it was computed, if not on the processor; its answers are then not reproducible to the byte.')
      .exactOptional(),
    agreement: rateSchema.describe('Texts for which both make the same decision.'),
    difference: share.describe('Mean over the texts of the largest absolute difference of a probability.'),
  })
  .describe(
    'Where searches query the model at another precision or on a device other than the processor: how close that is.',
  );

export interface ApproximationMetrics extends Declared<typeof approximation> {}

const repeatability = z
  .object({
    asked: count.describe('Texts queried again.'),
    changed: count.describe('Of these, texts with another decision.'),
    difference: z.number().min(0).describe('The largest difference of a score.'),
  })
  .describe('How far answers to the same text agreed. Absent where they were equal or no text was queried twice.');

export interface Repeatability extends Declared<typeof repeatability> {}

const atThreshold = {
  threshold: z.number().describe('Scores from here on are positive.'),
  recall: rateSchema.describe('Of the positives, those detected.'),
  falsePositiveRate: rateSchema.describe('Of the negatives, those detected.'),
  precision: rateSchema.describe('Of those detected, the positives.'),
};

const curvePoint = z.object(atThreshold).meta({ id: 'curvePoint' });

export interface CurvePoint extends Declared<typeof curvePoint> {}

const auroc = rateSchema.describe('Area under the ROC curve. Absent where there are no positives or no negatives.');

const detection = z.object({
  ...atThreshold,
  auroc: auroc.exactOptional(),
  averagePrecision: rateSchema
    .describe('Area under the curve of precision against recall; `n` counts the positives.')
    .exactOptional(),
  curve: z.array(curvePoint).describe('What other thresholds would do, the highest first.'),
});

/** Of a detector, whose positive label is what it detects. */
export interface DetectionMetrics extends Declared<typeof detection> {}

const labelSets = z
  .object({
    microPrecision: rateSchema,
    microRecall: rateSchema,
    perLabel: z.array(z.object({ label: z.string(), ...atThreshold, auroc: auroc.exactOptional() })),
  })
  .describe('Of a model that gives a text any number of labels; accuracy is then that of the whole set.');

/** Of a model that gives a text any number of labels: each label is a detector of its own. */
export interface LabelSetMetrics extends Declared<typeof labelSets> {}

const regression = z
  .object({
    meanSquaredError: estimateSchema.exactOptional(),
    meanAbsoluteError: estimateSchema.exactOptional(),
    pearson: estimateSchema.exactOptional(),
    spearman: estimateSchema.exactOptional(),
  })
  .describe(
    'Of a model that returns one number; accuracy is then the share within delta of the true one. A correlation is absent where answers or true values are constant, or fewer than 4.',
  );

export interface RegressionMetrics extends Declared<typeof regression> {}

const calibration = z
  .object({
    error: share,
    bins: z.array(z.object({ confidence: z.number(), accuracy: share, n: count })),
  })
  .describe('Expected calibration error over 10 bins of equal width (Guo et al. 2017), and the bins.');

export const cleanSchema = z
  .object({
    ...detection.partial().shape,
    labelSets: labelSets.exactOptional(),
    regression: regression.exactOptional(),
    accuracy: rateSchema,
    macroF1: share
      .describe(
        'Mean F1 of the labels that an example has or that are predicted. Absent where the model returns one number.',
      )
      .exactOptional(),
    microF1: share.exactOptional(),
    fBeta: z.object({ beta: z.number(), macro: share }).exactOptional(),
    perClass: z.array(perClass),
    confusion: z
      .array(z.array(count))
      .describe('Row = true label, column = predicted. Ties are in no column. Empty of label sets and numbers.'),
    tied: positiveCount
      .describe(
        'Examples whose highest score is that of several labels: no label is predicted, and the answer is wrong.',
      )
      .exactOptional(),
    degenerate: texts
      .min(1)
      .describe('Why no figure measured on this model says how robust it is. Absent where it is not degenerate.')
      .exactOptional(),
    scores: coarsenessSchema
      .describe(
        'Labels: every score is 0 or 1. Rounded: all come in steps of 0.01 or more. Absent where they are finer.',
      )
      .exactOptional(),
    texts: textCountsSchema.describe('Absent where all texts are different and none is unreadable.').exactOptional(),
    repeatability: repeatability.exactOptional(),
    approximation: approximation.exactOptional(),
    calibration: calibration.exactOptional(),
  })
  .meta({ id: 'clean' });

export interface CleanMetrics extends Declared<typeof cleanSchema> {}

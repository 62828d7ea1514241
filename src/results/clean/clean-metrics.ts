/** @file Metrics of a model without attack. */
import { z } from 'zod';
import type { Decision, Truth } from '../../core/decision.js';
import { count, type Declared, nonEmpty, positiveCount, share, texts } from '../../core/declared.js';
import { estimateSchema, rateSchema } from '../../core/statistics/rate.js';
import { cleanTagsSchema } from '../tags/clean.js';
import { BINS, calibrationFold } from './class-scores.js';
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
    changed: count.describe('Queried texts with another decision.'),
    difference: z.number().min(0).describe('The largest difference of a score.'),
  })
  .describe('How far answers to the same text agreed. Absent where they were equal or no text was queried twice.');

export interface Repeatability extends Declared<typeof repeatability> {}

const atThreshold = {
  threshold: z.number().describe('Scores from here on are positive.'),
  recall: rateSchema.describe('Share of the positives that are detected.'),
  falsePositiveRate: rateSchema.describe('Share of the negatives that are detected.'),
  precision: rateSchema.describe('Share of the detected texts that are positive.'),
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
  curve: z.array(curvePoint).describe('Results of other thresholds, the highest first.'),
});

/** Figures of a detector; its positive label is what it detects. */
export interface DetectionMetrics extends Declared<typeof detection> {}

const labelSets = z
  .object({
    microPrecision: rateSchema,
    microRecall: rateSchema,
    perLabel: z.array(z.object({ label: z.string(), ...atThreshold, auroc: auroc.exactOptional() })),
  })
  .describe('For a multi-label model; the accuracy then requires the whole set.');

/** Figures of a multi-label model; each label counts as a detector. */
export interface LabelSetMetrics extends Declared<typeof labelSets> {}

const regression = z
  .object({
    meanSquaredError: estimateSchema.exactOptional(),
    meanAbsoluteError: estimateSchema.exactOptional(),
    pearson: estimateSchema.exactOptional(),
    spearman: estimateSchema.exactOptional(),
  })
  .describe(
    'For a model that returns one number; accuracy is then the share within delta of the true one. A correlation is absent where answers or true values are constant, or fewer than 4.',
  );

export interface RegressionMetrics extends Declared<typeof regression> {}

/** A figure in reports and requirements. */
export interface CleanFigure {
  /** Path in `clean`, also its name in requirements: `macroF1`, `calibration.error`. */
  readonly key: string;
  /** Row heading, unless the document has another one for this kind of model. */
  readonly label: string;
  /** Explanation printed after the value. */
  readonly about?: string;
  /** `rate`: with an interval; `share`: a fraction without one; `area`: under a curve, with an interval. */
  readonly unit: 'rate' | 'share' | 'area';
  readonly better: 'higher' | 'lower';
  readonly style?: 'strong';
}

/** A measurement for every model that predicts one label, in addition to the figures of each class. */
export interface CleanMeasure<V = unknown> {
  /** Key of its value in `clean`. */
  readonly name: string;
  readonly schema: z.ZodType<V>;
  /** Adds only whole numbers, so the order of the texts changes no bit. */
  fold(decision: Decision): { add(truth: Truth, row: Float32Array): void; value(): V };
  readonly figures: readonly CleanFigure[];
}

const calibrationSchema = z
  .object({ error: share, bins: z.array(z.object({ confidence: z.number(), accuracy: share, n: count })) })
  .describe('Expected calibration error over 10 bins of equal width (Guo et al. 2017), and the bins.');

/** Calibration of the predicted label's probability; for a detector, of the probability of its decision. */
const calibration: CleanMeasure<z.output<typeof calibrationSchema>> = {
  name: 'calibration',
  schema: calibrationSchema,
  fold(decision) {
    const { add, value } = calibrationFold();
    return {
      add(truth, row) {
        const [label = decision.label(row)] = decision.tied(row);
        add(decision.confidence(row, { label }), decision.right(row, truth));
      },
      value,
    };
  },
  figures: [
    {
      key: 'calibration.error',
      label: 'Calibration error',
      about: `expected, over ${BINS} bins`,
      unit: 'share',
      better: 'lower',
    },
  ],
};

/** Add new figures here: records, the published schema, reports and requirements derive from this list. */
export const CLEAN_MEASURES: readonly CleanMeasure[] = [calibration];

/** Figures of the classes, of detectors and of label sets, in the order of reports. */
export const CLASS_FIGURES: readonly CleanFigure[] = [
  { key: 'recall', label: 'Recall', unit: 'rate', better: 'higher', style: 'strong' },
  { key: 'falsePositiveRate', label: 'False positive rate', unit: 'rate', better: 'lower', style: 'strong' },
  { key: 'precision', label: 'Precision', unit: 'rate', better: 'higher' },
  { key: 'auroc', label: 'Area under ROC', unit: 'area', better: 'higher' },
  { key: 'averagePrecision', label: 'Average precision', unit: 'area', better: 'higher' },
  { key: 'accuracy', label: 'Accuracy', unit: 'rate', better: 'higher', style: 'strong' },
  { key: 'labelSets.microPrecision', label: 'Micro precision', unit: 'rate', better: 'higher' },
  { key: 'labelSets.microRecall', label: 'Micro recall', unit: 'rate', better: 'higher' },
  { key: 'macroF1', label: 'Macro F1', unit: 'share', better: 'higher' },
  { key: 'microF1', label: 'Micro F1', unit: 'share', better: 'higher' },
  { key: 'fBeta.macro', label: 'Macro F-beta', unit: 'share', better: 'higher' },
];

/** All figures of the unedited pass. */
export const CLEAN_FIGURES: readonly CleanFigure[] = [
  ...CLASS_FIGURES,
  ...CLEAN_MEASURES.flatMap(({ figures }) => figures),
];

/** The values of measures, none of which is read by name. */
const measured: object = Object.fromEntries(CLEAN_MEASURES.map(({ name, schema }) => [name, schema.optional()]));

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
      .describe(
        'Row = true label, column = predicted. Ties are in no column. Empty of label sets and numbers, and of more than 100 labels.',
      ),
    confusionCells: z
      .array(z.array(count).length(3))
      .describe('Of more than 100 labels: true label, predicted label and count of each cell above zero, from label 0.')
      .exactOptional(),
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
    tags: cleanTagsSchema.exactOptional(),
    ...measured,
    calibration: calibrationSchema.exactOptional(),
  })
  .meta({ id: 'clean' });

export interface CleanMetrics extends Declared<typeof cleanSchema> {}

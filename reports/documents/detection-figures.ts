/** @file How a detector, or a model of any number of labels, does without attack: its figures at the threshold, and its curves. */
import type { DecisionRule } from '../../src/core/decision-schema.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import type { CleanMetrics } from '../../src/results/clean/clean-metrics.js';
import { type Block, type ChartLine, type Inline, note, type Point, table } from '../../src/results/report/document.js';
import { decisionText } from '../../src/tasks/decide.js';
import { interval, percent } from '../figures.js';

/** The labels that a detector detects, and the origin of its threshold; empty for other models. */
export const detectorFacts = (
  { recall }: CleanMetrics,
  decision: DecisionRule | undefined,
): (readonly [Inline, Inline])[] =>
  recall === undefined || decision === undefined
    ? []
    : [['Detected', decisionText(decision)], ...calibrationFact(decision)];

function calibrationFact(decision: DecisionRule | undefined): (readonly [Inline, Inline])[] {
  if (decision?.kind !== 'threshold' || decision.calibration === undefined) return [];
  const { wanted, data, falsePositiveRate: rate } = decision.calibration;
  return [
    [
      'Threshold found for',
      `${percent(wanted)} false positives: ${percent(rate.value)} (${interval(rate)}, exact) of the ${rate.n} negatives of ${data}`,
    ],
  ];
}

/** An area under a curve. */
export const area = (rate: Rate): string =>
  `${rate.value?.toFixed(3)} (${rate.low?.toFixed(3)}-${rate.high?.toFixed(3)})`;

/** The curves over all thresholds; only a page draws them, folded. */
export function detectionCurves({ curve = [], threshold, recall, falsePositiveRate }: CleanMetrics): Block[] {
  if (curve.length < 2 || threshold === undefined || recall?.value == null || falsePositiveRate?.value == null)
    return [];
  const share = (value: number): string => `${Math.round(value * 1000) / 10} %`;
  type Axis = 'recall' | 'falsePositiveRate' | 'precision';
  const panel = (title: string, x: Axis, y: Axis) => ({
    title,
    lines: [
      {
        name: 'all thresholds',
        tone: 'hold',
        points: curve.flatMap((at): Point[] => {
          const [across, up] = [at[x].value, at[y]];
          if (across === null || up.value === null || up.low === null || up.high === null) return [];
          return [{ x: across, y: up.value, low: up.low, high: up.high }];
        }),
      } satisfies ChartLine,
    ],
  });
  return [
    {
      kind: 'fold',
      title: 'Curves over all thresholds',
      blocks: [
        {
          kind: 'chart',
          panels: [panel('ROC', 'falsePositiveRate', 'recall')],
          x: { label: 'false positive rate', format: share },
          y: { label: 'recall', min: 0, max: 1, format: share },
        },
        {
          kind: 'chart',
          panels: [panel('Precision and recall', 'recall', 'precision')],
          x: { label: 'recall', format: share },
          y: { label: 'precision', min: 0, max: 1, format: share },
        },
        note(`With 95 % intervals. In use: from ${threshold} on.`),
      ],
    },
  ];
}

/** A row a label: each is a detector of its own. */
export function labelSetBlocks({ labelSets, perClass }: CleanMetrics): Block[] {
  if (labelSets === undefined) return [];
  return [
    {
      ...table(
        'Labels without attack',
        ['label', 'from', 'recall', 'false positives', 'precision', 'F1', 'ROC', 'texts'],
        labelSets.perLabel.map(({ label, threshold, recall, falsePositiveRate, precision, auroc }, at) => [
          label,
          threshold,
          { rate: recall },
          { rate: falsePositiveRate },
          { rate: precision },
          percent(perClass[at]?.f1 ?? 0),
          auroc === undefined ? '' : area(auroc),
          perClass[at]?.support ?? 0,
        ]),
      ),
    },
    note('Each label by itself, from its threshold on. ROC: area under the curve. Beside each rate its 95 % interval.'),
  ];
}

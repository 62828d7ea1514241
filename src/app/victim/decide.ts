/** @file The meaning of a victim's scores, by flags, by its robust.json or by data. */
import { parsedThreshold } from '../../config/settings/decision.js';
import type { Classifier } from '../../core/classifier.js';
import type { Dataset } from '../../core/dataset.js';
import type { DecisionRule } from '../../core/decision.js';
import { RobustError } from '../../core/errors.js';
import { labelHint } from '../../core/label-words.js';
import { take } from '../../core/take.js';
import type { LoadedModel } from '../../model/load.js';
import type { WrittenDecision } from '../../model/opening/manifest.js';
import { calibrated } from '../../tasks/detector/calibrate.js';
import { rangeDelta } from '../../tasks/number/decide.js';
import { type DataLoading, openData } from '../data/open-data.js';
import { columnsFor, type TextColumns } from './columns.js';
import { contradiction, type DecisionChoice, type DecisionSettings } from './decision-choice.js';

type Written = LoadedModel['decision'];

/** The texts by which a threshold or a delta is found, where the settings give neither. */
interface DecisionTexts {
  readonly dataset: Dataset;
  /** How a file of --threshold calibration is read. */
  readonly columns?: TextColumns;
  /** Number of examples of the data set from the first on; 0 = all. @default 0 */
  readonly numExamples?: number | undefined;
  /** The delta, where no number is known. */
  readonly delta?: number;
}

/**
 * The rule by which the answers of `classifier` are read; undefined where the most probable label is. Throws RobustError for labels that the model
 * does not have, and where there are too few texts to find a threshold by.
 */
export async function settledDecision(
  choice: DecisionChoice,
  model: Pick<LoadedModel, 'labels' | 'decision' | 'columns'>,
  classifier: Classifier,
  texts: DecisionTexts,
  load: DataLoading,
): Promise<DecisionRule | undefined> {
  return SETTLING[choice.kind ?? model.decision?.kind ?? 'argmax'](choice, model, classifier, texts, load);
}

/** Kind of decision -> its rule, by flags, else by the model's folder, else by the data. */
const SETTLING: Readonly<Record<WrittenDecision['kind'], typeof settledDecision>> = {
  async argmax(choice, { labels, decision }) {
    checkNoThreshold(choice, decision, labels);
    return undefined;
  },
  tags: async () => undefined,
  async regression(choice, { labels, decision }, _, { dataset, delta }, load) {
    checkOneNumber(labels);
    const known = writtenDelta(choice.delta, decision) ?? delta;
    return { kind: 'regression', delta: known ?? (await deltaOf(dataset, load)) };
  },
  async 'multi-label'(choice, { labels, decision }) {
    return { kind: 'multi-label', at: thresholdsOf(thresholdOf(choice, decision), labels) };
  },
  async threshold(choice, model, classifier, texts, load) {
    const rule = detectedOf(choice, model.decision, model.labels);
    const at = thresholdOf(choice, model.decision);
    const wanted = parsedThreshold(String(at)) ?? { score: 0.5 };
    if ('score' in wanted) return { ...rule, at: wanted.score };
    if ('byLabel' in wanted)
      throw contradiction(
        `one score of the detector, got --threshold ${at}`,
        'Several labels have scores of their own with --task multi-label or --task tags.',
      );
    const negatives = await negativesOf(choice.calibration, model, texts, load);
    return calibrated(rule, wanted.rate, model.labels, classifier, negatives);
  },
};

/** The threshold of a flag, else of the model's folder, else 0.5. */
export const thresholdOf = ({ threshold }: DecisionSettings, written: Written) =>
  threshold ?? (written !== undefined && 'at' in written ? written.at : 0.5);

/** What a detector detects, by flags, else by the model's folder. Throws RobustError for labels that do not exist. */
export function detectedOf(choice: DecisionSettings, written: Written, labels: readonly string[]) {
  const own = written !== undefined && 'positive' in written ? written : undefined;
  const positive = positiveLabels(choice.positive ?? own?.positive ?? [], labels);
  return { kind: 'threshold', positive, by: choice.positiveScore ?? own?.by ?? 'max' } as const;
}

/** Throws RobustError for a model of labels. */
function checkOneNumber(labels: readonly string[]): void {
  if (labels.length === 1) return;
  throw new RobustError(
    `--task regression:delta: expected a model that answers one number, got labels: ${labels.join(', ')}`,
    { code: 'TASK_MISMATCH', hint: 'Leave --task regression out: it is a classifier.' },
  );
}

/** Throws RobustError for a threshold of the most probable label. */
export function checkNoThreshold(choice: DecisionSettings, written: Written, labels: readonly string[]): void {
  if (choice.threshold === undefined && choice.calibration === undefined) return;
  throw new RobustError('--threshold: expected --positive, the label that is detected, got none', {
    code: 'DECISION_INVALID',
    hint: `For example: --positive ${labels.at(-1)} --threshold ${thresholdOf(choice, written)}`,
  });
}

/** The delta that a flag or else the model's folder gives; undefined where neither does. */
export const writtenDelta = (delta: number | undefined, written: Written): number | undefined =>
  delta ?? (written !== undefined && 'delta' in written ? written.delta : undefined);

async function deltaOf(dataset: Dataset, { onWarning }: DataLoading): Promise<number> {
  const delta = await rangeDelta(dataset);
  onWarning?.(
    `--task regression without delta: two numbers count as different from ${delta} on, a tenth of the range of the numbers in ${dataset.name}`,
  );
  return delta;
}

/** Texts without labels: neither a threshold nor a delta can be found by them. */
const unlabelled: Dataset = {
  name: 'texts without labels',
  labels: [],
  source: { url: '', license: '', sha256: '' },
  // biome-ignore lint/correctness/useYield: it has no examples to give
  async *examples() {
    throw new RobustError('--threshold fpr=...: expected its calibration=FILE, the texts it is found by, got none', {
      code: 'DECISION_INVALID',
      hint: 'Or give the threshold that evaluate or attack printed: --threshold 0.83',
    });
  },
};

/** The rule of `classifier`, the model or the model behind defences, for texts that come without labels. The delta of numbers is 1 where neither a flag nor the model's folder gives one. Throws as `settledDecision` does. */
export const decisionWithoutData = (
  choice: DecisionChoice,
  model: LoadedModel,
  columns: TextColumns,
  load: DataLoading,
) => settledDecision(choice, model, model, { dataset: unlabelled, columns, delta: 1 }, load);

/** By label index. Throws RobustError for a label that the model does not have, and for a rate, which each label would need of its own. */
export function thresholdsOf(
  at: number | string | Readonly<Record<string, number>>,
  labels: readonly string[],
): number[] {
  const read = typeof at === 'object' ? { byLabel: at, others: 0.5 } : parsedThreshold(String(at));
  if (read !== undefined && 'byLabel' in read) {
    const { byLabel, others = 0.5 } = read;
    const unknown = Object.keys(byLabel).find((name) => !labels.includes(name));
    if (unknown !== undefined) throw notALabel(typeof at === 'object' ? 'decision.at' : '--threshold', unknown, labels);
    return labels.map((name) => byLabel[name] ?? others);
  }
  if (read !== undefined && 'score' in read) return labels.map(() => read.score);
  throw new RobustError(`--threshold: expected a score from 0 to 1 of several labels, got "${at}"`, {
    code: 'DECISION_INVALID',
    hint: 'A false positive rate is found for a detector: --positive LABEL instead of --task multi-label. A robust.json may give each label its score: "decision": { "kind": "multi-label", "at": { "LABEL": 0.3 } }.',
  });
}

/** By the names that the model gives them. Throws RobustError. */
function positiveLabels(written: readonly string[], labels: readonly string[]): string[] {
  const positive = written.map((name) => {
    const alike = labels.includes(name) ? name : labels.find((label) => label.toLowerCase() === name.toLowerCase());
    const label = alike ?? (/^\d+$/.test(name) ? labels[Number(name)] : undefined);
    if (label === undefined) throw notALabel('--positive', name, labels);
    return label;
  });
  const distinct = [...new Set(positive)];
  if (distinct.length < labels.length) return distinct;
  throw new RobustError(`--positive: expected some of the labels, got all ${labels.length}: ${labels.join(', ')}`, {
    code: 'DECISION_INVALID',
    hint: 'Name those that the model is there to detect.',
  });
}

const notALabel = (flag: string, name: string, labels: readonly string[]): RobustError =>
  new RobustError(`${flag}: expected one of the labels ${labels.join(', ')}, got "${name}"`, {
    code: 'LABEL_NOT_FOUND',
    hint: labelHint(name, labels),
  });

/** The texts by which a threshold is found: a file of their own, or those that are attacked. */
async function negativesOf(
  calibration: string | undefined,
  model: Pick<LoadedModel, 'labels' | 'columns'>,
  { dataset, columns = {}, numExamples = 0 }: DecisionTexts,
  load: DataLoading,
): Promise<Pick<Dataset, 'name' | 'examples'>> {
  if (calibration !== undefined) return openData(calibration, columnsFor(columns, model, 'threshold'), load);
  return { name: dataset.name, examples: () => take(dataset.examples(), numExamples) };
}

/** @file The task that is trained (one label, any number of labels, a number, detection), and its description in robust.json. */
import type { Values } from '../../config/setting.js';
import type { trainSettings } from '../../config/settings/index.js';
import type { Dataset } from '../../core/dataset.js';
import { defined } from '../../core/defined.js';
import { must, RobustError } from '../../core/errors.js';
import { iob2Labels } from '../../core/tags/scheme.js';
import { NO_ENTITY } from '../../core/tags/span.js';
import type { Description } from '../../model/opening/describe.js';
import type { Manifest, WrittenColumns, WrittenDecision } from '../../model/opening/manifest.js';
import { noEntities, parseMethod, type TrainingOptions } from '../../train/index.js';
import { decisionChoice, positiveLabels, rangeDelta, thresholdsOf, withoutPositive } from '../victim/decide.js';

export type TrainChoice = Values<typeof trainSettings>;

export interface LearntTask extends Pick<TrainingOptions, 'thresholds' | 'numbers' | 'tags'> {
  /** How the scores are decided by; undefined where nothing says it, and the most probable label is. */
  readonly kind: WrittenDecision['kind'] | undefined;
  /** Keys of robust.json. */
  readonly described: Pick<Manifest, 'labels' | 'decision' | 'columns'>;
}

/** The kind of decision that flags ask for, or else the model that is trained further has. Throws RobustError. */
export const learntKind = (choice: TrainChoice, before: Description | undefined): LearntTask['kind'] =>
  chosenKind(choice) ?? before?.decision?.kind;

/** The kind of decision that flags ask for. Throws RobustError. */
export const chosenKind = (choice: TrainChoice): LearntTask['kind'] => decisionChoice(choice).kind;

/** Throws RobustError for flags that do not fit the labels, and for numbers that are all equal. */
export async function learntTask(
  choice: TrainChoice,
  before: Description | undefined,
  train: Dataset,
): Promise<LearntTask> {
  const { labels } = train;
  const kind = learntKind(choice, before);
  const own = before?.decision;
  const at = thresholdOf(choice, own);
  const columns = columnsToWrite(choice, before?.columns);
  const describe = (decision: WrittenDecision) => ({ labels: [...labels], decision, ...defined({ columns }) });
  if (kind === 'tags') {
    const types = labels.filter((label) => label !== NO_ENTITY);
    if (types.length === 0) throw noEntities(train.name);
    const tags = before?.labels ?? iob2Labels(types);
    // Only the first token of a word is learnt.
    const decision = { kind, aggregation: 'first' } as const;
    return { kind, tags, described: { labels: [...tags], decision, ...defined({ columns }) } };
  }
  if (kind === 'multi-label') {
    const thresholds = thresholdsOf(at, labels);
    return { kind, thresholds, described: describe({ kind, at: byLabel(thresholds, labels) }) };
  }
  if (kind === 'regression') {
    const delta = choice.delta ?? (own?.kind === kind ? own.delta : undefined) ?? (await rangeDelta(train));
    return { kind, numbers: await scaleOf(train), described: describe({ kind, delta }) };
  }
  if (kind === 'threshold') return { kind, described: describe(detectorOf(choice, own, labels)) };
  if (choice.threshold !== undefined || choice.calibration !== undefined) throw withoutPositive(labels, at);
  return { kind, described: describe({ kind: 'argmax' }) };
}

const thresholdOf = ({ threshold }: TrainChoice, own: WrittenDecision | undefined) =>
  threshold ?? (own !== undefined && 'at' in own ? own.at : 0.5);

/** A decision by the score of positive labels. Throws RobustError for labels that do not exist. */
function detectorOf(
  choice: TrainChoice,
  own: WrittenDecision | undefined,
  labels: readonly string[],
): WrittenDecision & { readonly kind: 'threshold' } {
  const before = own !== undefined && 'positive' in own ? own : undefined;
  const positive = positiveLabels(choice.positive ?? before?.positive ?? [], labels);
  const at = thresholdOf(choice, own);
  const score = Number(at);
  const by = choice.positiveScore ?? before?.by ?? 'max';
  return { kind: 'threshold', positive, at: Number.isNaN(score) ? String(at) : score, by };
}

/** One threshold if all labels have the same. */
function byLabel(thresholds: readonly number[], labels: readonly string[]): number | Record<string, number> {
  const [first = 0.5] = thresholds;
  if (thresholds.every((each) => each === first)) return first;
  return Object.fromEntries(labels.map((label, index) => [label, must(thresholds[index])]));
}

/** The columns that flags name, and for the others those that the model that is trained further has. */
function columnsToWrite(
  { textColumn, textColumns, labelColumn }: TrainChoice,
  before: WrittenColumns = {},
): WrittenColumns | undefined {
  const [first, second] = textColumns ?? [];
  const pair = first !== undefined && second !== undefined ? { texts: [first, second] as [string, string] } : undefined;
  const text = textColumn === undefined ? undefined : { text: textColumn };
  const { label, ...texts } = before;
  const named = labelColumn ?? label;
  const columns = { ...(pair ?? text ?? texts), ...defined({ label: named }) };
  return Object.keys(columns).length === 0 ? undefined : columns;
}

/** Mean and standard deviation of the numbers to learn. */
async function scaleOf(train: Dataset): Promise<NonNullable<LearntTask['numbers']>> {
  const values: number[] = [];
  for await (const { value = Number.NaN } of train.examples()) values.push(value);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}

/** Throws RobustError for settings that take labels for granted. */
export function checkNumberSettings(choice: TrainChoice): void {
  const { adversarial, classWeights, labelSmoothing, defend, metric } = choice;
  const unfit = Object.entries({
    adversarial,
    'loss class-weights': classWeights,
    defend,
    'regularize label-smoothing': labelSmoothing > 0,
    metric: metric !== undefined && metric !== 'loss',
  }).find(([, given]) => given !== undefined && given !== false);
  if (unfit === undefined) return;
  throw new RobustError(`--${unfit[0]}: expected labels to learn, got numbers (--task regression)`, {
    code: 'TASK_UNSUPPORTED',
    hint:
      unfit[0] === 'metric'
        ? 'The weights kept are those of the least mean squared error: --metric loss, or leave it out.'
        : `Leave --${unfit[0]} out.`,
  });
}

/** Throws RobustError for settings that take labels of texts for granted, and for adversaries that replace words, and with them entities. */
export function checkTagSettings(choice: TrainChoice): void {
  const { defend, metric, threshold } = choice;
  const method = (choice.adversarial ?? []).map(parseMethod).find(({ needsNeighbours }) => needsNeighbours);
  const unfit = Object.entries({
    defend: defend !== undefined,
    threshold: threshold !== undefined,
    [`adversarial ${method?.name}`]: method !== undefined,
    [`metric ${metric}`]: metric === 'macroF1' || metric === 'microF1',
  }).find(([, given]) => given);
  if (unfit === undefined) return;
  throw new RobustError(`--${unfit[0]}: expected labels of texts to learn, got tags (--task tags)`, {
    code: 'TASK_UNSUPPORTED',
    hint: method ? 'Take fgsm, pgd or augment.' : `Leave --${unfit[0]} out.`,
  });
}

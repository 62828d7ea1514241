/** @file The task that is trained (one label, any number of labels, a number, detection), and its description in robust.json. */
import type { Values } from '../../config/setting.js';
import type { trainSettings } from '../../config/settings/index.js';
import type { Dataset } from '../../core/dataset.js';
import { defined } from '../../core/defined.js';
import { must, RobustError } from '../../core/errors.js';
import { mean } from '../../core/statistics/stats.js';
import { iob2Labels } from '../../core/tags/scheme.js';
import { NO_ENTITY } from '../../core/tags/span.js';
import type { Description } from '../../model/opening/describe.js';
import type { Manifest, WrittenColumns, WrittenDecision } from '../../model/opening/manifest.js';
import { rangeDelta } from '../../tasks/number/decide.js';
import { noEntities, parseMethod, type TrainingOptions } from '../../train/index.js';
import { checkNoThreshold, detectedOf, thresholdOf, thresholdsOf, writtenDelta } from '../victim/decide.js';
import { decisionChoice } from '../victim/decision-choice.js';

export type TrainChoice = Values<typeof trainSettings>;

type Learnt = Pick<TrainingOptions, 'thresholds' | 'numbers' | 'tags'>;

export interface LearntTask extends Learnt {
  /** How the scores are decided by; undefined where nothing says it, and the most probable label is. */
  readonly kind: WrittenDecision['kind'] | undefined;
  /** Keys of robust.json. */
  readonly described: Pick<Manifest, 'labels' | 'decision' | 'columns'>;
}

/** The kind of decision that flags ask for, or else the model that is trained further has. Throws RobustError. */
export const learntKind = (choice: TrainChoice, before?: Description): LearntTask['kind'] =>
  decisionChoice(choice).kind ?? before?.decision?.kind;

/** Throws RobustError for flags that do not fit the labels, and for numbers that are all equal. */
export async function learntTask(
  choice: TrainChoice,
  before: Description | undefined,
  train: Dataset,
): Promise<LearntTask> {
  const kind = learntKind(choice, before);
  const columns = columnsToWrite(choice, before?.columns);
  const { decision, ...learnt } = await learningOf(kind).learn(choice, before, train);
  const labels = [...(learnt.tags ?? train.labels)];
  return { kind, ...learnt, described: { labels, decision, ...defined({ columns }) } };
}

interface Learning {
  /** The score that chooses the weights by default. */
  readonly metric: TrainingOptions['metric'];
  /** Throws RobustError for settings that do not fit. */
  check?(choice: TrainChoice): void;
  /** What is learnt of texts, and the decision to write. */
  learn(...of: Parameters<typeof learntTask>): Promise<Learnt & Pick<Manifest, 'decision'>>;
}

export const learningOf = (kind: LearntTask['kind'] = 'argmax'): Learning => LEARNING[kind];

const LEARNING: Readonly<Record<WrittenDecision['kind'], Learning>> = {
  argmax: {
    metric: 'accuracy',
    async learn(choice, before, { labels }) {
      checkNoThreshold(choice, before?.decision, labels);
      return { decision: { kind: 'argmax' } };
    },
  },
  threshold: {
    metric: 'accuracy',
    async learn(choice, before, { labels }) {
      const { kind, positive, by } = detectedOf(choice, before?.decision, labels);
      const at = thresholdOf(choice, before?.decision);
      const score = Number(at);
      return { decision: { kind, positive, at: Number.isNaN(score) ? String(at) : score, by } };
    },
  },
  'multi-label': {
    metric: 'microF1',
    check: checkLabelSettings,
    async learn(choice, before, { labels }) {
      const thresholds = thresholdsOf(thresholdOf(choice, before?.decision), labels);
      return { thresholds, decision: { kind: 'multi-label', at: byLabel(thresholds, labels) } };
    },
  },
  regression: {
    metric: 'loss',
    check: checkNumberSettings,
    async learn(choice, before, train) {
      const delta = writtenDelta(choice.delta, before?.decision) ?? (await rangeDelta(train));
      return { numbers: await scaleOf(train), decision: { kind: 'regression', delta } };
    },
  },
  tags: {
    metric: 'entityF1',
    check: checkTagSettings,
    async learn(_, before, { name, labels }) {
      const types = labels.filter((label) => label !== NO_ENTITY);
      if (types.length === 0) throw noEntities(name);
      // Only the first token of a word is learnt.
      return { tags: before?.labels ?? iob2Labels(types), decision: { kind: 'tags', aggregation: 'first' } };
    },
  },
};

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
  const middle = mean(values);
  return { mean: middle, deviation: Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) };
}

/** Throws RobustError for settings that take one label for granted. */
function checkLabelSettings({ classWeights }: TrainChoice): void {
  refuse({ 'loss class-weights': classWeights }, 'one label a text, got any number (--task multi-label)');
}

/** Throws RobustError for settings that take labels for granted. */
function checkNumberSettings({ adversarial, classWeights, labelSmoothing, defend, metric }: TrainChoice): void {
  const unfit = {
    adversarial,
    'loss class-weights': classWeights,
    defend,
    'regularize label-smoothing': labelSmoothing > 0,
    metric: metric !== undefined && metric !== 'loss',
  };
  const hint = 'The weights kept are those of the least mean squared error: --metric loss, or leave it out.';
  refuse(unfit, 'labels to learn, got numbers (--task regression)', { metric: hint });
}

/** Throws RobustError for settings that take labels of texts for granted, and for adversaries that replace words, and with them entities. */
function checkTagSettings({ adversarial = [], defend, metric, threshold }: TrainChoice): void {
  const method = adversarial.map(parseMethod).find(({ needsNeighbours }) => needsNeighbours);
  const unfit = {
    defend,
    threshold,
    [`adversarial ${method?.name}`]: method,
    [`metric ${metric}`]: metric === 'macroF1' || metric === 'microF1',
  };
  refuse(unfit, 'labels of texts to learn, got tags (--task tags)', method && 'Take fgsm, pgd or augment.');
}

/** Throws RobustError for the first of these flags that is given. `hint`: of all flags, or of some. */
function refuse(unfit: object, expected: string, hint: string | Readonly<Record<string, string>> = {}): void {
  const [flag] = Object.entries(unfit).find(([, given]) => given !== undefined && given !== false) ?? [];
  if (flag === undefined) return;
  throw new RobustError(`--${flag}: expected ${expected}`, {
    code: 'TASK_UNSUPPORTED',
    hint: typeof hint === 'string' ? hint : (hint[flag] ?? `Leave --${flag} out.`),
  });
}

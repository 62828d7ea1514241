/** @file The meaning of a victim's scores, by flags or by its robust.json; a threshold may be found by texts that should pass. */
import type { Values } from '../../config/setting.js';
import { type decisionSettings, parsedThreshold } from '../../config/settings/decision.js';
import type { Classifier } from '../../core/classifier.js';
import type { Dataset, Example } from '../../core/dataset.js';
import type { DecisionRule, ThresholdRule } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { must, RobustError } from '../../core/errors.js';
import { labelHint } from '../../core/label-words.js';
import { queryText } from '../../core/pair.js';
import { kebab, splitPart } from '../../core/plugin-options.js';
import { clopperPearson } from '../../core/statistics/stats.js';
import { take } from '../../core/take.js';
import type { LoadedModel, LoadOptions } from '../../model/load.js';
import type { WrittenDecision } from '../../model/opening/manifest.js';
import { positiveScore } from '../../tasks/detector/decide.js';
import { type DataLoading, openData } from '../data/open-data.js';
import { columnsFor, type TextColumns } from './columns.js';

export type DecisionSettings = Partial<Values<typeof decisionSettings>> & { readonly goal?: string | undefined };

/** The decision that settings ask for, before a model is loaded. */
export interface DecisionChoice {
  /** Undefined where the model's folder decides. */
  readonly kind: WrittenDecision['kind'] | undefined;
  /** With the kind `tags`: how spans are made of its tags. */
  readonly tags: LoadOptions['tags'];
  readonly delta: DecisionSettings['delta'];
  readonly positive: DecisionSettings['positive'];
  readonly threshold: DecisionSettings['threshold'];
  readonly positiveScore: DecisionSettings['positiveScore'];
  readonly calibration: DecisionSettings['calibration'];
}

/** Throws RobustError for settings that contradict each other. */
export function decisionChoice(settings: DecisionSettings): DecisionChoice {
  const { delta, positive, threshold, positiveScore, calibration } = settings;
  return { kind: kindOf(settings), delta, positive, threshold, positiveScore, calibration, tags: tagReading(settings) };
}

/** The decision that settings ask for, for what knows labels of texts only. Throws RobustError for tags too. */
export function labelDecision(settings: DecisionSettings): DecisionChoice {
  const choice = decisionChoice(settings);
  if (choice.kind !== 'tags') return choice;
  throw new RobustError('--task tags: expected a model of labels here', {
    code: 'TASK_UNSUPPORTED',
    hint: 'Models that tag can be attacked, evaluated, compared and judged: robust attack, evaluate, compare, gate.',
  });
}

/** Goals that ask whether characters of an entity leak count an entity as found where they are covered. */
function tagReading(settings: DecisionSettings): LoadOptions['tags'] {
  const { task, aggregation, threshold, goal } = settings;
  if (task !== 'tags') {
    if (aggregation === undefined) return undefined;
    throw contradiction(
      `--task tags with aggregation, got --task ${task ?? 'nothing'}`,
      'Tokens have tags only there.',
    );
  }
  const unfit = (['positive', 'positiveScore', 'calibration'] as const).find((key) => settings[key] !== undefined);
  if (unfit !== undefined)
    throw contradiction(`--task tags, got --${kebab(unfit)} too`, 'It takes --threshold, the minimum score of a span.');
  const least = leastOf(threshold);
  if (least === undefined)
    throw contradiction(
      `a score of spans, got --threshold ${threshold}`,
      'For example: --threshold 0.5, or --threshold PERSON=0.6,IBAN=0.9',
    );
  const { name, main, given } = splitPart(goal ?? 'lose');
  // Making the goal refuses other numbers than shares, and shares of other goals.
  const share = Number(main ?? given.get('share')) || undefined;
  return { ...defined({ aggregation, share }), match: name === 'leak' ? 'cover' : 'whole', ...least };
}

/** Minimum scores of spans; undefined for a false positive rate. */
function leastOf(threshold: string | undefined): { least: number; leastByType?: Record<string, number> } | undefined {
  const read = threshold === undefined ? { score: 0 } : parsedThreshold(threshold);
  if (read === undefined || 'rate' in read) return undefined;
  return 'score' in read ? { least: read.score } : { least: read.others ?? 0, leastByType: { ...read.byLabel } };
}

function kindOf(settings: DecisionSettings): DecisionChoice['kind'] {
  const { task, delta, positive, threshold, positiveScore, calibration } = settings;
  const given = Object.entries({ positive, threshold, 'positive-score': positiveScore, calibration });
  const set = given.flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`]));
  if (task === 'regression' || (task === undefined && delta !== undefined)) {
    if (set.length > 0)
      throw contradiction(`a number, got ${set.join(', ')} too`, 'These are of labels: leave them out.');
    return 'regression';
  }
  if (delta !== undefined)
    throw contradiction(
      `--task ${task}, got its delta too`,
      'Only a number has one: --task regression:delta=NUMBER, or leave it out.',
    );
  if (task === 'single' && set.length > 0)
    throw contradiction(`--task single, got ${set.join(', ')} too`, 'Leave one out.');
  if (task === 'multi-label' && positive !== undefined)
    throw contradiction(
      '--task multi-label, got --positive too',
      'With --positive the model is one detector of these labels: leave --task out.',
    );
  if (task === 'single') return 'argmax';
  return task ?? (positive === undefined ? undefined : 'threshold');
}

const contradiction = (what: string, hint: string): RobustError =>
  new RobustError(`expected ${what}`, { code: 'DECISION_INVALID', hint });

/** The texts by which a threshold or a delta is found, where the settings give neither. */
interface DecisionTexts {
  readonly dataset: Dataset;
  /** How a file of --threshold calibration is read. */
  readonly columns?: TextColumns;
  /** Number of examples of the data set from the first on; 0 = all. @default 0 */
  readonly numExamples?: number | undefined;
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
  const { labels, decision: written } = model;
  const kind = choice.kind ?? written?.kind ?? 'argmax';
  const at = choice.threshold ?? (written !== undefined && 'at' in written ? written.at : undefined) ?? 0.5;
  return SETTLING[kind]({ choice, model, labels, at, written, classifier, texts, load });
}

interface Asked {
  readonly choice: DecisionChoice;
  readonly model: Pick<LoadedModel, 'labels' | 'columns'>;
  readonly labels: readonly string[];
  /** The threshold of a flag, else of the model's folder, else 0.5. */
  readonly at: Parameters<typeof thresholdsOf>[0];
  readonly written: LoadedModel['decision'];
  readonly classifier: Classifier;
  readonly texts: DecisionTexts;
  readonly load: DataLoading;
}

/** Kind of decision -> its rule, by flags, else by the model's folder, else by the data. */
const SETTLING: Readonly<Record<WrittenDecision['kind'], (asked: Asked) => Promise<DecisionRule | undefined>>> = {
  async argmax({ choice, labels, at }) {
    if (choice.threshold === undefined && choice.calibration === undefined) return undefined;
    throw withoutPositive(labels, at);
  },
  tags: async () => undefined,
  async regression({ choice, labels, written, texts, load }) {
    checkOneNumber(labels);
    return { kind: 'regression', delta: writtenDelta(choice.delta, written) ?? (await deltaOf(texts.dataset, load)) };
  },
  'multi-label': async ({ labels, at }) => ({ kind: 'multi-label', at: thresholdsOf(at, labels) }),
  threshold: detectorRule,
};

async function detectorRule({ choice, model, labels, at, written, classifier, texts, load }: Asked) {
  const own = written !== undefined && 'positive' in written ? written : undefined;
  const positive = positiveLabels(choice.positive ?? own?.positive ?? [], labels);
  const rule = { kind: 'threshold', positive, by: choice.positiveScore ?? own?.by ?? 'max' } as const;
  const wanted = parsedThreshold(String(at)) ?? { score: 0.5 };
  if ('score' in wanted) return { ...rule, at: wanted.score };
  if ('byLabel' in wanted)
    throw contradiction(
      `one score of the detector, got --threshold ${at}`,
      'Several labels have scores of their own with --task multi-label or --task tags.',
    );
  const negatives = await negativesOf(choice.calibration, model, texts, load);
  return calibrated(rule, wanted.rate, labels, classifier, negatives);
}

/** Throws RobustError for a model of labels. */
function checkOneNumber(labels: readonly string[]): void {
  if (labels.length === 1) return;
  throw new RobustError(
    `--task regression:delta: expected a model that answers one number, got labels: ${labels.join(', ')}`,
    { code: 'TASK_MISMATCH', hint: 'Leave --task regression out: it is a classifier.' },
  );
}

export const withoutPositive = (labels: readonly string[], at: unknown): RobustError =>
  new RobustError('--threshold: expected --positive, the label that is detected, got none', {
    code: 'DECISION_INVALID',
    hint: `For example: --positive ${labels.at(-1)} --threshold ${at}`,
  });

/** The delta that a flag or else the model's folder gives; undefined where neither does. */
export const writtenDelta = (delta: number | undefined, written: LoadedModel['decision']): number | undefined =>
  delta ?? (written !== undefined && 'delta' in written ? written.delta : undefined);

/** Share of the range of a data set's numbers by which two numbers differ, unless a flag or the model's folder says otherwise. */
const DELTA_SHARE = 0.1;

/** A tenth of the range of the true numbers of all examples. Throws RobustError where all are equal. */
export async function rangeDelta(dataset: Pick<Dataset, 'name' | 'examples'>): Promise<number> {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const { value = Number.NaN } of dataset.examples()) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  // A tenth of a range such as 4.8 - 0.2 should not end in rounding errors.
  if (most > least) return Number((DELTA_SHARE * (most - least)).toPrecision(6));
  throw new RobustError(`${dataset.name}: expected different numbers, got ${least} for every text`, {
    code: 'DECISION_INVALID',
    hint: 'By how much or more must two numbers differ? For example: --task regression:delta=0.5',
  });
}

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
export function decisionWithoutData(
  choice: DecisionChoice,
  model: LoadedModel,
  columns: TextColumns,
  load: DataLoading,
): Promise<DecisionRule | undefined> {
  const kind = choice.kind ?? model.decision?.kind;
  const delta = kind === 'regression' ? (writtenDelta(choice.delta, model.decision) ?? 1) : choice.delta;
  return settledDecision({ ...choice, delta }, model, model, { dataset: unlabelled, columns }, load);
}

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
export function positiveLabels(written: readonly string[], labels: readonly string[]): string[] {
  const positive = written.map((name) => {
    const found =
      labels.find((label) => label === name) ?? labels.find((label) => label.toLowerCase() === name.toLowerCase());
    const index = /^\d+$/.test(name) ? labels[Number(name)] : undefined;
    const label = found ?? index;
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

interface Negatives {
  readonly name: string;
  examples(): AsyncIterable<Example>;
}

/** The texts by which a threshold is found: a file of their own, or those that are attacked. */
async function negativesOf(
  calibration: string | undefined,
  model: Pick<LoadedModel, 'labels' | 'columns'>,
  { dataset, columns = {}, numExamples = 0 }: DecisionTexts,
  load: DataLoading,
): Promise<Negatives> {
  if (calibration !== undefined) return openData(calibration, columnsFor(columns, model, 'threshold'), load);
  return { name: dataset.name, examples: () => take(dataset.examples(), numExamples) };
}

/** Texts of one query. */
const BATCH = 256;

/**
 * The threshold that at most a share `wanted` of negative texts reaches, halfway to the next score below it. The share of other texts of
 * this kind lies within the interval of Clopper and Pearson (1934). For any scores, the shares above the k-th and the next of n scores are
 * distributed as Beta(k, n - k + 1) and Beta(k + 1, n - k).
 */
async function calibrated(
  rule: Omit<ThresholdRule, 'at'>,
  wanted: number,
  labels: readonly string[],
  classifier: Classifier,
  { name, examples }: Negatives,
): Promise<ThresholdRule> {
  const positive = rule.positive.map((label) => labels.indexOf(label));
  const scores: number[] = [];
  let batch: string[] = [];
  const ask = async (): Promise<void> => {
    for (const row of await classifier.classify(batch)) scores.push(positiveScore(row, positive, rule.by));
    batch = [];
  };
  for await (const example of examples()) {
    if (positive.includes(example.label)) continue;
    batch.push(queryText(example.text, example));
    if (batch.length === BATCH) await ask();
  }
  await ask();
  const n = scores.length;
  if (n * wanted < 1) throw tooFew(name, n, wanted, rule.positive);
  scores.sort((a, b) => b - a);
  // Equal scores fall together: on which side of a threshold cannot be chosen for each.
  let alarms = Math.floor(n * wanted + 1e-9);
  while (alarms > 0 && scores[alarms - 1] === scores[alarms]) alarms--;
  const next = scores[alarms] ?? 0;
  const at = alarms === 0 ? aboveAll(next, name) : (next + must(scores[alarms - 1])) / 2;
  const { value, low, high } = clopperPearson(alarms, n);
  return {
    ...rule,
    // A score halfway between two neighbours of single precision rounds to one of them, which must be the upper one.
    at: Math.fround(at) > next ? at : must(scores[alarms - 1]),
    calibration: { wanted, data: name, falsePositiveRate: { value, low, high, n } },
  };
}

/** Where the highest score is that of many texts, only what is above it lets enough of them pass. Throws RobustError where nothing is. */
function aboveAll(highest: number, name: string): number {
  if (highest < 1) return (highest + 1) / 2;
  throw new RobustError(`${name}: expected texts that should pass to have scores below 1, got too many of score 1`, {
    code: 'DECISION_INVALID',
    hint: 'No threshold has so low a false positive rate: ask for a higher one, --threshold fpr=...',
  });
}

function tooFew(name: string, n: number, wanted: number, positive: readonly string[]): RobustError {
  const needed = Math.ceil(1 / wanted - 1e-9);
  const others = `texts of other labels than ${positive.join(', ')}`;
  if (n === 0) {
    return new RobustError(`--threshold fpr=${wanted}: expected ${needed} ${others} in ${name}, got none`, {
      code: 'EXAMPLES_TOO_FEW',
      hint: 'Give some: --threshold fpr=0.01:calibration=FILE, or a score: --threshold 0.5.',
    });
  }
  return new RobustError(`--threshold fpr=${wanted}: expected at least ${needed} ${others} in ${name}, got ${n}`, {
    code: 'EXAMPLES_TOO_FEW',
    hint: `By these the lowest false positive rate that can be had is ${Number((1 / n).toPrecision(2))}: --threshold fpr=${(Math.ceil(1000 / n) / 1000).toString()}; or take more of them (-n 0, or its option calibration=FILE).`,
  });
}

/** @file The clean pass: every unedited text once, before anything is attacked. */
import type { ApproximationMetrics, CleanMetrics, Repeatability } from '../core/clean-metrics.js';
import type { Example } from '../core/dataset.js';
import { decisionText, type Truth } from '../core/decision.js';
import { degenerateLine } from '../core/degenerate.js';
import { CONFIRMING_ANSWERS, FURTHER_ANSWERS } from '../core/endpoint.js';
import { DatasetError, ModelError } from '../core/errors.js';
import { labelPermutation } from '../core/label-permutation.js';
import { cleanFold } from '../core/metrics.js';
import { askedText } from '../core/pair.js';
import { isRefusal } from '../core/refusal.js';
import { COARSENESS_WARNINGS } from '../core/scores.js';
import { TextCensus, type TextCounts } from '../core/text-census.js';
import { AnswerCheck, CHECKED_TEXTS } from './answer-check.js';
import type { AnswerFile } from './answer-file.js';
import { answers, firstExamples, hasAnswer } from './answers.js';
import { approximationFold } from './approximation.js';
import { unlessAborted } from './metered-victim.js';
import { decisionOfPlan, type EvaluationPlan, type RunHooks } from './plan.js';

/** Below, searches may miss what turns the model itself. */
const LEAST_AGREEMENT = 0.98;

const farFrom = ({ precision, device, agreement }: ApproximationMetrics): string =>
  `${precision} predicts the model's label for only ${(100 * (agreement.value ?? 0)).toFixed(1)} % of ${agreement.n} texts: searches may miss what turns the model; compare with a run ${device ? 'on the processor' : 'at fp32'}`;

const elsewhere = (device: string, { agreement: { value, n }, difference }: ApproximationMetrics): string =>
  `the model was asked on ${device}: the figures are not reproducible to the byte${value === null ? '' : `; held against the processor on ${n} texts, it gave ${(100 * value).toFixed(1)} % the same label and probabilities that differ by ${difference.toPrecision(2)} in the mean`}`;

/** Fewer rows may sum to 1 by chance. */
const MIN_ANSWERS = 10;

const sumsToOne = (row: Float32Array): boolean => Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 2e-3;

const exclusive = (texts: number): string =>
  `the scores of all ${texts} texts sum to 1, as those of labels do of which only one holds: thresholds on each say little (--task single decides by the highest)`;

const ALL_ALIKE =
  'all scores are 0 or 1: every threshold above 0 decides alike, and no false positive rate can be chosen by one';

export interface CleanPass {
  /** Asks some texts again. Absent of a model whose answers cannot vary. */
  readonly check?: AnswerCheck | undefined;
  readonly examples: number;
  readonly metrics: CleanMetrics;
  /** Wall time of this session's part. */
  readonly seconds: number;
}

/**
 * Classifies the examples, of which those already in `file` are not asked again. Throws DatasetError without examples,
 * SearchCancelled when told to stop, and what the classifier throws if it fails on everything.
 */
export async function cleanPass(
  plan: EvaluationPlan,
  file: AnswerFile | undefined,
  hooks: RunHooks,
  warn: (message: string) => void,
): Promise<CleanPass> {
  const { labels } = plan.model.classifier;
  const fold = cleanFold(labels, undefined, decisionOfPlan(plan));
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let unanswered = 0;
  let refused = 0;
  // Of a victim that tells nothing of its scores only its answers show that they share one sum.
  let shared = 0;
  let first = '';
  const add = (truth: Truth, row: Float32Array) => {
    if (isRefusal(row)) refused++;
    else if (!hasAnswer(row)) unanswered++;
    else {
      fold.add(truth, row);
      if (sumsToOne(row)) shared++;
    }
  };

  const { approximation } = plan.model;
  const approximate = approximation && approximationFold(approximation, decisionOfPlan(plan));
  const resumed = file?.count ?? 0;
  for (let index = 0; index < resumed; index++) {
    const { row, ...truth } = (file as AnswerFile).read(index);
    add(truth, row);
  }
  if (approximate !== undefined && resumed > 0) {
    let index = 0;
    for await (const example of firstExamples(plan)) {
      if (index === resumed) break;
      await approximate.add([askedText(example.text, example)], [(file as AnswerFile).read(index++).row]);
    }
  }
  const census = new TextCensus(plan.model.unreadable);
  let cut = 0;
  const count = (example: Example): void => {
    const text = askedText(example.text, example);
    census.add(text);
    if (plan.model.limit?.cuts(text)) cut++;
  };
  for await (const example of resumed > 0 ? firstExamples(plan) : []) {
    if (census.counts.examples === resumed) break;
    count(example);
  }
  // Its questions come first, so that a victim that answers otherwise from then on is found out.
  const check = await unlessAborted(answerCheck(plan), hooks.signal);
  let done = resumed;
  const total = plan.numExamples || undefined;
  const batches = answers(plan, resumed, hooks.signal, ({ id }, error) => {
    first ||= ` (example ${id}: ${error instanceof Error ? error.message : String(error)})`;
    hooks.debug?.(`example ${id}: ${error instanceof Error ? error.stack : String(error)}`);
  });
  for await (const batch of batches) {
    file?.append(batch);
    for (const { example, row } of batch) {
      add(example, row);
      count(example);
    }
    await approximate?.add(
      batch.map(({ example }) => askedText(example.text, example)),
      batch.map(({ row }) => row),
    );
    done += batch.length;
    const asked = done - resumed;
    hooks.progress?.({ stage: 'clean', done, total, resumed, succeeded: 0, attacked: 0, asked, seconds: seconds() });
  }
  if (done === 0) {
    throw new DatasetError(`expected examples in ${plan.dataset.name}, got none`, { code: 'NO_EXAMPLES' });
  }
  if (refused > 0)
    warn(`the victim refused to answer ${refused} of ${done} texts: they are in no figure, and are not attacked`);
  if (unanswered > 0) warn(`${unanswered} of ${done} texts could not be classified; they count as errored${first}`);
  const { limit } = plan.model;
  if (limit !== undefined && cut > 0)
    warn(`${limit.model} cut ${cut} of ${done} examples: they are longer than ${limit.most}`);
  const close = approximate?.metrics();
  if (close?.device) warn(elsewhere(close.device, close));
  const repeatability = check && (await unlessAborted(check.measure(), hooks.signal));
  const texts = census.counts;
  const metrics: CleanMetrics = {
    ...fold.metrics(),
    ...(close && { approximation: close }),
    ...((texts.distinct < texts.examples || texts.wordless > 0 || texts.unknown) && { texts }),
    ...(repeatability && { repeatability }),
  };
  if (close?.agreement.value != null && close.agreement.value < LEAST_AGREEMENT) warn(farFrom(close));
  if (
    metrics.labelSets === undefined &&
    metrics.perClass.filter(({ support }) => support > 0).length === 1 &&
    done > 1
  ) {
    warn(
      `all ${done} examples have the same label: take more of them (-n), or a random sample of the file (--shuffle)`,
    );
  }
  if (metrics.tied !== undefined)
    warn(
      `${metrics.tied} of ${done} predictions are ties: several labels share the highest score; they count as wrong, and are not attacked`,
    );
  checkLabels(plan, metrics, warn);
  const line = degenerateLine(plan.model.name, metrics);
  if (line !== undefined) warn(line);
  // Where copies are the most, the run is inconclusive.
  if (texts.distinct < FEW_COPIES * texts.examples && 2 * texts.distinct > texts.examples) warn(copies(texts));
  if (repeatability !== undefined && plan.model.endpoint === undefined) warn(varying(repeatability));
  if (metrics.scores !== undefined) warn(COARSENESS_WARNINGS[metrics.scores]);
  const { decision } = plan.model;
  if (decision !== undefined && metrics.scores === 'labels') warn(ALL_ALIKE);
  const answered = done - unanswered;
  if (decision?.kind === 'multi-label' && answered >= MIN_ANSWERS && shared === answered) warn(exclusive(answered));
  return { check, examples: done, metrics, seconds: seconds() };
}

/** Share of different texts from which on copies are not worth a word. */
const FEW_COPIES = 0.75;

const copies = ({ examples, distinct }: TextCounts): string =>
  `${examples} examples are ${distinct} different texts: the intervals, which count every copy, are too narrow`;

const varying = ({ asked, changed, difference }: Repeatability): string =>
  `${asked} texts asked again got scores that differ by up to ${difference.toPrecision(2)}, and ${changed} of them another decision: results are not reproducible to the byte, and a success counts only if ${CONFIRMING_ANSWERS} of ${FURTHER_ANSWERS} further answers confirm it`;

/** Undefined of a model whose answers cannot vary. */
export async function answerCheck(plan: EvaluationPlan): Promise<AnswerCheck | undefined> {
  const { repeating } = plan.model;
  if (repeating === undefined) return undefined;
  const first: string[] = [];
  for await (const example of firstExamples(plan)) {
    if (first.push(askedText(example.text, example)) === CHECKED_TEXTS) break;
  }
  return AnswerCheck.of(repeating, first, decisionOfPlan(plan));
}

/** Refuses, or with `force` tells of, a model that seems to number its labels differently from the data. */
function checkLabels(
  plan: EvaluationPlan,
  { confusion, auroc, regression }: CleanMetrics,
  warn: (message: string) => void,
): void {
  const { labels } = plan.model.classifier;
  const { decision } = plan.model;
  if (decision !== undefined) {
    if (decision.kind === 'regression') {
      const { pearson } = regression ?? {};
      if (pearson === undefined || pearson.high >= 0) return;
      refuse(
        `${plan.model.name} answers lower numbers where the data say higher ones (Pearson's r ${pearson.value.toFixed(2)})`,
        'Data and model seem to count in opposite directions: give other data, or --force to go on as it is.',
      );
      return;
    }
    // Of several labels none stands for another; a detector whose scores are turned round would be a good one turned back.
    if (decision.kind === 'multi-label' || auroc?.high == null || auroc.high >= 0.5) return;
    refuse(
      `${plan.model.name} gives ${decisionText(decision)} higher scores where the data say otherwise (area under the ROC curve ${auroc.value?.toFixed(2)})`,
      `Data and model seem to mean opposite things: give other labels by --positive (there are ${labels.join(', ')}), or a --label-map, or --force to go on as it is.`,
    );
    return;
  }
  const to = labelPermutation(confusion);
  if (to === undefined) return;
  const map = labels.map((label, from) => `--label-map ${label}=${labels[to[from] as number]}`).join(' ');
  refuse(
    `${plan.model.name} is right no more often than chance, but would be good with ${map}`,
    `Data and model seem to number their labels differently: give ${map}, or --force to go on as it is.`,
  );

  function refuse(message: string, hint: string): void {
    if (!plan.force) throw new ModelError(message, { code: 'LABELS_PERMUTED', hint });
    warn(message);
  }
}

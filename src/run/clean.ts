/** @file The clean pass: every unedited text once, before anything is attacked. */
import type { Example } from '../core/dataset.js';
import type { Truth } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { CONFIRMING_ANSWERS, FURTHER_ANSWERS } from '../core/endpoint.js';
import { ModelError, messageOf, RobustError } from '../core/errors.js';
import { percent, quantity } from '../core/figure-text.js';
import { queryText } from '../core/pair.js';
import { isRefusal } from '../core/refusal.js';
import { collect, take } from '../core/take.js';
import type { ApproximationMetrics, CleanMetrics, Repeatability } from '../results/clean/clean-metrics.js';
import { cellsOf } from '../results/clean/confusion.js';
import { degeneracy } from '../results/clean/degenerate.js';
import { labelPermutation } from '../results/clean/label-permutation.js';
import { COARSENESS_WARNINGS } from '../results/clean/scores.js';
import { TextCensus, type TextCounts } from '../results/clean/text-census.js';
import { CleanTagFold } from '../results/tags/clean.js';
import { cleanFold } from '../tasks/clean.js';
import { taskOfRule } from '../tasks/index.js';
import { AnswerCheck, CHECKED_TEXTS } from './answer-check.js';
import type { AnswerFile } from './answer-file.js';
import { type Answer, answers, firstExamples, hasAnswer } from './answers.js';
import { approximationFold } from './approximation.js';
import { unlessAborted } from './metered-victim.js';
import type { RunHooks } from './plan.js';
import { decisionOfPlan, type EvaluationPlan } from './plan.js';

/** Below this agreement, searches may miss texts that flip the model's own prediction. */
const LEAST_AGREEMENT = 0.98;

const farFrom = ({ precision, device, agreement }: ApproximationMetrics): string =>
  `${precision} predicts the model's label for only ${(100 * (agreement.value ?? 0)).toFixed(1)} % of ${quantity(agreement.n, 'text')}: searches may miss texts that flip the model; compare with a run ${device ? 'on the processor' : 'at fp32'}`;

const elsewhere = (device: string, { agreement: { value, n }, difference }: ApproximationMetrics): string =>
  `the model ran on ${device}: the figures are not reproducible to the byte${value === null ? '' : `; compared with the processor on ${quantity(n, 'text')}, it gave ${(100 * value).toFixed(1)} % the same label and probabilities that differ by ${difference.toPrecision(2)} on average`}`;

/** Fewer rows may sum to 1 by chance. */
const MIN_ANSWERS = 10;

const sumsToOne = (row: Float32Array): boolean => Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 2e-3;

const exclusive = (texts: number): string =>
  `the scores of all ${quantity(texts, 'text')} sum to 1, as those of labels do of which only one holds: thresholds on each say little (--task single decides by the highest)`;

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

/** Counts the answers to the unedited texts. */
class CleanTally {
  readonly #plan: EvaluationPlan;
  readonly #fold: ReturnType<typeof cleanFold>;
  readonly #approximate: ReturnType<typeof approximationFold> | undefined;
  readonly #census: TextCensus;
  #examples = 0;
  #refused = 0;
  #unanswered = 0;
  /** Texts that the model cut. */
  #cut = 0;
  /** The spans that a victim that tags finds. */
  readonly #tags = new CleanTagFold();
  /** Rows that sum to 1: of a victim that says nothing about its scores only its answers show that they share one sum. */
  #shared = 0;
  /** The first text that could not be answered, and why. */
  firstFault = '';

  constructor(plan: EvaluationPlan) {
    this.#plan = plan;
    const { classifier, approximation, unreadable } = plan.model;
    const decision = decisionOfPlan(plan);
    this.#fold = cleanFold(classifier.labels, undefined, decision);
    this.#approximate = approximation && approximationFold(approximation, decision);
    this.#census = new TextCensus(unreadable);
  }

  get examples(): number {
    return this.#examples;
  }

  /** Counts what an earlier session was answered. */
  async resume(file: AnswerFile): Promise<void> {
    if (file.count === 0) return;
    let index = 0;
    for await (const example of take(firstExamples(this.#plan), file.count)) {
      const { row, ...truth } = file.read(index++);
      this.#countRow(truth, row);
      this.#countText(example);
      await this.#countTags(example);
      await this.#approximate?.add([queryText(example.text, example)], [row]);
    }
  }

  async add(batch: readonly Answer[]): Promise<void> {
    for (const { example, row } of batch) {
      this.#countRow(example, row);
      this.#countText(example);
      await this.#countTags(example);
    }
    await this.#approximate?.add(
      batch.map(({ example }) => queryText(example.text, example)),
      batch.map(({ row }) => row),
    );
  }

  #countRow(truth: Truth, row: Float32Array): void {
    if (isRefusal(row)) this.#refused++;
    else if (!hasAnswer(row)) this.#unanswered++;
    else {
      this.#fold.add(truth, row);
      if (sumsToOne(row)) this.#shared++;
    }
  }

  /** Each text once: by the example of its rest. */
  async #countTags({ text, entities, entity }: Example): Promise<void> {
    const { tags } = this.#plan.model;
    if (tags === undefined || entities === undefined || entity !== undefined) return;
    this.#tags.add(text, entities, (await tags.tags(text)).spans, tags.untyped);
  }

  #countText(example: Example): void {
    this.#examples++;
    // The entities of a text are examples with the same text.
    if (example.entity !== undefined) return;
    const text = queryText(example.text, example);
    this.#census.add(text);
    if (this.#plan.model.limit?.cuts(text)) this.#cut++;
  }

  metrics(): CleanMetrics {
    const close = this.#approximate?.metrics();
    const texts = this.#census.counts;
    const tags = this.#tags.value(this.#plan.model.tags?.types ?? []);
    const { degenerate: ofLabels, ...figures } = this.#fold.metrics();
    // The labels of a model that tags are types of entities: how often each is answered says little.
    const degenerate = tags === undefined ? ofLabels : degeneracy({ ...figures, tags });
    return {
      ...figures,
      ...(degenerate !== undefined && degenerate.length > 0 && { degenerate: [...degenerate] }),
      ...defined({ approximation: close, tags }),
      ...((texts.distinct < texts.examples || texts.wordless > 0 || texts.unknown) && { texts }),
    };
  }

  /** Warnings of texts that were not answered, or cut. */
  *faults(): Generator<string> {
    const [done, { limit }] = [this.examples, this.#plan.model];
    if (this.#refused > 0)
      yield `the victim refused to answer ${this.#refused} of ${quantity(done, 'text')}: they are in no figure, and are not attacked`;
    if (this.#unanswered > 0)
      yield `${this.#unanswered} of ${quantity(done, 'text')} could not be classified; they count as errored${this.firstFault}`;
    if (limit !== undefined && this.#cut > 0)
      yield `${limit.model} cut ${this.#cut} of ${quantity(done, 'example')}: they are longer than ${limit.most}`;
  }

  /** Warnings of figures with little evidence. */
  *doubts({ scores, repeatability }: CleanMetrics): Generator<string> {
    const { decision, endpoint } = this.#plan.model;
    const texts = this.#census.counts;
    // Where copies are the most, the run is inconclusive.
    if (texts.distinct < FEW_COPIES * texts.examples && 2 * texts.distinct > texts.examples) yield copies(texts);
    if (repeatability !== undefined && endpoint === undefined) yield varying(repeatability);
    if (scores !== undefined) yield COARSENESS_WARNINGS[scores];
    if (decision !== undefined && scores === 'labels') yield ALL_ALIKE;
    const answered = this.examples - this.#unanswered;
    if (taskOfRule(decision).measuring.manyLabels && answered >= MIN_ANSWERS && this.#shared === answered)
      yield exclusive(answered);
  }
}

/**
 * Classifies the examples, except those already answered in `file`. Throws RobustError without examples,
 * SearchCancelled once the signal is aborted, and what the classifier throws if it fails on everything.
 */
export async function cleanPass(
  plan: EvaluationPlan,
  file: AnswerFile | undefined,
  hooks: RunHooks,
  warn: (message: string) => void,
): Promise<CleanPass> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const tally = new CleanTally(plan);
  if (file) await tally.resume(file);
  const resumed = tally.examples;
  // Its questions come first, so that a victim that answers otherwise from then on is found out.
  const check = await unlessAborted(answerCheck(plan), hooks.signal);
  const total = plan.numExamples || undefined;
  const batches = answers(plan, resumed, hooks.signal, ({ id }, error) => {
    tally.firstFault ||= ` (example ${id}: ${messageOf(error)})`;
    hooks.debug?.(`example ${id}: ${error instanceof Error ? error.stack : String(error)}`);
  });
  for await (const batch of batches) {
    file?.append(batch);
    await tally.add(batch);
    const done = tally.examples;
    const queries = done - resumed;
    hooks.progress?.({
      stage: 'clean',
      done,
      total,
      resumed,
      succeeded: 0,
      attacked: 0,
      asked: queries,
      seconds: seconds(),
    });
  }
  const { examples } = tally;
  if (examples === 0) {
    throw new RobustError(`expected examples in ${plan.dataset.name}, got none`, { code: 'EXAMPLES_TOO_FEW' });
  }
  for (const line of tally.faults()) warn(line);
  const counted = tally.metrics();
  const { approximation: close } = counted;
  if (close?.device) warn(elsewhere(close.device, close));
  const repeatability = check && (await unlessAborted(check.measure(), hooks.signal));
  const metrics: CleanMetrics = { ...counted, ...defined({ repeatability }) };
  if (close?.agreement.value != null && close.agreement.value < LEAST_AGREEMENT) warn(farFrom(close));
  for (const line of labelRemarks(metrics, examples)) warn(line);
  checkLabels(plan, metrics, warn);
  for (const doubt of tally.doubts(metrics)) warn(doubt);
  return { check, examples, metrics, seconds: seconds() };
}

function* labelRemarks({ labelSets, perClass, tied }: CleanMetrics, examples: number): Generator<string> {
  if (labelSets === undefined && perClass.filter(({ support }) => support > 0).length === 1 && examples > 1)
    yield `all ${quantity(examples, 'example')} have the same label: take more of them (-n), or a random sample of the file (-n shuffle=true)`;
  if (tied !== undefined)
    yield `${tied} of ${examples} predictions are ties: several labels share the highest score; they count as wrong, and are not attacked`;
}

/** Share of different texts from which on copies are not worth a word. */
const FEW_COPIES = 0.75;

const copies = ({ examples, distinct }: TextCounts): string =>
  `${quantity(examples, 'example')} are ${distinct} different texts: the intervals, which count every copy, are too narrow`;

const varying = ({ asked, changed, difference }: Repeatability): string =>
  `${quantity(asked, 'text')} queried again got scores that differ by up to ${difference.toPrecision(2)}, and ${changed} of them another decision: results are not reproducible to the byte, and a success counts only if ${CONFIRMING_ANSWERS} of ${FURTHER_ANSWERS} further answers confirm it`;

/** Undefined of a model whose answers cannot vary. */
export async function answerCheck(plan: EvaluationPlan): Promise<AnswerCheck | undefined> {
  const { repeating } = plan.model;
  if (repeating === undefined) return undefined;
  const first = await collect(take(firstExamples(plan), CHECKED_TEXTS));
  const texts = first.map((example) => queryText(example.text, example));
  return AnswerCheck.of(repeating, texts, decisionOfPlan(plan));
}

/** The flags that map each label of the data, in the words of a map that was given, to the label of the model that fits. */
function renamedLabels(
  labels: readonly string[],
  to: readonly number[],
  given: Readonly<Record<string, string>> = {},
): string {
  const mapped = Object.entries(given).map(([data, model]) => ({
    data,
    from: labels.indexOf(labels[Number(model)] ?? model),
  }));
  const unmapped = labels.flatMap((data, from) => (mapped.some((each) => each.from === from) ? [] : [{ data, from }]));
  return [...mapped, ...unmapped].map(({ data, from }) => `--label-map ${data}=${labels[to[from] ?? from]}`).join(' ');
}

/** Refuses, or with `force` warns of, a model that seems to number its labels differently from the data. */
function checkLabels(plan: EvaluationPlan, metrics: CleanMetrics, warn: (message: string) => void): void {
  const { labels } = plan.model.classifier;
  const { decision } = plan.model;
  if (decision !== undefined) {
    const found = taskOfRule(decision).measuring.mismatch?.(plan.model.name, decision, labels, metrics);
    if (found !== undefined) refuse(found.message, found.hint);
    return;
  }
  if (plan.model.tags !== undefined) return;
  const cells = cellsOf(metrics);
  const to = labelPermutation(cells, labels.length);
  if (to === undefined) return;
  const map = renamedLabels(labels, to, plan.labelMap);
  const total = (counts: typeof cells): number => counts.reduce((sum, [, , n]) => sum + n, 0);
  const accuracyWith = (columns: readonly number[]): string =>
    percent(total(cells.filter(([truth, predicted]) => predicted === (columns[truth] ?? truth))) / total(cells));
  refuse(
    `${plan.model.name} is ${accuracyWith([])} accurate; with ${map} it would be ${accuracyWith(to)} accurate`,
    `Data and model seem to number their labels differently. Use ${map} (labelMap in robust.config.yaml), or correct the order of the labels in the model's folder (labels in robust.json, id2label in config.json), or use --force to continue anyway.`,
  );

  function refuse(message: string, hint: string): void {
    if (!plan.force) throw new ModelError(message, { code: 'LABELS_MISMATCH', hint });
    warn(message);
  }
}

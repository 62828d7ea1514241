/** @file Train a classifier, or go on training one; harden it, and see whether that helped. */
import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { perEntity } from '../../datasets/index.js';
import type { GivenValues } from '../config/setting.js';
import { trainSettings } from '../config/settings/index.js';
import type { Classifier } from '../core/classifier.js';
import type { Dataset } from '../core/dataset.js';
import type { DecisionRule } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { iob2Labels } from '../core/tags/scheme.js';
import { readFileSync } from '../files/read.js';
import { PRIVATE, writeWhole } from '../files/write.js';
import { neighbourhood } from '../language/neighbourhood.js';
import { type LoadedModel, loadModel, locateCheckpoint } from '../model/load.js';
import { type NewHead, withHead } from '../model/opening/conversion.js';
import { WEIGHTS, writeWeights } from '../model/opening/weights-file.js';
import type { CleanMetrics } from '../results/clean/clean-metrics.js';
import type { HardeningReport } from '../results/comparison/hardening.js';
import { evaluate, RunInterrupted } from '../run/index.js';
import { type History, trainModel } from '../train/index.js';
import { recordOf } from './command-line.js';
import { type Context, toolVersion, type UseCaseHooks } from './context.js';
import { openLanguage } from './language.js';
import { stopwatch, trainingWork } from './progress.js';
import { comparedAttacks, comparedTexts, hardening, type TrainedModel } from './training/hardening.js';
import type { LearntTask } from './training/learnt-task.js';
import { openRewriter } from './training/rewriter.js';
import { loadedFor, optionsOf, startOf, type TrainChoice, withHardeningRate } from './training/train-plan.js';
import { recordTrainingEnd, settingsOfTraining, writeTrainingRecord } from './training/train-record.js';
import { openTrainingData, type TrainingData } from './training/training-data.js';
import { type UseCaseFunction, useCase } from './use-case.js';
import { defenceChoice } from './victim/choice.js';
import { columnsOf } from './victim/columns.js';
import { settledDecision } from './victim/decide.js';
import { decisionChoice } from './victim/decision-choice.js';
import { readingThrough } from './victim/defend.js';
import { behindDefences, textsOf } from './victim/victim.js';

export interface TrainOptions extends GivenValues<typeof trainSettings>, UseCaseHooks {}

export interface TrainResult {
  /** The folder of the model. */
  readonly output: string;
  readonly history: History;
  /** On the texts that chose the weights, which is optimistic. */
  readonly clean: CleanMetrics;
  /** Decision of the scores, as in robust.json; absent if it is the most probable label. */
  readonly decision?: DecisionRule;
  /** Name of the texts that selected the weights; `from`: the file of --test, else theirs. */
  readonly validation: { readonly name: string; readonly labels: readonly string[]; readonly from: string };
  /** For a model that was trained further: its metrics before; for adversarial training: its gain. */
  readonly comparison?: { readonly model?: string; readonly clean?: CleanMetrics } & Partial<HardeningReport>;
}

/** Throws RobustError, ModelError, OutputError, RobustError TRAINING_DIVERGED and INTERRUPTED. */
export const train: UseCaseFunction<TrainOptions, TrainResult> = useCase({
  settings: trainSettings,
  recorded: (options) => settingsOfTraining(trainSettings, options, 'training', 'train'),
  async run(choice, outer) {
    // The labels are those of a new head, and no names for the scores of the model that is loaded.
    const context = outer.with({ access: { ...outer.access, labels: undefined } });
    const { output } = choice;
    if (choice.data === undefined)
      throw new RobustError('expected --data, got none', { code: 'FLAG_INVALID', hint: 'Name the texts to learn.' });
    checkSeeds(choice);
    refuseOccupied(choice);
    const compares = choice.adversarial !== undefined && !choice.noCompare;
    // Before hours of training, so that a mistyped name is reported at once.
    const { adversarial } = optionsOf(choice);
    const attacks = compares
      ? await comparedAttacks(choice, adversarial?.methods ?? [], context.patience, context.warn)
      : [];
    const { history, validation, task, models } = await trainAll(choice, compares, context);
    const { clean, decision } = await measure(output, choice, validation, task, context);
    // A new head has learnt nothing that could be compared.
    const untouched = choice.model &&
      choice.labels === undefined && {
        model: choice.model,
        clean: (await measure(choice.model, choice, validation, task, context)).clean,
      };
    const compared = await comparedTexts(choice, join(output, 'training'), validation);
    const report = compares && {
      ...(await hardening(models, { ...choice, ...compared }, attacks, context)),
      chosenOn: choice.test === undefined,
    };
    if (report) await writeComparison(join(output, 'training'), { ...untouched, ...report });
    const { name, labels } = validation;
    return {
      output,
      history,
      clean,
      ...defined({ decision }),
      validation: { name, labels, from: compared.data?.[0] as string },
      ...((untouched || report) && { comparison: { ...untouched, ...report } }),
    };
  },
});

/** Writes comparison.json and comparison.html. Throws OutputError. */
async function writeComparison(folder: string, report: HardeningReport): Promise<void> {
  const [{ hardeningDocument }, { asHtml }] = await Promise.all([
    import('../../reports/index.js'),
    import('../../reports/print/html.js'),
  ]);
  writeWhole(join(folder, 'comparison.json'), `${JSON.stringify(report, null, 1)}\n`, 'the comparison', PRIVATE);
  writeWhole(
    join(folder, 'comparison.html'),
    [...asHtml(hardeningDocument(report))].join(''),
    'the comparison',
    PRIVATE,
  );
}

/** Trains a model for each seed, and its control if they are compared. The history and the texts are those of the first. */
async function trainAll(
  given: TrainChoice,
  compares: boolean,
  context: Context,
): Promise<TrainedOnce & { readonly models: readonly TrainedModel[] }> {
  const choice = await withHardeningRate(given, context.loading(given.model ?? ''));
  const models: TrainedModel[] = [];
  let first: TrainedOnce | undefined;
  for (let at = 0; at < choice.seeds; at++) {
    const seed = choice.seed + at;
    const hardened = at === 0 ? choice.output : join(choice.output, `seed-${seed}`);
    const control = join(hardened, 'control');
    const one = (own: TrainChoice, folder: string) =>
      context.scope((scope) => trainOne({ ...own, seed, output: folder }, choice.seed, scope));
    const result = await one(choice, hardened);
    await writeWeights(hardened);
    first ??= result;
    if (compares) await one({ ...choice, adversarial: undefined }, control);
    models.push({ seed, hardened, control });
  }
  return { ...must(first), models };
}

/** Labels of a new head: their number, an example, and the head that learns them. */
const OF_LABELS = {
  wanted: 'two or more different labels',
  fits: (labels: number) => labels >= 2,
  hint: 'Name the encoder and the labels of its new head: --model hf:org/name --labels toxic,fine.',
  head: (labels: readonly string[], seed: number): NewHead => ({ labels, seed }),
};

const HEADS: Readonly<Record<NonNullable<LearntTask['kind']>, typeof OF_LABELS>> = {
  argmax: OF_LABELS,
  threshold: OF_LABELS,
  'multi-label': { ...OF_LABELS, head: (labels, seed) => ({ labels, seed, problem: 'multi_label_classification' }) },
  regression: {
    wanted: 'the name of one number',
    fits: (labels) => labels === 1,
    hint: 'Name the encoder and what its new head answers: --model hf:org/name --task regression --labels similarity.',
    head: (labels, seed) => ({ labels, seed, problem: 'regression' }),
  },
  tags: {
    wanted: 'different types of entities',
    fits: () => true,
    hint: 'Name the encoder and the types of its new head: --model hf:org/name --task tags --labels PERSON,IBAN.',
    head: (labels, seed) => ({ labels: iob2Labels(labels), seed, task: 'tags' }),
  },
};

/** The training with the model that it begins with: of an encoder, one with a new head. Throws RobustError, ModelError. */
async function withNewHead(choice: TrainChoice, context: Context): Promise<TrainChoice> {
  const { model, seed } = choice;
  if (choice.labels === undefined) return choice;
  const labels = choice.labels.split(',').map((label) => label.trim());
  const { wanted, fits, hint, head } = HEADS[decisionChoice(choice).kind ?? 'argmax'];
  const unfit = fits(labels.length) ? undefined : `${labels.length}: ${choice.labels}`;
  const odd = model === undefined ? 'without --model' : unfit;
  if (odd !== undefined || labels.includes('') || new Set(labels).size < labels.length)
    throw new RobustError(`--labels: expected ${wanted} for --model, got ${odd ?? JSON.stringify(choice.labels)}`, {
      code: 'FLAG_INVALID',
      hint,
    });
  const load = context.loading(must(model));
  return { ...choice, model: await withHead(await locateCheckpoint(must(model), load), load, head(labels, seed)) };
}

interface TrainedOnce extends Pick<TrainingData, 'validation' | 'task'> {
  readonly history: History;
}

/** Trains, continues a training, or finds it finished. Throws if it diverged. */
async function trainOne(choice: TrainChoice, heldOutBy: number, context: Context): Promise<TrainedOnce> {
  const { output } = choice;
  const folder = join(output, 'training');
  // The same texts are held out whatever the seed, so that all are compared on them.
  const begins = await withNewHead(choice, context);
  const data = await openTrainingData({ ...begins, seed: heldOutBy }, context.loading(begins.model ?? ''));
  const done = choice.resume ? await recordTrainingEnd(folder) : undefined;
  if (done) return { ...data, history: done };
  const begun = choice.resume && existsSync(join(folder, 'run.json'));
  // Weights of an earlier model.
  await rm(join(output, WEIGHTS), { force: true });
  if (!begun) await writeTrainingRecord(folder, trainSettings, recordOf(trainSettings, choice), output, toolVersion);
  // The control and later seeds leave out the same.
  if (choice.seed === heldOutBy && !begun) for (const line of data.notes) context.hooks.onNote?.(line);
  const history = await learn(begins, folder, data, context);
  if (history.end === 'diverged' || history.end === 'worse than chance') throw diverged(history, output);
  await writeThreshold(choice, data, context);
  return { ...data, history };
}

async function learn(
  choice: TrainChoice,
  folder: string,
  { train, validation, task }: TrainingData,
  context: Context,
): Promise<History> {
  const { loading, warn, run, hooks } = context;
  const options = optionsOf(choice, task);
  const language = await openLanguage(choice.language, context.patience, async () => train);
  const rewrite = options.adversarial && (await openRewriter(options.adversarial, choice.seed, language, context));
  const seconds = stopwatch();
  const plan = {
    start: startOf(choice, loadedFor(task, loading(choice.model ?? ''))),
    described: task.described,
    train,
    validation,
    options,
    // Not before a method asks: other languages may know no synonyms.
    synonyms: (word: string) => neighbourhood(language)(word),
    ...defined({ rewrite }),
    ...(choice.defend && {
      reading: (words: readonly string[]) =>
        readingThrough(choice.defend ?? [], words, choice.seed, language, textsOf(context.data), context.patience),
    }),
    ...(choice.threads && { threads: choice.threads }),
    output: choice.output,
    folder,
    resume: choice.resume,
  };
  const history = await trainModel(plan, {
    signal: hooks.signal,
    stage: (text) => hooks.onDetail?.(text),
    warn,
    note: (line) => hooks.onNote?.(line),
    progress: (at) => run.work(trainingWork(at, seconds())),
  });
  if (history.end === 'interrupted') throw new RunInterrupted();
  return history;
}

/** The model as every user will load it, behind the defences it was trained behind, on the texts that chose its weights. */
async function measure(
  model: string,
  choice: TrainChoice,
  dataset: Dataset,
  task: LearntTask,
  context: Context,
): Promise<Pick<TrainResult, 'clean' | 'decision'>> {
  return asVictim(model, choice, dataset, task, context, async ({ classifier, loaded, rule }) => {
    const { name, sha256, tags, output } = loaded;
    const victim = { classifier, name, sha256, ...defined({ decision: rule, tags, output }) };
    const examples = dataset.tagged ? perEntity(dataset, 0) : dataset;
    const { clean } = await evaluate({ model: victim, dataset: examples, numExamples: 0, force: true }, context.run);
    return { clean, ...defined({ decision: rule }) };
  });
}

/** Writes the score that has the false positive rate wanted into robust.json, found by the calibration texts or else those that chose the weights. */
async function writeThreshold(
  choice: TrainChoice,
  { validation, task }: TrainingData,
  context: Context,
): Promise<void> {
  const { decision } = task.described;
  if (decision?.kind !== 'threshold' || typeof decision.at === 'number') return;
  const rule = await asVictim(choice.output, choice, validation, task, context, async (victim) => victim.rule);
  if (rule?.kind !== 'threshold') return;
  const path = join(choice.output, 'robust.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as object;
  const settled = { ...manifest, decision: { ...decision, at: rule.at } };
  writeWhole(path, `${JSON.stringify(settled, null, 1)}\n`, 'robust.json');
  const { wanted, data, falsePositiveRate: rate } = must(rule.calibration);
  const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;
  context.hooks.onNote?.(
    `threshold ${Number(rule.at.toPrecision(4))}, for a false positive rate of ${percent(wanted)}: ${percent(rate.value)} (${percent(rate.low)} to ${percent(rate.high)}) of ${quantity(rate.n, 'text')} in ${data} reach it`,
  );
}

interface OpenedVictim {
  readonly loaded: LoadedModel;
  readonly classifier: Classifier;
  /** Absent where the most probable label is decided. */
  readonly rule: DecisionRule | undefined;
}

async function asVictim<T>(
  model: string,
  choice: TrainChoice,
  dataset: Dataset,
  task: LearntTask,
  context: Context,
  use: (victim: OpenedVictim) => Promise<T>,
): Promise<T> {
  return context.scope(async ({ loading, patience, data, opened }) => {
    const loaded = opened.add(await loadModel(model, loadedFor(task, loading(model))));
    const language = await openLanguage(choice.language, patience, async () => dataset);
    const classifier =
      (await behindDefences(defenceChoice(choice), loaded, language, { data, patience }))?.classifier ?? loaded;
    // Another model is decided by in the same way as the one that was trained.
    const decided = { ...loaded, ...defined({ decision: task.described.decision }) };
    const texts = { dataset, columns: columnsOf(choice) };
    const rule = await settledDecision(decisionChoice(choice), decided, classifier, texts, data);
    return use({ loaded, classifier, rule });
  });
}

/** Settings of the comparison say nothing without adversarial training. */
function checkSeeds(choice: TrainChoice): void {
  const named = (['suites', 'attacks', 'test'] as const).find((name) => choice[name] !== undefined);
  const idle = choice.seeds > 1 ? 'seeds' : named && (trainSettings[named] as { flag?: string }).flag;
  const flag = idle ?? named;
  if (choice.adversarial !== undefined || flag === undefined) return;
  throw new RobustError(`--${flag}: expected --adversarial with it, got none`, {
    code: 'FLAG_INVALID',
    hint: 'It belongs to the comparison that adversarial training ends with.',
  });
}

/** Throws RobustError if another model would be overwritten. */
function refuseOccupied({ output, resume, force }: TrainChoice): void {
  if (existsSync(output) && !statSync(output).isDirectory())
    throw new RobustError(`--output: expected a folder, got a file: ${output}`, {
      code: 'OUTPUT_TAKEN',
      hint: 'Name another folder.',
    });
  const files = ['config.json', 'robust.json', 'model.onnx'].map((name) => join(output, name));
  if (resume || force || !files.some((file) => existsSync(file))) return;
  throw new RobustError(`--output: ${output} holds a model already`, {
    code: 'OUTPUT_TAKEN',
    hint: 'Name another folder, --force to overwrite it, or --resume to continue an interrupted training.',
  });
}

const diverged = ({ steps, points, end }: History, output: string): RobustError =>
  new RobustError(
    end === 'diverged'
      ? `the loss was no longer a number at step ${steps + 1}`
      : `the training diverged: its loss ended at ${points.at(-1)?.loss.toPrecision(3)}, far above that of guessing`,
    {
      code: 'TRAINING_DIVERGED',
      hint: points.some((point) => point.best)
        ? `The best weights so far are kept in ${output}. Train again with a lower --lr or --optimizer clip=NUMBER.`
        : 'Train again with a lower --lr or --optimizer clip=NUMBER.',
    },
  );

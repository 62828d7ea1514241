/** @file Judge whether a model is backdoored, and by which words. */
import { type ScanPlan, scanModel } from '../backdoor/scan/scan.js';
import type { GivenValues, Values } from '../config/setting.js';
import { scanSettings } from '../config/settings/index.js';
import type { Example } from '../core/dataset.js';
import { mostProbable } from '../core/decision.js';
import { must, RobustError, UnsupportedOpError } from '../core/errors.js';
import { NO_LABEL, predictedLabel } from '../core/prediction.js';
import { type OpenWhiteBox, openWhiteBox } from '../gradient/white-box/white-box.js';
import { type LoadedModel, loadModel } from '../model/load.js';
import { unreadableBy } from '../model/tokens/unreadable.js';
import type { ScanResult } from '../results/backdoor/backdoor-findings.js';
import { AnswerCheck, RunInterrupted } from '../run/index.js';
import { scanForms } from './backdoor/scan-forms.js';
import type { Context, UseCaseHooks } from './context.js';
import { openData } from './data/open-data.js';
import { openLanguage } from './language.js';
import { countedWork, stopwatch } from './progress.js';
import { type UseCaseFunction, useCase } from './use-case.js';
import { victimChoice } from './victim/choice.js';
import { selectionOf } from './victim/columns.js';
import { checkOneLabel } from './victim/one-label.js';
import { openVictim, repeatingModel } from './victim/victim.js';

export interface ScanOptions extends GivenValues<typeof scanSettings>, UseCaseHooks {}

export interface ScanReport extends ScanResult {
  readonly model: { readonly name: string; readonly sha256: string; readonly labels: readonly string[] };
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  readonly seed: number;
}

/** Throws RobustError, ModelError, RobustError INTERRUPTED. What could not be judged is a result, "inconclusive", not an error. */
export const scanForBackdoor: UseCaseFunction<ScanOptions, ScanReport> = useCase({
  settings: scanSettings,
  async run(choice, context) {
    const seconds = stopwatch();
    const { model, dataset, language, unfit } = await openScanned(choice, context);
    checkOneLabel(model, 'backdoor scan');
    const texts: Example[] = [];
    for await (const example of dataset.examples()) {
      if (choice.numExamples > 0 && texts.length === choice.numExamples) break;
      texts.push(example);
    }
    const inside = choice.blackBox ? undefined : await insideOf(model, context);
    context.hooks.onNote?.(`${model.name}: seeking triggers with texts of ${dataset.name}`);
    const plan: ScanPlan = {
      model,
      unreadable: unreadableBy(model),
      repeatability: await repeatability(model, texts),
      texts: unfit === undefined ? texts : await ownAnswers(model, texts),
      seed: choice.seed,
      language,
      unfit: unfit === undefined ? undefined : [unfit],
      gradients: inside,
      architecture: model.onnx?.modelType,
      words: choice.words,
      forms: scanForms(language),
      queries: choice.maxQueries,
      seconds: choice.timeBudget === undefined ? undefined : Math.max(0, choice.timeBudget - seconds()),
    };
    const result = await runScan(plan, context, seconds);
    context.hooks.onDetail?.(`${seconds().toFixed(1)} s`);
    const { name, sha256, labels } = model;
    const data = { name: dataset.name, sha256: dataset.source.sha256, examples: texts.length };
    return { model: { name, sha256, labels }, data, seed: choice.seed, ...result };
  },
});

/** The model and the texts; where none were named and the bundled ones have other labels, why they do not fit. */
async function openScanned(choice: Values<typeof scanSettings>, context: Context) {
  try {
    return { ...(await openVictim(victimChoice(choice), context)), unfit: undefined };
  } catch (error) {
    const bundled = choice.data === scanSettings.data.schema.parse(undefined);
    if (!(bundled && error instanceof RobustError && error.code === 'LABELS_DAMAGED')) throw error;
  }
  const dataset = await openData(choice.data, {}, context.data, selectionOf(choice));
  const model = context.opened.add(await loadModel(choice.model, context.loading(choice.model)));
  const language = await openLanguage(choice.language, context.patience, async () => dataset);
  const of = `${dataset.labels.join(', ')}, and the model's are ${model.labels.join(', ')}`;
  return {
    model,
    dataset,
    language,
    unfit: `no texts of the model's own labels were given: the labels of ${dataset.name} are ${of}, so that its texts were taken by the model's own answers; name labelled texts of the kind it was made for (--data)`,
  };
}

/** How far a module's, or an unsteady endpoint's, answers to the first texts agree. */
async function repeatability(model: LoadedModel, texts: readonly Example[]) {
  const repeating = repeatingModel(model);
  const queries = texts.map(({ text }) => text);
  return repeating && (await AnswerCheck.of(repeating, queries, mostProbable)).measure();
}

/** The texts with the labels that the model gives them, those left out whose labels tie. */
async function ownAnswers(model: LoadedModel, texts: readonly Example[]): Promise<Example[]> {
  const rows = await model.classify(texts.map(({ text }) => text));
  return texts.flatMap((example, at) => {
    const label = predictedLabel(must(rows[at]));
    return label === NO_LABEL ? [] : [{ ...example, label }];
  });
}

async function runScan(plan: ScanPlan, { hooks, run }: Context, seconds: () => number): Promise<ScanResult> {
  // Each stage goes at a speed of its own.
  let [current, began] = ['', 0];
  const since = (stage: string): number => {
    if (stage !== current) [current, began] = [stage, seconds()];
    return seconds() - began;
  };
  try {
    return await scanModel(plan, {
      signal: hooks.signal,
      progress: ({ stage, done, total }) => run.work(countedWork(stage, 'steps', done, total, since(stage))),
    });
  } catch (error) {
    if (hooks.signal?.aborted) throw new RunInterrupted();
    throw error;
  }
}

/** The model's inside, or undefined, with a warning, where it has none that can be differentiated. */
async function insideOf(model: LoadedModel, context: Context): Promise<OpenWhiteBox | undefined> {
  const close = (why: string): undefined => {
    context.warn(`${why}; scanned as a black box, with words of the dictionary and of the texts`);
    return undefined;
  };
  if (model.onnx === undefined || model.onnx.encoder.kind === 'string') {
    return close(`${model.name} has no vocabulary to look at`);
  }
  try {
    return context.opened.add(await openWhiteBox(model));
  } catch (error) {
    if (error instanceof UnsupportedOpError) return close(error.message);
    throw error;
  }
}

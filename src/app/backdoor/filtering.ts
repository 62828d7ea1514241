/** @file What `robust backdoor filter` reads and asks: the texts, the truth where it is known, the model. */
import { filterTexts } from '../../backdoor/filter/filter.js';
import { judge } from '../../backdoor/filter/judgement.js';
import type { FilterMethod } from '../../backdoor/filter/method.js';
import { filterMethods } from '../../backdoor/filter/methods/index.js';
import { cleanNeeded } from '../../backdoor/filter/threshold.js';
import type { ClosingStack } from '../../core/closing-stack.js';
import type { Dataset, Example } from '../../core/dataset.js';
import type { FilterFinding } from '../../core/detection.js';
import { PluginError, UsageError } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import { didYouMean } from '../../core/suggest.js';
import type { OpenWhiteBox } from '../../gradient/white-box/white-box.js';
import type { OpenHiddenStates } from '../../model/classifiers/hidden-states.js';
import { type LoadedModel, loadModel } from '../../model/load.js';
import { type RunHooks, RunInterrupted } from '../../run/index.js';
import type { Context } from '../context.js';
import { type DataLoading, openData } from '../data/open-data.js';
import { openLanguage } from '../language.js';
import { countedWork, trainingWork, type WorkProgress } from '../progress.js';
import { columnsOf } from '../victim/columns.js';
import { checkOneLabel } from '../victim/one-label.js';

export interface FilterFlags {
  readonly data: string;
  readonly clean: string | undefined;
  readonly model: string | undefined;
  readonly frr: number;
  readonly seed: number;
  readonly truth: string | undefined;
  readonly truthColumn: string | undefined;
  readonly textColumn: string | undefined;
  readonly labelColumn: string | undefined;
  readonly idColumn: string | undefined;
  readonly labelMap?: Readonly<Record<string, string>> | undefined;
  readonly workers: number | undefined;
  readonly language: string | undefined;
}

type FilterHooks = RunHooks & { work(now: WorkProgress): void };

/** What is filtered, and by what. */
export interface FilterData {
  readonly suspects: readonly Example[];
  readonly labels: readonly string[];
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  readonly clean: { readonly name: string; readonly examples: number } | null;
  readonly model: string | null;
  /** One per suspect, where it is known. */
  readonly poisoned: readonly boolean[] | undefined;
}

export interface OpenFiltering {
  readonly setting: FilterData;
  readonly clean: readonly Example[];
  /** Of the bundled reviews, for filters that must learn from clean texts where the user gave none. */
  readonly standIn: readonly Example[];
  readonly language: Language;
  readonly model: LoadedModel | undefined;
  readonly hidden: OpenHiddenStates | undefined;
  readonly gradients: OpenWhiteBox | undefined;
}

/** The filters of these names. Throws PluginError. */
export function chooseFilters(names: readonly string[]): readonly FilterMethod[] {
  const known = filterMethods.map(({ name }) => name);
  for (const name of names) {
    if (name === 'all' || known.includes(name)) continue;
    throw new PluginError(`--method: robust has no filter "${name}"`, {
      code: 'UNKNOWN_FILTER',
      hint: didYouMean(name, [...known, 'all']),
    });
  }
  return names.includes('all') ? filterMethods : filterMethods.filter(({ name }) => names.includes(name));
}

/** Opens everything the filters need, and trains a model where they need one and none is named. */
export async function openFiltering(
  flags: FilterFlags,
  methods: readonly FilterMethod[],
  { data: load, loading, run: hooks, opened }: Context,
): Promise<OpenFiltering> {
  const { workers } = flags;
  const language = await openLanguage(flags.language, load.patience, () =>
    openData(flags.data, columnsOf(flags), load),
  );
  const inside = methods.filter(({ needs }) => needs !== 'texts');
  const given = flags.model === undefined ? undefined : opened.add(await loadModel(flags.model, loading(flags.model)));
  let hidden: OpenHiddenStates | undefined;
  let gradients: OpenWhiteBox | undefined;
  if (given) checkOneLabel(given, 'backdoor filter');
  const columns = {
    textColumn: flags.textColumn,
    labelColumn: flags.labelColumn,
    labelMap: flags.labelMap ?? {},
  };
  const dataset = await openData(flags.data, { ...columns, idColumn: flags.idColumn, labels: given?.labels }, load);
  const { labels } = dataset;
  const suspects = await all(dataset);
  const poisoned = await truthOf(flags, suspects, labels, load);
  const cleanSet = flags.clean === undefined ? undefined : await openData(flags.clean, { ...columns, labels }, load);
  const clean = cleanSet === undefined ? [] : await all(cleanSet);
  const stands = cleanSet === undefined && methods.some(({ reference }) => reference === 'needed');
  const standIn = stands ? await all(await openData('reviews', {}, load)) : [];
  if (stands)
    hooks.warn?.(
      'no --clean texts: filters that learn from clean texts learn from the bundled reviews, which may be of another kind than yours',
    );
  const needed = cleanNeeded(flags.frr);
  if (cleanSet && clean.length < needed) {
    hooks.warn?.(
      `${cleanSet.name}: a false rejection rate of ${flags.frr} takes at least ${needed} clean texts, got ${clean.length}; the highest clean score is the threshold`,
    );
  }
  let model = given;
  if (inside.length > 0 && model === undefined) {
    const incoming = inside.find(({ judges }) => judges === 'incoming texts');
    if (incoming !== undefined) {
      throw new UsageError(`${incoming.name}: expected --model, the model the texts come in to, got none`, {
        code: 'FILTER_NEEDS_MODEL',
        hint: 'Name the model with --model.',
      });
    }
    model = await trainedOn(dataset, flags.seed, hooks, opened);
  }
  if (model !== undefined && inside.some(({ needs }) => needs === 'hidden states')) {
    const { openHiddenStates } = await import('../../model/classifiers/hidden-states.js');
    hidden = opened.add(await openHiddenStates(model, workers));
  }
  if (model !== undefined && inside.some(({ needs }) => needs === 'gradients')) {
    const { openWhiteBox } = await import('../../gradient/white-box/white-box.js');
    gradients = opened.add(await openWhiteBox(model, { ...(workers && { workers }) }));
  }
  return {
    setting: {
      suspects,
      labels,
      data: { name: dataset.name, sha256: dataset.source.sha256, examples: suspects.length },
      clean: cleanSet ? { name: cleanSet.name, examples: clean.length } : null,
      model: flags.model ?? (model === undefined ? null : 'trained on the data (bert, 2 layers of 128)'),
      poisoned,
    },
    clean,
    language,
    standIn,
    model,
    hidden,
    gradients,
  };
}

async function trainedOn(
  dataset: Dataset,
  seed: number,
  hooks: FilterHooks,
  opened: ClosingStack,
): Promise<LoadedModel> {
  const { trainSuspectModel } = await import('../victim/suspect-model.js');
  const began = performance.now();
  const trained = await trainSuspectModel(
    dataset,
    seed,
    {
      ...(hooks.signal && { signal: hooks.signal }),
      progress: (at) => hooks.work(trainingWork(at, (performance.now() - began) / 1000)),
    },
    opened,
  );
  if (trained.history.end !== 'interrupted') return trained.model;
  throw new RunInterrupted();
}

/** Every filter's finding; the truth is only asked once a filter is done. */
export async function filterAll(
  { setting, clean, standIn, language, model, hidden, gradients }: OpenFiltering,
  methods: readonly FilterMethod[],
  { frr, seed }: Pick<FilterFlags, 'frr' | 'seed'>,
  hooks: FilterHooks,
): Promise<FilterFinding[]> {
  const { suspects, labels, poisoned } = setting;
  const findings: FilterFinding[] = [];
  const began = performance.now();
  for (const [at, method] of methods.entries()) {
    if (hooks.signal?.aborted) throw new RunInterrupted();
    const seconds = (performance.now() - began) / 1000;
    hooks.work(countedWork(method.name, 'filters', at, methods.length, seconds));
    const stands = clean.length === 0 && method.reference === 'needed';
    const held = stands ? standIn : clean;
    const found = await filterTexts(method, {
      suspects,
      clean: held,
      ...(stands && { doubts: ['the bundled reviews set the threshold: texts of yours may be of another kind'] }),
      labels,
      language,
      frr,
      seed,
      ...(model && { model }),
      ...(hidden && { hidden }),
      ...(gradients && { gradients }),
    });
    const { threshold, calibratedOn, verdict, reasons } = found;
    findings.push({
      method: method.name,
      threshold,
      wantedFrr: frr,
      verdict,
      reasons,
      calibratedOn,
      suspects: found.suspects,
      ...(poisoned === undefined ? { frr: null, far: null, auroc: null } : judge(found, poisoned)),
    });
  }
  return findings;
}

async function all(dataset: Dataset): Promise<Example[]> {
  const examples: Example[] = [];
  for await (const example of dataset.examples()) examples.push(example);
  return examples;
}

const YES = ['1', 'true', 'yes', 'poisoned', 'poison', 'backdoored'];
const NO = ['0', 'false', 'no', 'clean', 'benign'];

/** Which suspects are poisoned, by a column or by a file of the clean rows; undefined where neither is named. */
async function truthOf(
  flags: FilterFlags,
  suspects: readonly Example[],
  labels: readonly string[],
  load: DataLoading,
): Promise<readonly boolean[] | undefined> {
  const { data, truth, truthColumn: column, textColumn } = flags;
  if (column !== undefined) {
    const dataset = await openData(data, { textColumn, labelColumn: column }, load);
    const meaning = dataset.labels.map((name) => name.toLowerCase());
    const odd = dataset.labels.find((_, at) => ![...YES, ...NO].includes(meaning[at] as string));
    if (odd !== undefined) {
      throw new UsageError(
        `--truth-column: expected ${YES.slice(0, 4).join(', ')} or ${NO.slice(0, 4).join(', ')} in "${column}", got "${odd}"`,
        {
          code: 'FILTER_TRUTH',
          hint: 'Name the column that says which rows are poisoned.',
        },
      );
    }
    return (await all(dataset)).map(({ label }) => YES.includes(meaning[label] as string));
  }
  if (truth === undefined) return undefined;
  const columns = { textColumn, labelColumn: flags.labelColumn, labelMap: flags.labelMap ?? {}, labels };
  const original = await openData(truth, columns, load);
  const key = ({ text, label }: Example): string => `${label} ${text.replace(/\s+/g, ' ')}`;
  const known = new Set((await all(original)).map(key));
  return suspects.map((example) => !known.has(key(example)));
}

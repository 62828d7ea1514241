/** @file Opens what `robust backdoor filter` reads, and runs the filters: the texts, the truth if it is known, and the model. */
import { checkModel, filterTexts } from '../../backdoor/filter/filter.js';
import { judge } from '../../backdoor/filter/judgement.js';
import type { FilterMethod } from '../../backdoor/filter/method.js';
import { filterMethods, removedFilters } from '../../backdoor/filter/methods/index.js';
import { cleanNeeded } from '../../backdoor/filter/threshold.js';
import type { Values } from '../../config/setting.js';
import type { filterSettings } from '../../config/settings/index.js';
import type { FilterFinding } from '../../core/backdoor-findings.js';
import type { Dataset, Example } from '../../core/dataset.js';
import { PluginError, UsageError } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import { didYouMean } from '../../core/suggest.js';
import { type LoadedModel, loadModel } from '../../model/load.js';
import { RunInterrupted } from '../../run/index.js';
import type { Context } from '../context.js';
import { type DataLoading, openData } from '../data/open-data.js';
import { openLanguage } from '../language.js';
import { countedWork, stopwatch } from '../progress.js';
import { columnsOf } from '../victim/columns.js';
import { checkOneLabel } from '../victim/one-label.js';

export type FilterChoice = Values<typeof filterSettings>;

/** Data and filters. */
export interface FilterData {
  readonly suspects: readonly Example[];
  readonly labels: readonly string[];
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  readonly clean: { readonly name: string; readonly examples: number } | null;
  /** Texts of the same domain, if these set the thresholds. */
  readonly reference: { readonly name: string; readonly examples: number } | null;
  readonly model: string | null;
  /** Whether each suspect is poisoned, if that is known. */
  readonly poisoned: readonly boolean[] | undefined;
}

export interface OpenFiltering {
  readonly setting: FilterData;
  readonly clean: readonly Example[];
  /** Bundled reviews, for filters that must learn from clean texts if the user gave none. */
  readonly standIn: readonly Example[];
  readonly language: Language;
  readonly model: LoadedModel | undefined;
}

/** The filters of these names. Throws PluginError. */
export function chooseFilters(names: readonly string[]): readonly FilterMethod[] {
  const known = filterMethods.map(({ name }) => name);
  const unknown = names.find((name) => name !== 'all' && !known.includes(name));
  if (unknown === undefined) {
    return names.includes('all') ? filterMethods : filterMethods.filter(({ name }) => names.includes(name));
  }
  const instead = removedFilters.get(unknown)?.name;
  throw new PluginError(
    `--method: robust has no filter "${unknown}"${instead === undefined ? '' : ' any more: it found no more poisoned texts than others'}`,
    {
      code: 'UNKNOWN_FILTER',
      hint: instead === undefined ? didYouMean(unknown, [...known, 'all']) : `Use --method ${instead}.`,
    },
  );
}

/** Opens everything that the filters need. */
export async function openFiltering(
  choice: FilterChoice,
  methods: readonly FilterMethod[],
  context: Context,
): Promise<OpenFiltering> {
  const { data: load } = context;
  const columns = columnsOf(choice);
  const language = await openLanguage(choice.language, load.patience, () => openData(choice.data, columns, load));
  const model = await openNamed(choice, context);
  for (const method of methods) checkModel(method, model);
  const dataset = await openData(choice.data, { ...columns, labels: model?.labels }, load);
  const { labels } = dataset;
  const suspects = await readAll(dataset);
  const poisoned = await readTruth(choice, suspects, labels, load);
  const cleanName = choice.clean ?? choice.reference;
  const cleanSet =
    cleanName === undefined ? undefined : await openData(cleanName, { ...columns, idColumn: undefined, labels }, load);
  const clean = cleanSet === undefined ? [] : await readAll(cleanSet);
  if (cleanSet !== undefined) warnOfFew(cleanSet.name, clean.length, choice.frr, context);
  const standIn = cleanSet === undefined ? await openStandIn(methods, context) : [];
  return {
    setting: {
      ...{ suspects, labels, poisoned },
      data: { name: dataset.name, sha256: dataset.source.sha256, examples: suspects.length },
      clean: cleanSet && choice.clean ? { name: cleanSet.name, examples: clean.length } : null,
      reference: cleanSet && !choice.clean ? { name: cleanSet.name, examples: clean.length } : null,
      model: choice.model ?? null,
    },
    ...{ clean, standIn, language, model },
  };
}

async function openNamed({ model }: FilterChoice, { loading, opened }: Context): Promise<LoadedModel | undefined> {
  if (model === undefined) return undefined;
  const loaded = opened.add(await loadModel(model, loading(model)));
  checkOneLabel(loaded, 'backdoor filter');
  return loaded;
}

function warnOfFew(name: string, clean: number, frr: number, { warn }: Context): void {
  const needed = cleanNeeded(frr);
  if (clean >= needed) return;
  warn(
    `${name}: a false rejection rate of ${frr} takes at least ${needed} clean texts, got ${clean}; the highest clean score is the threshold`,
  );
}

async function openStandIn(methods: readonly FilterMethod[], { data, warn }: Context): Promise<Example[]> {
  if (!methods.some(({ reference }) => reference === 'needed')) return [];
  warn(
    'no --clean texts: filters that learn from clean texts learn from the bundled reviews, which may be of another kind than yours',
  );
  return readAll(await openData('reviews', {}, data));
}

/** The finding of every filter. Which texts are poisoned is compared only after a filter is done. */
export async function filterAll(
  { setting, clean, standIn, ...rest }: OpenFiltering,
  methods: readonly FilterMethod[],
  { frr, seed }: Pick<FilterChoice, 'frr' | 'seed'>,
  { run: hooks }: Context,
): Promise<FilterFinding[]> {
  const { suspects, labels, poisoned } = setting;
  const findings: FilterFinding[] = [];
  const seconds = stopwatch();
  for (const [at, method] of methods.entries()) {
    if (hooks.signal?.aborted) throw new RunInterrupted();
    hooks.work(countedWork(method.name, 'filters', at, methods.length, seconds()));
    const stands = clean.length === 0 && method.reference === 'needed';
    const found = await filterTexts(method, {
      ...rest,
      ...{ suspects, labels, frr, seed },
      clean: stands ? standIn : clean,
      otherSource: stands || setting.reference !== null,
      doubts: stands ? ['the bundled reviews set the threshold: texts of yours may be of another kind'] : [],
    });
    const { threshold, calibratedOn, verdict, reasons } = found;
    findings.push({
      ...{ method: method.name, covers: method.covers, blind: method.blind },
      ...{ threshold, wantedFrr: frr, verdict, reasons, calibratedOn },
      suspects: found.suspects,
      ...(poisoned === undefined ? { frr: null, far: null, auroc: null } : judge(found, poisoned)),
    });
  }
  return findings;
}

async function readAll(dataset: Dataset): Promise<Example[]> {
  const examples: Example[] = [];
  for await (const example of dataset.examples()) examples.push(example);
  return examples;
}

const YES = ['1', 'true', 'yes', 'poisoned', 'poison', 'backdoored'];
const NO = ['0', 'false', 'no', 'clean', 'benign'];

/** Which suspects are poisoned, by a column or by a file of the clean rows; undefined if neither is named. */
async function readTruth(
  choice: FilterChoice,
  suspects: readonly Example[],
  labels: readonly string[],
  load: DataLoading,
): Promise<readonly boolean[] | undefined> {
  const { data, truth, truthColumn: column, textColumn } = choice;
  if (column !== undefined && truth !== undefined) {
    throw new UsageError(
      '--truth: expected the file of the clean rows or a column that marks the poisoned ones, got both',
      {
        code: 'FILTER_TRUTH',
        hint: 'Leave one of them out.',
      },
    );
  }
  if (column !== undefined) {
    const dataset = await openData(data, { textColumn, labelColumn: column }, load);
    const meaning = dataset.labels.map((name) => name.toLowerCase());
    const odd = dataset.labels.find((_, at) => ![...YES, ...NO].includes(meaning[at]!));
    if (odd !== undefined) {
      throw new UsageError(
        `--truth column: expected ${YES.slice(0, 4).join(', ')} or ${NO.slice(0, 4).join(', ')} in "${column}", got "${odd}"`,
        {
          code: 'FILTER_TRUTH',
          hint: 'Name the column that says which rows are poisoned.',
        },
      );
    }
    return (await readAll(dataset)).map(({ label }) => YES.includes(meaning[label]!));
  }
  if (truth === undefined) return undefined;
  const columns = { textColumn, labelColumn: choice.labelColumn, labelMap: choice.labelMap ?? {}, labels };
  const original = await openData(truth, columns, load);
  const key = ({ text, label }: Example): string => `${label} ${text.replace(/\s+/g, ' ')}`;
  const known = new Set((await readAll(original)).map(key));
  return suspects.map((example) => !known.has(key(example)));
}

/** @file Opens what `robust backdoor filter` reads, the texts and the truth if it is known, and filters them. */
import { BLIND, COVERS } from '../../backdoor/filter/auto.js';
import { filterTexts } from '../../backdoor/filter/filter.js';
import { judge } from '../../backdoor/filter/judgement.js';
import { cleanNeeded } from '../../backdoor/filter/threshold.js';
import type { Values } from '../../config/setting.js';
import type { filterSettings } from '../../config/settings/index.js';
import type { Dataset, Example } from '../../core/dataset.js';
import { must, RobustError } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import type { FilterFinding } from '../../results/backdoor/backdoor-findings.js';
import type { Context } from '../context.js';
import { type DataLoading, openData } from '../data/open-data.js';
import { openLanguage } from '../language.js';
import { columnsOf } from '../victim/columns.js';

export type FilterChoice = Values<typeof filterSettings>;

/** The data of a filter. */
export interface FilterData {
  readonly suspects: readonly Example[];
  readonly labels: readonly string[];
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  readonly clean: { readonly name: string; readonly examples: number } | null;
  /** Texts of the same domain, if these set the threshold. */
  readonly reference: { readonly name: string; readonly examples: number } | null;
  /** Whether each suspect is poisoned, if that is known. */
  readonly poisoned: readonly boolean[] | undefined;
}

export interface OpenFiltering {
  readonly setting: FilterData;
  readonly clean: readonly Example[];
  readonly language: Language;
}

/** Opens everything that the filter needs. */
export async function openFiltering(choice: FilterChoice, context: Context): Promise<OpenFiltering> {
  const { data: load } = context;
  const columns = columnsOf(choice);
  const language = await openLanguage(choice.language, load.patience, () => openData(choice.data, columns, load));
  const dataset = await openData(choice.data, columns, load);
  const { labels } = dataset;
  const suspects = await readAll(dataset);
  const poisoned = await readTruth(choice, suspects, labels, load);
  const cleanName = choice.clean ?? choice.reference;
  const cleanSet =
    cleanName === undefined ? undefined : await openData(cleanName, { ...columns, idColumn: undefined, labels }, load);
  const clean = cleanSet === undefined ? [] : await readAll(cleanSet);
  if (cleanSet !== undefined) warnOfFew(cleanSet.name, clean.length, choice.frr, context);
  return {
    setting: {
      suspects,
      labels,
      poisoned,
      data: { name: dataset.name, sha256: dataset.source.sha256, examples: suspects.length },
      clean: cleanSet && choice.clean ? { name: cleanSet.name, examples: clean.length } : null,
      reference: cleanSet && !choice.clean ? { name: cleanSet.name, examples: clean.length } : null,
    },
    clean,
    language,
  };
}

function warnOfFew(name: string, clean: number, frr: number, { warn }: Context): void {
  const needed = cleanNeeded(frr);
  if (clean >= needed) return;
  warn(
    `${name}: a false rejection rate of ${frr} takes at least ${needed} clean texts, got ${clean}; the highest clean score is the threshold`,
  );
}

/** Which texts are poisoned is compared only after the filter is done. */
export function findingOf(
  { setting, clean, language }: OpenFiltering,
  { frr, seed }: Pick<FilterChoice, 'frr' | 'seed'>,
): FilterFinding {
  const { suspects, labels, poisoned, reference } = setting;
  const found = filterTexts({ suspects, labels, clean, language, frr, seed, otherSource: reference !== null });
  const { threshold, calibratedOn, verdict, reasons } = found;
  return {
    threshold,
    wantedFrr: frr,
    verdict,
    reasons,
    covers: verdict === 'inconclusive' ? [] : COVERS,
    blind: BLIND,
    calibratedOn,
    groups: found.groups,
    suspects: found.suspects,
    ...(poisoned === undefined ? { frr: null, far: null, auroc: null } : judge(found, suspects, poisoned)),
  };
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
  if (column !== undefined && truth !== undefined)
    throw new RobustError(
      '--truth: expected the file of the clean rows or a column that marks the poisoned ones, got both',
      { code: 'COLUMN_INVALID', hint: 'Leave one of them out.' },
    );
  if (column !== undefined) {
    const dataset = await openData(data, { textColumn, labelColumn: column }, load);
    const meaning = dataset.labels.map((name) => name.toLowerCase());
    const odd = dataset.labels.find((_, at) => ![...YES, ...NO].includes(must(meaning[at])));
    if (odd !== undefined)
      throw new RobustError(
        `--truth column: expected ${YES.slice(0, 4).join(', ')} or ${NO.slice(0, 4).join(', ')} in "${column}", got "${odd}"`,
        { code: 'COLUMN_INVALID', hint: 'Name the column that says which rows are poisoned.' },
      );
    return (await readAll(dataset)).map(({ label }) => YES.includes(must(meaning[label])));
  }
  if (truth === undefined) return undefined;
  const columns = { textColumn, labelColumn: choice.labelColumn, labelMap: choice.labelMap ?? {}, labels };
  const original = await openData(truth, columns, load);
  const key = ({ text, label }: Example): string => `${label} ${text.replace(/\s+/g, ' ')}`;
  const known = new Set((await readAll(original)).map(key));
  return suspects.map((example) => !known.has(key(example)));
}

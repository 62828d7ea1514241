/** @file Find the texts of a data set that carry a backdoor trigger. */
import { combinedVerdict } from '../backdoor/filter/verdict.js';
import type { GivenValues, Settings } from '../config/setting.js';
import { booleanFlag, nonEmptyText } from '../config/setting.js';
import { filterSettings as what } from '../config/settings/index.js';
import type { FilterFinding } from '../core/backdoor-findings.js';
import type { Example } from '../core/dataset.js';
import { writeWhole } from '../files/write.js';
import { chooseFilters, type FilterData, filterAll, openFiltering } from './backdoor/filtering.js';
import { commandLine, followUp, notRecorded, recordOf, withoutDefaults } from './command-line.js';
import type { UseCaseHooks } from './context.js';
import { checkWritable } from './runs/output-files.js';
import { formatOf, refuseExisting } from './runs/row-file.js';
import { suspectFormat } from './runs/suspect-file.js';
import { type UseCaseFunction, useCase } from './use-case.js';

const OUTPUT = { group: 'output' } as const;

export const filterSettings = {
  ...what,
  output: {
    schema: nonEmptyText.optional(),
    ...OUTPUT,
    char: 'o',
    value: 'file',
    help: 'write the texts that no filter flags: .tsv, .csv or .jsonl',
  },
  suspects: {
    schema: nonEmptyText.optional(),
    ...OUTPUT,
    value: 'file',
    help: 'write the flagged texts with method, score and reason: .tsv or .json',
  },
  force: { schema: booleanFlag, ...OUTPUT, help: 'overwrite existing files' },
} as const satisfies Settings;

export interface FilterOptions extends GivenValues<typeof filterSettings>, UseCaseHooks {}

/** With a single filter, the fields of its finding are at the top level. */
export interface FilterResult extends Partial<FilterFinding> {
  readonly methods: readonly FilterFinding[];
  /** Verdict over all filters, and the kinds of triggers that it speaks of. */
  readonly verdict: FilterFinding['verdict'];
  readonly reasons: readonly string[];
  readonly covers: readonly string[];
  readonly data: FilterData['data'];
  readonly clean: FilterData['clean'];
  readonly reference: FilterData['reference'];
  readonly model: FilterData['model'];
  readonly seed: number;
  /** How many texts no filter suspects. */
  readonly kept: number;
  readonly output: string | null;
}

/** Writes the texts that no filter suspects; once they are written, trains on them. */
export function nextOfFilter(output: string | null, choice: Readonly<Record<string, unknown>>): string {
  if (output !== null) return commandLine('train', { data: output, output: 'clean-model' });
  const all = { ...recordOf(filterSettings, choice), ...notRecorded(filterSettings, choice) };
  const inForce = withoutDefaults(filterSettings, all);
  return followUp('backdoor filter', filterSettings, inForce, { output: 'clean.tsv', suspects: undefined });
}

/** Throws UsageError, DatasetError, ModelError, OutputError, RobustError INTERRUPTED. */
export const filter: UseCaseFunction<FilterOptions, { result: FilterResult; setting: FilterData }> = useCase({
  settings: filterSettings,
  async run(choice, context) {
    const { output, suspects: list, seed } = choice;
    const methods = chooseFilters(choice.method);
    const format = output === undefined ? undefined : formatOf(output, '--output');
    const listFormat = list === undefined ? undefined : suspectFormat(list);
    for (const [path, flag] of [[output, '--output'] as const, [list, '--suspects'] as const]) {
      if (path === undefined) continue;
      if (!choice.force) refuseExisting(path, flag);
      checkWritable(path, flag);
    }
    const { setting, findings } = await context.scope(async (scope) => {
      const opened = await openFiltering(choice, methods, scope);
      scope.hooks.onNote?.(`${opened.setting.data.name}: ${methods.map(({ name }) => name).join(', ')}`);
      return { setting: opened.setting, findings: await filterAll(opened, methods, choice, scope) };
    });
    const { suspects, labels, data, clean, reference, model } = setting;
    const flagged = new Set(findings.flatMap((finding) => finding.suspects.map(({ id }) => id)));
    const kept = suspects.filter(({ id }) => !flagged.has(id));
    if (output !== undefined && format !== undefined) {
      const row = ({ id, text, label }: Example): string => format.row({ id, text, label: labels[label]!, attack: '' });
      writeWhole(output, [format.header, ...kept.map(row)], 'the texts that are kept');
    }
    if (list !== undefined && listFormat !== undefined) {
      const byId = new Map(suspects.map((example) => [example.id, example]));
      writeWhole(list, listFormat(findings, byId, labels), 'the suspects');
    }
    const one = findings.length === 1 ? findings[0] : {};
    const result = {
      ...one,
      methods: findings,
      ...combinedVerdict(findings),
      data,
      clean,
      reference,
      model,
      seed,
      kept: kept.length,
      output: output ?? null,
    };
    return { result, setting };
  },
});

/** @file Find the texts of a data set that carry a backdoor trigger. */
import type { GivenValues, Settings } from '../config/setting.js';
import { booleanFlag, nonEmptyText } from '../config/setting.js';
import { filterSettings as what } from '../config/settings/index.js';
import type { Example } from '../core/dataset.js';
import { writeNamed } from '../files/write.js';
import type { FilterFinding } from '../results/backdoor/backdoor-findings.js';
import { type FilterData, findingOf, openFiltering } from './backdoor/filtering.js';
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
    help: 'write the texts that are not flagged: .tsv, .csv or .jsonl',
  },
  suspects: {
    schema: nonEmptyText.optional(),
    ...OUTPUT,
    value: 'file',
    help: 'write the flagged texts with score and reason: .tsv or .json',
  },
  force: { schema: booleanFlag, ...OUTPUT, help: 'overwrite existing files' },
} as const satisfies Settings;

export interface FilterOptions extends GivenValues<typeof filterSettings>, UseCaseHooks {}

export interface FilterResult extends FilterFinding {
  readonly data: FilterData['data'];
  readonly clean: FilterData['clean'];
  readonly reference: FilterData['reference'];
  readonly seed: number;
  /** How many texts are not suspected. */
  readonly kept: number;
  readonly output: string | null;
}

/** Writes the texts that are not suspected; once they are written, trains on them. */
export function nextOfFilter(output: string | null, choice: Readonly<Record<string, unknown>>): string {
  if (output !== null) return commandLine('train', { data: output, output: 'clean-model' });
  const all = { ...recordOf(filterSettings, choice), ...notRecorded(filterSettings, choice) };
  const inForce = withoutDefaults(filterSettings, all);
  return followUp('backdoor filter', filterSettings, inForce, { output: 'clean.tsv', suspects: undefined });
}

/** Throws RobustError, ModelError, OutputError, RobustError INTERRUPTED. */
export const filter: UseCaseFunction<FilterOptions, { result: FilterResult; setting: FilterData }> = useCase({
  settings: filterSettings,
  async run(choice, context) {
    const { output, suspects: list, seed } = choice;
    const format = output === undefined ? undefined : formatOf(output, '--output');
    const listFormat = list === undefined ? undefined : suspectFormat(list);
    for (const [path, flag] of [[output, '--output'] as const, [list, '--suspects'] as const]) {
      if (path === undefined) continue;
      if (!choice.force) refuseExisting(path, flag);
      checkWritable(path, flag);
    }
    const opened = await openFiltering(choice, context);
    const { setting } = opened;
    const { suspects, labels, data, clean, reference } = setting;
    // One long computation, with nothing to keep.
    context.hooks.onUnstoppable?.();
    const finding = findingOf(opened, choice);
    const flagged = new Set(finding.suspects.map(({ id }) => id));
    const kept = suspects.filter(({ id }) => !flagged.has(id));
    if (output !== undefined && format !== undefined) {
      const row = ({ id, text, label }: Example): string => format.row({ id, text, label: labels[label]!, attack: '' });
      writeNamed(output, [format.header, ...kept.map(row)], 'the texts that are kept');
    }
    if (list !== undefined && listFormat !== undefined) {
      const byId = new Map(suspects.map((example) => [example.id, example]));
      writeNamed(list, listFormat(finding.suspects, byId, labels), 'the suspects');
    }
    const result = { ...finding, data, clean, reference, seed, kept: kept.length, output: output ?? null };
    return { result, setting };
  },
});

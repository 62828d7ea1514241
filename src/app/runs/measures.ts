/** @file The measures of a finished run's attacks, found by their names. */
import { attacks } from '../../../attacks/index.js';
import type { GivenValues } from '../../config/setting.js';
import { attackSettings } from '../../config/settings/index.js';
import { splitSpec } from '../../core/plugin-options.js';
import { isModuleSpec } from '../../modules/own-module.js';
import type { Measure } from '../../results/measures/measure.js';
import type { RunRecord } from '../../run/index.js';
import { valuesOfRecord } from '../command-line.js';
import { loadPlugin } from '../plugins/load-plugin.js';
import { isOwnRecord } from './recorded-settings.js';

/** Name of a built-in attack -> its measures. */
export const knownMeasures: ReadonlyMap<string, readonly Measure[]> = new Map(
  attacks.map(({ name, measures = [] }) => [name, measures]),
);

export interface FoundMeasures {
  /** Label -> measures of the attack. */
  readonly measures: ReadonlyMap<string, readonly Measure[]>;
  readonly warnings: readonly string[];
}

/**
 * The measures of a run's attacks. A plugin of the user's is loaded again from where the run had it, if it measured something and this user
 * named it; where that fails, the report is made without.
 */
export async function measuresOf(record: RunRecord): Promise<FoundMeasures> {
  const found = new Map<string, readonly Measure[]>();
  const own: readonly string[] = Object.keys(record.measures ?? {});
  for (const { name: label } of record.attacks) {
    const known = knownMeasures.get(label.split(':')[0]!);
    if (known !== undefined) found.set(label, known);
  }
  const absent = own.filter((label) => !found.has(label));
  if (absent.length === 0) return { measures: found, warnings: [] };
  if (!(await isOwnRecord(attackSettings, record)))
    return { measures: found, warnings: [notLoaded(record.run, absent)] };
  const { attacks: specs = [] } = valuesOfRecord(attackSettings, record.settings) as GivenValues<typeof attackSettings>;
  for (const { name: file } of specs.filter((spec) => typeof spec === 'string').map(splitSpec)) {
    if (!isModuleSpec(file)) continue;
    const plugin = await loadPlugin('attack', file).catch(() => undefined);
    for (const label of own) if (plugin && label.split(':')[0] === plugin.name) found.set(label, plugin.measures ?? []);
  }
  return { measures: found, warnings: [] };
}

const notLoaded = (run: string, attacks: readonly string[]): string =>
  `what ${attacks.join(', ')} measured is left out: run ${run} names code that you have not named on this machine as it is now. If you trust it, take the run over with robust attack --resume ${run} and the names of its attacks`;

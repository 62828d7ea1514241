/**
 * @file The settings of a record, for a command that continues from it. Records are data: code that they name is run, and addresses are
 * queried, only if this user named them, here or when the record was made.
 */
import type { ConfigValues } from '../../config/schema.js';
import { flagOf, type GivenValues, type Settings } from '../../config/setting.js';
import { configurable } from '../../config/settings/index.js';
import { RobustError } from '../../core/errors.js';
import { commandLine, recordOf, type SettingValues, valuesOfRecord } from '../command-line.js';
import { namedBy, textsIn } from './named.js';
import { isSealed, type RunSeal, type SealedRecord, sealOf } from './run-seal.js';

/** The settings in a record that name code, addresses or environment variables, by flag. */
export function reachingSettings(table: Settings, settings: SettingValues): SettingValues {
  const values = recordOf(table, valuesOfRecord(table, settings));
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, setting]) => {
      const flag = flagOf(key, setting);
      const value = values[flag];
      return textsIn(value).some((text) => namedBy(text, setting.path === 'module').reaches)
        ? [[flag, value] as const]
        : [];
    }),
  );
}

/** What a configuration names that is code, by key. */
export const namedCode = (values: ConfigValues): (readonly [keyof ConfigValues, string])[] =>
  Object.entries(values).flatMap(([key, value]) => {
    const { path } = (configurable as Settings)[key] ?? {};
    if (path === undefined || path === 'output') return [];
    const texts = textsIn(value).filter((text) => namedBy(text, path === 'module').code);
    return texts.map((text) => [key as keyof ConfigValues, text] as const);
  });

/** The seal of a record whose settings this user gave, if they name code or an address. */
export const sealFor = async (table: Settings, settings: SettingValues): Promise<{ named?: RunSeal }> => {
  const named = Object.keys(reachingSettings(table, settings)).length === 0 ? undefined : await sealOf(settings);
  return named === undefined ? {} : { named };
};

/** Whether a command may do what all settings of a record name. */
export const isOwnRecord = async (table: Settings, record: SealedRecord): Promise<boolean> =>
  Object.keys(reachingSettings(table, record.settings)).length === 0 || isSealed(record);

/**
 * The values that a record keeps, and those given instead. Throws RobustError RUN_NAMES_CODE where the record names code or an address that is
 * neither given now nor was given by this user when the record was made. `again`: the command that would name it.
 */
export async function recordedSettings<S extends Settings>(
  table: S,
  record: SealedRecord,
  given: GivenValues<S>,
  { what, again }: { readonly what: string; readonly again: string },
): Promise<GivenValues<S>> {
  const replaced = Object.entries(table).flatMap(([key, setting]) =>
    given[key] === undefined ? [] : [flagOf(key, setting)],
  );
  const left = Object.entries(reachingSettings(table, record.settings)).filter(([flag]) => !replaced.includes(flag));
  if (left.length > 0 && !(await isSealed(record))) throw notOwn(what, Object.fromEntries(left), again);
  return { ...valuesOfRecord(table, record.settings), ...given };
}

export function notOwn(what: string, left: SettingValues, again: string): RobustError {
  const words = commandLine('', left).replace(/^robust\s+/, '');
  return new RobustError(
    `${what} names code or an address, which you have not named on this machine as it is now: ${words}`,
    {
      code: 'RUN_NAMES_CODE',
      hint: `A run is data that anyone can write. If you trust these names, give them yourself: ${commandLine(again, left)}`,
    },
  );
}

/** @file Which environment variables decided settings: listed with every result, so that none decides a verdict unseen. */
import type { Override } from '../core/override.js';
import { REDACTED, redactAddresses } from '../core/redact.js';
import { flagOf, type Setting, type Settings } from './setting.js';
import { progressSetting, streamSettings } from './settings/index.js';

/** The value of a flag that an environment variable gives. */
export interface VariableValue {
  readonly flag: string;
  /** Undefined for a flag of a single command. */
  readonly setting: Setting | undefined;
  readonly variable: string;
  readonly value: string;
  /** Where the configuration gives another; undefined where it does not. */
  readonly instead: string | undefined;
}

/** Settings of how output looks: they decide no result. */
const DISPLAY: ReadonlySet<string> = new Set(
  Object.entries({ ...streamSettings, ...progressSetting } as Settings).map(([key, setting]) => flagOf(key, setting)),
);

/** `values` with secrets redacted. */
export const overridesOf = (values: readonly VariableValue[]): readonly (Override & { readonly display: boolean })[] =>
  values.map(({ flag, setting, variable, value, instead = null }) => ({
    variable,
    value: setting?.secret ? REDACTED : redactAddresses(value),
    instead,
    display: DISPLAY.has(flag),
  }));

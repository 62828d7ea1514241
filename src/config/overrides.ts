/** @file Which environment variables decided settings: listed with every result, so that none decides a verdict unseen. */
import type { Override } from '../core/override.js';
import { REDACTED, redactAddresses } from '../core/redact.js';
import type { Setting, Settings } from './setting.js';
import { allowCodeSetting, progressSetting, streamSettings } from './settings/index.js';

/** The value of a flag, from an environment variable where it has a text. */
interface VariableValue {
  /** The variable. */
  readonly origin: string;
  readonly text?: string;
  /** Undefined for a flag of a single command. */
  readonly row: { readonly key: string; readonly setting: Setting } | undefined;
  /** Where the configuration gives another; undefined where it does not. */
  readonly instead: string | undefined;
}

/** Settings of how output looks: they decide no result. */
const DISPLAY: Settings = { ...streamSettings, ...allowCodeSetting, ...progressSetting };

/** The values of variables, with secrets redacted. */
export const overridesOf = (values: readonly VariableValue[]): readonly (Override & { readonly display: boolean })[] =>
  values.flatMap(({ origin: variable, text, row, instead = null }) => {
    if (text === undefined) return [];
    const value = row?.setting.secret ? REDACTED : redactAddresses(text);
    return [{ variable, value, instead, display: row !== undefined && row.key in DISPLAY }];
  });

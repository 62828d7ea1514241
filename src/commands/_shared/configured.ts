/** @file A configuration file as a source of values of flags. */
import type { LoadedConfig } from '../../config/load.js';
import type { Config } from '../../config/schema.js';
import { flagOf, type Settings } from '../../config/setting.js';
import { configurable } from '../../config/settings/index.js';
import type { FlagSource } from './environment.js';

/** Flag -> its path in a configuration. */
const PATHS: ReadonlyMap<string, readonly [keyof Config, string?]> = new Map(
  Object.entries(configurable as Settings).map(([key, setting]) => [
    flagOf(key, setting),
    (typeof setting.configured === 'object' ? setting.configured : [key]) as readonly [keyof Config, string?],
  ]),
);

/** The key of a flag in a configuration. */
export const keyOf = (flag: string): readonly [keyof Config, string?] =>
  PATHS.get(flag) ?? [flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof Config];

export function configured(config: LoadedConfig): FlagSource {
  return {
    read(flag) {
      const [key, inner] = keyOf(flag);
      const setting = (configurable as Settings)[key];
      const said: unknown = config.values[key];
      // Checked when the file was read; what it writes out becomes what stands on the command line.
      const value = said !== undefined && setting?.configured === true ? setting.schema.parse(said) : said;
      return asText(inner === undefined ? value : (value as Record<string, unknown> | undefined)?.[inner]);
    },
    origin: (flag) => config.origin(...keyOf(flag)),
  };
}

/** As it would stand on the command line. */
function asText(value: unknown): string | string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value).map(([from, to]) => `${from}=${to}`);
}

/** What `-c` or `--config` says, before the flags are parsed. */
export function configFlagIn(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  for (const [at, word] of words.entries()) {
    if (word === '-c' || word === '--config') return words[at + 1];
    const joined = /^(?:--config=|-c(?=.))(.+)$/.exec(word)?.[1];
    if (joined !== undefined) return joined;
  }
  return undefined;
}

/** @file A configuration file as a source of values of flags. */
import type { LoadedConfig } from '../../config/load.js';
import type { Config } from '../../config/schema.js';
import type { Source } from './environment.js';

/** Flag -> its key, where that is not the flag in camel case. */
const KEYS: Readonly<Record<string, readonly [keyof Config, string?]>> = {
  suite: ['suites'],
  attack: ['attacks'],
  output: ['outputs'],
  baseline: ['baseline', 'file'],
  'max-increase': ['baseline', 'maxIncrease'],
  'baseline-model': ['baseline', 'model'],
  ratchet: ['baseline', 'ratchet'],
};

/** The key of a flag in a configuration. */
export const keyOf = (flag: string): readonly [keyof Config, string?] =>
  KEYS[flag] ?? [flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof Config];

export function configured(config: LoadedConfig): Source {
  return {
    read(flag) {
      const [key, inner] = keyOf(flag);
      const value: unknown = config.values[key];
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

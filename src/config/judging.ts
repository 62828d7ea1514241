/** @file Requirements that judge a run, from the configuration and the command line. */
import { RobustError } from '../core/errors.js';
import { checkRequirement, metricOf, overrideRequirements, type Requirement } from '../gate/requirements.js';
import type { LoadedConfig } from './load.js';
import type { ConfigValues } from './schema.js';

export interface Judging {
  readonly require: Requirement[];
  readonly waivers: ConfigValues['waivers'];
  /** Where the requirement on a figure was written. */
  originOf(metric: string): string;
}

/**
 * The requirements of a configuration; a requirement in `given` replaces one on the same figure. `where`: `--require` or its variable.
 * Throws RobustError for one that cannot be read.
 */
export function judgingOf(
  config: LoadedConfig | undefined,
  given: readonly Requirement[] = [],
  where = '--require',
): Judging {
  try {
    for (const each of given) checkRequirement(each);
  } catch (error) {
    throw unreadable(error as Error, where);
  }
  const named = new Set(given.map(metricOf));
  return {
    require: [...overrideRequirements(config?.values.require ?? [], given)],
    waivers: config?.values.waivers,
    originOf: (metric) => (named.has(metric) ? where : (config?.origin('require', metric) ?? '')),
  };
}

/** The error for a requirement that cannot be read, or that contradicts another. */
export const unreadable = ({ message }: Error, where: string): RobustError =>
  new RobustError(`${where}: ${message}`, {
    code: 'REQUIREMENT_INVALID',
    hint: 'For example: --require "typos.attackSuccessRate <= 0.3"',
  });

interface ListedSetting {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}

/** Each requirement and waiver with its key and where it was written. */
export const listJudging = (judging: Judging, config: LoadedConfig | undefined): ListedSetting[] => [
  ...judging.require.map((value) => ({
    key: `require.${metricOf(value)}`,
    value,
    origin: judging.originOf(metricOf(value)),
  })),
  ...(judging.waivers ?? []).map((value, at) => ({
    key: `waivers.${at}`,
    value,
    origin: config?.origin('waivers') ?? '',
  })),
];

/** @file From the flags of `robust gate` and the configuration to the rules a run is judged by. */
import { Flags } from '@oclif/core';
import type { LoadedConfig } from '../../config/load.js';
import { UsageError } from '../../core/errors.js';
import {
  BOUNDS,
  type Bound,
  type Defaults,
  MIN_EXAMPLES,
  type Rules,
  thresholdsOf,
  withFlags,
} from '../../gate/index.js';
import { MAX_ERROR_RATE } from './attack-plan.js';
import { wholeNumber } from './flags.js';

const JUDGING = { helpGroup: 'judging' };

export const judgingFlags = {
  threshold: Flags.string({
    ...JUDGING,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'metric<=limit',
    description: 'a threshold, besides or instead of the one in the configuration; repeat',
  }),
  ci: Flags.option({ options: BOUNDS })({
    ...JUDGING,
    description: 'what thresholds judge: the value, or a bound of its 95 % interval [default: value]',
  }),
  'min-examples': wholeNumber(
    'min-examples',
    1,
  )({ ...JUDGING, description: 'a verdict on fewer attacked examples is inconclusive [default: 30]' }),
  'allow-degenerate': Flags.boolean({
    ...JUDGING,
    description: 'judge a victim too that answers all texts alike, or worse than always one class would',
  }),
};

export interface JudgingFlags {
  readonly threshold: readonly string[] | undefined;
  readonly ci: Bound | undefined;
  readonly 'min-examples': number | undefined;
  readonly 'max-error-rate': number | undefined;
  readonly 'allow-degenerate': boolean;
}

/** Throws UsageError for a threshold that cannot be read, or that contradicts another. */
export function rulesOf(flags: JudgingFlags, config: LoadedConfig | undefined, now: Date): Rules {
  const defaults: Defaults = { ci: flags.ci ?? 'value', minExamples: flags['min-examples'] ?? MIN_EXAMPLES };
  const origin = (metric: string): string => config?.origin('thresholds', metric) ?? '';
  const written = thresholdsOf(config?.values.thresholds ?? {}, defaults, origin);
  try {
    return {
      thresholds: withFlags(written, flags.threshold ?? [], defaults),
      waivers: config?.values.waivers ?? [],
      allowDegenerate: flags['allow-degenerate'],
      maxErrorRate: flags['max-error-rate'] ?? MAX_ERROR_RATE,
      minExamples: defaults.minExamples,
      today: now.toISOString().slice(0, 10),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`--threshold: ${error.message}`, {
      code: 'THRESHOLD',
      hint: 'For example: --threshold "typos.attackSuccessRate <= 0.3"',
    });
  }
}

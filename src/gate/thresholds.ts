/** @file From the `thresholds` of a configuration to rules. */
import { type Bound, both, limitsOf, type Threshold } from './threshold.js';

/** As configurations write it. */
export type WrittenThreshold =
  | 'off'
  | readonly ['error' | 'warn' | 'off', string]
  | readonly [
      'error' | 'warn' | 'off',
      string,
      { readonly ci?: Bound | undefined; readonly minExamples?: number | undefined },
    ];

export interface Defaults {
  readonly ci: Bound;
  readonly minExamples: number;
}

/** Those that are not off. Throws RangeError for an expression that is none: a checked configuration has no such. */
export function thresholdsOf(
  written: Readonly<Record<string, WrittenThreshold>>,
  defaults: Defaults,
  origin: (metric: string) => string,
): Threshold[] {
  return Object.entries(written).flatMap(([metric, threshold]) => {
    const [level, expected, own] = threshold === 'off' ? (['off', ''] as const) : threshold;
    if (level === 'off') return [];
    const { ci = defaults.ci, minExamples = defaults.minExamples } = own ?? {};
    return [{ metric, level, expected, limits: limitsOf(expected), ci, minExamples, origin: origin(metric) }];
  });
}

/**
 * `typos.attackSuccessRate <= 0.3` from the command line: one of the same metric in the configuration gives way, two on the
 * command line must both hold. Throws RangeError where it cannot be read, or they contradict each other.
 */
export function withFlags(configured: readonly Threshold[], flags: readonly string[], defaults: Defaults): Threshold[] {
  const given = new Map<string, Threshold>();
  for (const text of flags) {
    const [, metric, expected] = /^\s*([^<>]+?)\s*([<>].*)$/.exec(text) ?? [];
    if (metric === undefined || expected === undefined) {
      throw new RangeError(`expected a metric and a limit, such as "typos.attackSuccessRate <= 0.3", got "${text}"`);
    }
    const threshold: Threshold = {
      ...{ metric, level: 'error', expected, limits: limitsOf(expected), ...defaults, origin: '--threshold' },
    };
    const earlier = given.get(metric);
    given.set(metric, earlier === undefined ? threshold : both(earlier, threshold));
  }
  return [...configured.filter(({ metric }) => !given.has(metric)), ...given.values()];
}

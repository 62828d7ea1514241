/** @file Requirements that a run meets: each limit is the bound on the worse side of a 95 % interval. */
import type { Rate } from '../../core/rate.js';
import type { Report } from '../../core/report.js';
import type { GateResult } from '../../core/verdict.js';
import { gate, MIN_EXAMPLES, thresholdsOf } from '../../gate/index.js';
import { MAX_ERROR_RATE } from './attack-plan.js';

export interface MeasuredThreshold {
  readonly metric: string;
  /** `>= 0.744`: the bound of the rate's 95 % interval on the worse side, rounded outwards to 0.001. */
  readonly limit: string;
  readonly measured: Rate;
}

/** Clean accuracy, each suite, and each attack of no suite. */
export function thresholdsOfRun({ clean, suites, attacks }: Report): MeasuredThreshold[] {
  const single = attacks.filter(({ suite, ownGoal }) => suite === null && !ownGoal);
  return [
    { metric: 'clean.accuracy', limit: `>= ${floor(clean.accuracy.low)}`, measured: clean.accuracy },
    ...[...suites, ...single].map(({ name, attackSuccessRate: measured }) => ({
      metric: `${name}.attackSuccessRate`,
      limit: `<= ${ceiling(measured.high)}`,
      measured,
    })),
  ];
}

/** Rounded outwards, so that the run itself stays within. A missing bound gives a limit that `judgeRun` finds inconclusive. */
const floor = (bound: number | null): string => (Math.floor((bound ?? 0) * 1000) / 1000).toFixed(3);
const ceiling = (bound: number | null): string => (Math.ceil((bound ?? 1) * 1000) / 1000).toFixed(3);

/** No rate is above 1 or below 0: such a limit would judge nothing. */
export const isViolable = ({ limit }: MeasuredThreshold): boolean => !/^(?:<= 1|>= 0)\.000$/.test(limit);

/** Judges a run by thresholds measured on it. `origin` names where they come from, for messages. */
export function judgeRun(report: Report, thresholds: readonly MeasuredThreshold[], origin: string): GateResult {
  const required = thresholds.map(({ metric, limit }) => `${metric} ${limit}`);
  return gate(report, {
    thresholds: thresholdsOf(required, { ci: 'value', minExamples: MIN_EXAMPLES }, () => origin),
    waivers: [],
    maxErrorRate: MAX_ERROR_RATE,
    minExamples: MIN_EXAMPLES,
    today: new Date().toISOString().slice(0, 10),
  }).gate;
}

/** @file Requirements as they are written, `typos.attackSuccessRate <= 0.3`, and their thresholds. */
import { type Basis, both, EXPRESSION, limitsOf, type Threshold } from './threshold.js';

/** A figure and its limit, or these with how they are judged. */
export type Requirement =
  | string
  | {
      readonly limit: string;
      readonly level?: 'error' | 'warn' | 'off' | undefined;
      readonly ci?: Basis | undefined;
      readonly minExamples?: number | undefined;
    };

export interface Defaults {
  readonly ci: Basis;
  readonly minExamples: number;
}

/** Splits `typos.attackSuccessRate <= 0.3`; `expected` is missing where there is no comparison. */
const PARTS = /^\s*([^<>]+?)\s*([<>].*)?$/;

/** For the published schema: a text that `checkRequirement` takes. */
export const REQUIREMENT = `^\\s*[^<>\\s][^<>]*${EXPRESSION.slice(1)}`;

type JudgedRequirement = Exclude<Requirement, string>;

const format = (requirement: Requirement): JudgedRequirement =>
  typeof requirement === 'string' ? { limit: requirement } : requirement;

/** The figure that a requirement is about. Throws RangeError for one that names none. */
export function metricOf(requirement: Requirement): string {
  const { limit } = format(requirement);
  const metric = PARTS.exec(limit)?.[1];
  if (metric === undefined) throw notOne(limit);
  return metric;
}

const notOne = (text: string): RangeError =>
  new RangeError(`expected a figure and its limit, such as "typos.attackSuccessRate <= 0.3", got "${text}"`);

/** Throws RangeError for a requirement that cannot be read, or that no number can meet. */
export function checkRequirement(requirement: Requirement): void {
  const { limit, level } = format(requirement);
  metricOf(requirement);
  const expected = PARTS.exec(limit)?.[2];
  if (expected !== undefined) limitsOf(expected);
  else if (level !== 'off') throw notOne(limit);
}

/** The requirements of both, without those of `below` about a figure that `above` names too. */
export function overrideRequirements(
  below: readonly Requirement[],
  above: readonly Requirement[],
): readonly Requirement[] {
  const named = new Set(above.map(metricOf));
  return [...below.filter((each) => !named.has(metricOf(each))), ...above];
}

/**
 * The thresholds of requirements, without those that are off. Two of one figure must both hold. Throws RangeError where one cannot be
 * read, or they contradict each other.
 */
export function thresholdsOf(
  requirements: readonly Requirement[],
  defaults: Defaults,
  origin: (metric: string) => string,
): Threshold[] {
  const thresholds = new Map<string, Threshold>();
  for (const requirement of requirements) {
    checkRequirement(requirement);
    const { limit, level = 'error', ci = defaults.ci, minExamples = defaults.minExamples } = format(requirement);
    if (level === 'off') continue;
    const metric = metricOf(requirement);
    const expected = PARTS.exec(limit)?.[2] as string;
    const threshold = { metric, level, expected, limits: limitsOf(expected), ci, minExamples, origin: origin(metric) };
    const alike = JSON.stringify([metric, level, ci, minExamples]);
    const earlier = thresholds.get(alike);
    thresholds.set(alike, earlier === undefined ? threshold : both(earlier, threshold));
  }
  return [...thresholds.values()];
}

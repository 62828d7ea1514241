/** @file A limit on a figure, `<= 0.30`, and when a figure meets it. */
import { RobustError } from '../core/errors.js';

/** What is compared with a limit: the whole 95 % interval of the figure, or its value alone. */
export const BASES = ['interval', 'value'] as const;
export type Basis = (typeof BASES)[number];

/** The default: on fewer examples a rate's 95 % interval is wider than 35 points. */
export const MIN_EXAMPLES = 30;

export interface Limit {
  readonly operator: '<=' | '<' | '>=' | '>';
  readonly limit: number;
}

export interface Threshold {
  /** `<suite | attack | overall | clean>.<metric>`. */
  readonly metric: string;
  readonly level: 'error' | 'warn';
  /** As it was written. */
  readonly expected: string;
  /** All of them must hold. */
  readonly limits: readonly Limit[];
  readonly ci: Basis;
  /** Fewer examples than this say nothing. */
  readonly minExamples: number;
  /** Where it was written, for messages. */
  readonly origin: string;
}

const LIMIT = /^(<=|>=|<|>)\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/;

/** For the published schema: the same as `limitsOf` takes. */
export const EXPRESSION =
  '^\\s*(<=|>=|<|>)\\s*(\\d+(\\.\\d+)?|\\.\\d+)\\s*%?(\\s+and\\s+(<=|>=|<|>)\\s*(\\d+(\\.\\d+)?|\\.\\d+)\\s*%?)?\\s*$';

export const isUpper = ({ operator }: Limit): boolean => operator === '<=' || operator === '<';

/** `<= 0.30`, `>= 90 %`, or `>= 0.10 and <= 0.30`. Throws RangeError for another text, and for limits that no number can meet. */
export function limitsOf(expression: string): Limit[] {
  const parts = expression.trim().split(/\s+and\s+/);
  const limits = parts.map((part): Limit => {
    const [, operator, number, percent] = LIMIT.exec(part.trim()) ?? [];
    if (operator === undefined) {
      throw new RangeError(`expected a limit such as "<= 0.30" or ">= 0.10 and <= 0.30", got "${expression}"`);
    }
    return { operator: operator as Limit['operator'], limit: Number(number) / (percent ? 100 : 1) };
  });
  if (parts.length > 2) throw new RangeError(`expected one limit or two, got "${expression}"`);
  checkMeetable(limits, expression);
  return limits;
}

/** Throws RangeError where no number can meet all limits. */
function checkMeetable(limits: readonly Limit[], written: string): void {
  for (const upper of limits.filter(isUpper)) {
    for (const lower of limits.filter((each) => !isUpper(each))) {
      const touching = upper.limit === lower.limit && upper.operator === '<=' && lower.operator === '>=';
      if (lower.limit < upper.limit || touching) continue;
      throw new RangeError(`contradictory limits: no number is ${written}`);
    }
  }
}

export const meetsLimits = (figure: number, { operator, limit }: Limit): boolean => {
  switch (operator) {
    case '<=':
      return figure <= limit;
    case '<':
      return figure < limit;
    case '>=':
      return figure >= limit;
    default:
      return figure > limit;
  }
};

/** Refuses limits of a fraction that no fraction can break, or none can meet: `<= 30` was meant to be `<= 0.30`. Throws RobustError. */
export function checkFraction({ metric, expected, limits, origin }: Threshold): void {
  const wrong = limits.find(({ limit }) => limit > 1);
  if (wrong === undefined) return;
  throw new RobustError(`${origin}: ${metric}: expected a limit from 0 to 1, or in percent, got "${expected}"`, {
    code: 'REQUIREMENT_INVALID',
    hint: `Did you mean "${wrong.operator} ${wrong.limit / 100}" or "${wrong.operator} ${wrong.limit} %"?`,
  });
}

/** Two thresholds of one metric, from two flags, as one. Throws RangeError where they contradict each other. */
export function both(a: Threshold, b: Threshold): Threshold {
  const limits = [...a.limits, ...b.limits];
  const expected = `${a.expected} and ${b.expected}`;
  checkMeetable(limits, expected);
  return { ...a, limits, expected };
}

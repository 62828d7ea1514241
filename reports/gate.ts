/** @file A gate's verdict as lines, one a question: did this threshold hold, did this rate become worse? For every format alike. */
import type { GateResult, Rate, Verdict } from '../src/index.js';
import { interval, percent } from './figures.js';

export interface GateLine {
  /** An attack, a suite, `overall` or `clean`. */
  readonly subject: string;
  /** What was asked: `typos.attackSuccessRate <= 0.30`. */
  readonly asked: string;
  /** What was found: `41.2 % [35-48], n = 161`. */
  readonly found: string;
  readonly verdict: Exclude<Verdict, 'none'>;
  /** Only a broken error fails the gate. */
  readonly level: 'error' | 'warn';
  /** Somebody answers for it: it does not count. */
  readonly waived: boolean;
  /** Why it is inconclusive, and who answers for it. */
  readonly notes: readonly string[];
}

/** Does the line keep the gate from passing? Warnings and what was waived do not. */
export const blocks = ({ level, verdict, waived }: GateLine): boolean =>
  level === 'error' && verdict !== 'passed' && !waived;

const rate = (of: Rate): string =>
  of.value === null
    ? 'not measured'
    : of.low === null
      ? String(Number(of.value.toPrecision(4)))
      : `${percent(of.value)} [${interval(of)}], n = ${of.n}`;

/** Every threshold, then every change against the baseline. */
export function gateLines({ thresholds, baseline }: GateResult): GateLine[] {
  const held = thresholds.map((one) => ({
    subject: one.metric.split('.')[0] as string,
    asked: `${one.metric} ${one.expected}${one.ci === 'value' ? '' : `, ${one.ci} bound`}`,
    found: rate(one.actual),
    verdict: one.verdict,
    level: one.level,
    waived: one.waiver !== undefined,
    notes: [
      ...(one.reason === undefined ? [] : [one.reason]),
      ...(one.without === undefined
        ? []
        : [`without ${one.without.join(', ')}, left out of the run or not applicable to its texts`]),
      ...(one.waiver === undefined
        ? []
        : [`waived by ${one.waiver.owner} until ${one.waiver.expires}: ${one.waiver.reason}`]),
    ],
  }));
  const changed = (baseline?.changes ?? []).map((one) => ({
    subject: one.name,
    asked: `${one.name}.${one.metric} against the baseline, allowed ${percent(baseline?.maxIncrease ?? 0)}`,
    found: `${percent(one.baseline.value)} -> ${percent(one.current.value)}, ${one.worse} worse, ${one.better} better, p = ${Number(one.adjustedP.toPrecision(3))}`,
    verdict: one.verdict,
    level: 'error' as const,
    waived: false,
    notes: one.reason === undefined ? [] : [one.reason],
  }));
  return [...held, ...changed];
}

import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';
import type { Report } from '../results/report/report.js';
import type { GateResult } from '../results/report/verdict.js';
import { type Judgement, judge, type Rules } from './judge.js';

export interface GatedReport {
  readonly gate: GateResult;
  readonly warnings: readonly string[];
}

type Counted = { readonly verdict: GateResult['verdict'] };

/** Throws RobustError where there is neither a requirement nor a baseline to judge by. */
export function checkJudgeable({ thresholds }: Pick<Rules, 'thresholds'>, baseline: boolean): void {
  if (thresholds.length > 0 || baseline) return;
  throw new RobustError('expected requirements or a baseline to judge by, got none', {
    code: 'REQUIREMENT_INVALID',
    hint: 'robust init writes a configuration with requirements; or give --require "overall.accuracyUnderAttack >= 0.5".',
  });
}

/**
 * The verdict on a run. It is failed if a threshold or the baseline failed; else inconclusive if one of them is, if the run has too
 * little evidence, or if nothing could be judged; else passed. Warnings and waived thresholds do not count. Throws RobustError without
 * anything to judge by.
 */
export function gate(report: Omit<Report, 'examples'>, rules: Rules, baseline?: GateResult['baseline']): GatedReport {
  checkJudgeable(rules, baseline !== undefined);
  const { thresholds, reasons, warnings }: Judgement = judge(report, rules);
  const counted: Counted[] = [
    ...thresholds.filter(({ level, waiver }) => level === 'error' && waiver === undefined),
    ...(baseline === undefined ? [] : [baseline]),
  ];
  const judged: Counted[] = [...thresholds, ...(baseline === undefined ? [] : [baseline])];
  const nothing = judged.every((each) => each.verdict === 'inconclusive');
  const verdict = counted.some((each) => each.verdict === 'failed')
    ? 'failed'
    : reasons.length > 0 || nothing || counted.some((each) => each.verdict === 'inconclusive')
      ? 'inconclusive'
      : 'passed';
  return { gate: { verdict, thresholds, ...defined({ baseline }), reasons }, warnings };
}

/** All that keeps a gate from passing, a line each: also why single thresholds and changes are inconclusive. */
export const reasonsOf = ({ verdict, thresholds, baseline, reasons }: GateResult): string[] =>
  verdict === 'inconclusive'
    ? [
        ...reasons,
        ...thresholds.flatMap((one) => (one.verdict === 'inconclusive' ? [`${one.metric}: ${one.reason}`] : [])),
        ...(baseline?.changes ?? []).flatMap((one) =>
          one.verdict === 'inconclusive' && one.level !== 'warn'
            ? [`${one.name}.${one.metric} against the baseline: ${one.reason}`]
            : [],
        ),
      ]
    : [...reasons];

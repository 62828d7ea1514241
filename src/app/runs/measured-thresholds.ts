/**
 * @file What a gate should demand after a run: limits that protect something. A limit is the bound on the worse side of a 95 % interval, so that
 * this run meets it. Where little is left to protect, later models must be no worse than this run; where the sample is too small, more is needed.
 */
import { must } from '../../core/errors.js';
import type { Rate } from '../../core/statistics/rate.js';
import { Z95 } from '../../core/statistics/stats.js';
import { gate, MIN_EXAMPLES, thresholdsOf } from '../../gate/index.js';
import type { Report } from '../../results/report/report.js';
import type { GateResult } from '../../results/report/verdict.js';
import { MAX_ERROR_RATE } from './attack-plan.js';

export interface MeasuredThreshold {
  readonly metric: string;
  /** `>= 74.4 %`: the bound of the 95 % interval on the worse side, rounded outwards. */
  readonly limit: string;
  readonly measured: Rate;
}

export interface SuggestedGate {
  readonly thresholds: readonly MeasuredThreshold[];
  /** Later models are to be compared with this run: a limit on what it has left would protect hardly anything. */
  readonly baseline: boolean;
  /** Examples that a run needs for limits that protect, where this one has fewer. */
  readonly needed?: number;
}

interface Candidate {
  readonly metric: string;
  readonly measured: Rate;
  readonly better: 'higher' | 'lower';
}

/** A limit leaves the model at least this much, ... */
const WORTH = 0.1;
/** ... and lets it lose at most this much. */
const SLACK = 0.15;

/** The figures that matter for the task: without attack, and under all attacks together. */
function candidatesOf({ model, clean, overall, tags }: Report): { clean: Candidate[]; attacked: Candidate[] } {
  const higher = (metric: string, measured: Rate): Candidate => ({ metric, measured, better: 'higher' });
  const lower = (metric: string, measured: Rate): Candidate => ({ metric, measured, better: 'lower' });
  if (tags !== undefined) {
    const [worst] = [...tags.byType].sort((a, b) => (b.leakRate.value ?? 0) - (a.leakRate.value ?? 0));
    const ofWorst = worst === undefined ? [] : [lower(`tags.leakRate.${worst.label}`, worst.leakRate)];
    return { clean: [], attacked: [...ofWorst, higher('tags.recallUnderAttack', tags.recallUnderAttack)] };
  }
  const { recallUnderAttack, falsePositiveRateUnderAttack } = overall;
  if (clean.falsePositiveRate !== undefined && (recallUnderAttack ?? falsePositiveRateUnderAttack) !== undefined) {
    return recallUnderAttack === undefined
      ? { clean: [], attacked: [lower('overall.falsePositiveRateUnderAttack', must(falsePositiveRateUnderAttack))] }
      : {
          clean: [lower('clean.falsePositiveRate', clean.falsePositiveRate)],
          attacked: [higher('overall.recallUnderAttack', recallUnderAttack)],
        };
  }
  const { labelSets } = clean;
  return {
    clean:
      labelSets === undefined || model.decision?.kind !== 'multi-label'
        ? [higher('clean.accuracy', clean.accuracy)]
        : [
            higher('clean.labelSets.microPrecision', labelSets.microPrecision),
            higher('clean.labelSets.microRecall', labelSets.microRecall),
          ],
    attacked: [higher('overall.accuracyUnderAttack', overall.accuracyUnderAttack)],
  };
}

/** Undefined for a run on which nothing was attacked, or whose attacks leave nothing that could be protected. */
export function suggestGate(report: Report): SuggestedGate | undefined {
  const { clean, attacked } = candidatesOf(report);
  const all = [...clean, ...attacked];
  const { n } = report.overall.attackSuccessRate;
  if (n === 0 || all.some(({ measured }) => measured.n === 0)) return undefined;
  const left = attacked.filter(isLeft);
  if (left.length === 0) return undefined;
  const needed = neededExamples(report, [...clean, ...left]);
  if (needed !== undefined) return { thresholds: [], baseline: false, needed };
  const limits = [...clean, ...left].filter(protects).map(limited);
  const baseline = !attacked.every(protects);
  // Something must be left of what is compared.
  const thresholds = [...limits, ...left.filter((each) => !protects(each)).map(aboveNothing)];
  return judgeRun(report, thresholds, 'run').verdict === 'passed' ? { thresholds, baseline } : undefined;
}

/** Limits that nobody has chosen yet, by the last part of the figure's name or that before a type: a weak model misses them. */
const SCAFFOLD: Readonly<Record<string, string>> = {
  accuracy: '>= 80 %',
  microPrecision: '>= 80 %',
  microRecall: '>= 80 %',
  falsePositiveRate: '<= 5 %',
  falsePositiveRateUnderAttack: '<= 20 %',
  recallUnderAttack: '>= 50 %',
  accuracyUnderAttack: '>= 30 %',
  leakRate: '<= 20 %',
};

/** The limits of a scaffold for the task of a run, and the examples that a gate by them needs. */
export function scaffoldedGate(report: Report) {
  const { clean, attacked } = candidatesOf(report);
  const thresholds = [...clean, ...attacked].map(({ metric, measured }): MeasuredThreshold => {
    const figure = must(metric.split('.').find((part) => part in SCAFFOLD));
    return { metric, measured, limit: must(SCAFFOLD[figure]) };
  });
  return { thresholds, numExamples: Math.max(200, neededExamples(report, attacked) ?? 0) };
}

/** Whether attacks leave anything of it. */
const isLeft = ({ measured: { value }, better }: Candidate): boolean =>
  better === 'higher' ? must(value) > 0 : must(value) < 1;

/** The worse bound, as the share that is left: of a figure of which less is better, what is not lost. */
function boundOf({ measured: { low, high }, better }: Candidate): number {
  return better === 'higher' ? must(low) : 1 - must(high);
}

/** Whether a limit at the bound is worth having, and missed for certain by a model of which nothing is left. */
const protects = (of: Candidate): boolean =>
  boundOf(of) >= Math.max(WORTH, Z95 ** 2 / (of.measured.n + Z95 ** 2) + 1e-3);

/** Examples of a run whose limits would let a model lose no more than `SLACK`, if this one is too small. */
function neededExamples({ data, overall }: Report, candidates: readonly Candidate[]): number | undefined {
  const growth = candidates.map((each) => {
    const { value, n } = each.measured;
    const slack = Math.abs((each.better === 'higher' ? must(value) : 1 - must(value)) - boundOf(each));
    return Math.max(MIN_EXAMPLES / n, slack > SLACK ? (1.05 * slack) ** 2 / SLACK ** 2 : 0);
  });
  const most = Math.max(MIN_EXAMPLES / overall.attackSuccessRate.n, ...growth);
  return most > 1 ? Math.ceil(most * data.examples) : undefined;
}

/** Rounded outwards, so that the run itself stays within; never below 1 %, which would be taken for a hundredth of what is meant. */
function limited({ metric, measured, better }: Candidate): MeasuredThreshold {
  const [low, high] = [Math.floor(1000 * must(measured.low)) / 10, Math.ceil(1000 * must(measured.high)) / 10];
  return { metric, measured, limit: better === 'higher' ? `>= ${low} %` : `<= ${Math.max(1, high)} %` };
}

/** Something must be left of what is compared with the baseline. */
const aboveNothing = ({ metric, measured, better }: Candidate): MeasuredThreshold => ({
  metric,
  measured,
  limit: better === 'higher' ? '> 0 %' : '< 100 %',
});

/** Judges a run by thresholds measured on it. `origin` names where they come from, for messages. */
function judgeRun(report: Report, thresholds: readonly MeasuredThreshold[], origin: string): GateResult {
  const required = thresholds.map(({ metric, limit }) => `${metric} ${limit}`);
  return gate(report, {
    thresholds: thresholdsOf(required, { ci: 'interval', minExamples: MIN_EXAMPLES }, () => origin),
    waivers: [],
    maxErrorRate: MAX_ERROR_RATE,
    minExamples: MIN_EXAMPLES,
    today: new Date().toISOString().slice(0, 10),
  }).gate;
}

/** @file Judge a model by requirements and a baseline. */
import { unreadable } from '../config/judging.js';
import type { Config } from '../config/schema.js';
import type { GivenValues, Values } from '../config/setting.js';
import { gateSettings } from '../config/settings/index.js';
import type { Override } from '../core/override.js';
import {
  type Baseline,
  baselineOf,
  checkJudgeable,
  checkRules,
  checkSense,
  checkWaiverDays,
  compareBaseline,
  type Defaults,
  isBetter,
  gate as judged,
  MIN_EXAMPLES,
  type Requirement,
  type Rules,
  reasonsOf,
  thresholdsOf,
} from '../gate/index.js';
import type { Provenance, Report } from '../results/report/report.js';
import type { GateResult } from '../results/report/verdict.js';
import type { PlannedAttack } from '../run/index.js';
import { attackAndReport } from './attack.js';
import { transferChoice } from './attacks/transfer-attack.js';
import { Context, type UseCaseHooks, withDefaults } from './context.js';
import { MAX_ERROR_RATE } from './runs/attack-plan.js';
import { MAX_INCREASE, readBaseline, writeBaseline } from './runs/baseline-file.js';
import { openReport } from './runs/open-report.js';

export interface GateOptions extends GivenValues<typeof gateSettings>, UseCaseHooks {
  /** Judge this finished run, by id or folder, the "latest", or a report.json. Attacks without it. */
  readonly run?: string | undefined;
  readonly waivers?: Config['waivers'] | undefined;
  /** Where a requirement was written, for messages. */
  readonly originOf?: ((metric: string) => string) | undefined;
}

/** The judged report: `gate` says why, `verdict` and `reasons` what. Throws as `attack` does, and RobustError for rules that make no sense. */
export async function gate(options: GateOptions = {}): Promise<Report> {
  const { run, waivers, originOf, ...given } = options;
  const choice = withDefaults(gateSettings, given);
  const { require = [] } = choice;
  const context = new Context(options, choice);
  const all = rulesOf(choice, { require, waivers, originOf }, new Date());
  checkSense(all.thresholds);
  checkWaiverDays(all.waivers, all.today);
  const rules = ofThisRun(all, choice.transfer !== undefined);
  const baseline = savedBaseline(choice, options.made?.origins.baseline);
  // Before the first query.
  checkJudgeable(rules, baseline !== undefined);
  const report = await reportToJudge(run, choice, rules, context);
  const against = baseline && (await compared(report, baseline, choice, rules, context));
  // A clock set back lets no waiver live longer: what was written has been.
  const created = report.provenance?.created.slice(0, 10) ?? '';
  const today = created > rules.today ? created : rules.today;
  const { gate: result, warnings } = judged(report, { ...rules, today }, against);
  for (const warning of warnings) context.warn(warning);
  if (choice.ratchet && against && result.verdict === 'passed' && isBetter(against)) {
    writeBaseline(against.file, await baselineOf(report));
    context.hooks.onNote?.(`Better than the baseline, which is now this run: commit ${against.file}`);
  }
  return {
    ...report,
    ...(report.provenance && { provenance: withOverrides(report.provenance, options.made?.overrides ?? []) }),
    gate: result,
    verdict: result.verdict,
    reasons: reasonsOf(result),
    warnings: [...new Set([...report.warnings, ...context.warnings])],
  };
}

type GateChoice = Values<typeof gateSettings>;

interface SavedBaseline {
  readonly file: string;
  readonly saved: Baseline;
}

/** A baseline of other attacks says nothing about saved texts, unless it was given for them. */
function savedBaseline({ baseline: file, transfer }: GateChoice, origin = 'flag'): SavedBaseline | undefined {
  const meant = transfer === undefined || origin === 'flag';
  return file === undefined || !meant ? undefined : { file, saved: readBaseline(file) };
}

/** The run that was named, or a new one. */
async function reportToJudge(
  run: string | undefined,
  choice: GateChoice,
  rules: Rules,
  context: Context,
): Promise<Report> {
  if (run !== undefined) return (await openReport(run, { allowPartial: choice.allowPartial })).report;
  const attacked = choice.transfer === undefined ? choice : { ...choice, ...transferChoice(choice.transfer) };
  const check = (attacks: readonly PlannedAttack[]): void =>
    checkRules(rules, {
      attacks: attacks.map(({ label, suite, plugin: { measures = [] } }) => ({
        name: label,
        suite,
        measures: measures.map(({ name }) => name),
      })),
    });
  return attackAndReport({ ...attacked, shard: undefined }, context, { check });
}

/** A run keeps the variables it was made with; those of this gate are added. */
function withOverrides(of: Provenance, own: readonly Override[]): Provenance {
  const all = new Map([...(of.overrides ?? []), ...own].map((each) => [`${each.variable}=${each.value}`, each]));
  return { ...of, overrides: [...all.values()] };
}

/** The requirements that such a run can answer: those of `transfer` are for saved texts, the others for attacks. */
function ofThisRun(rules: Rules, cheap: boolean): Rules {
  const about = ({ metric }: { readonly metric: string }): boolean => metric.startsWith('transfer.') === cheap;
  return { ...rules, thresholds: rules.thresholds.filter(about), waivers: rules.waivers.filter(about) };
}

/** Throws RobustError for a requirement that cannot be read, or that contradicts another. */
function rulesOf(
  choice: GateChoice,
  { require, waivers, originOf }: Pick<GateOptions, 'waivers' | 'originOf'> & { require: readonly Requirement[] },
  now: Date,
): Rules {
  const defaults: Defaults = { ci: choice.ci ?? 'interval', minExamples: choice.minExamples ?? MIN_EXAMPLES };
  try {
    return {
      thresholds: thresholdsOf(require, defaults, (metric) => originOf?.(metric) ?? '--require'),
      waivers: waivers ?? [],
      maxErrorRate: choice.maxErrorRate ?? MAX_ERROR_RATE,
      allowDegenerate: choice.allowDegenerate,
      minExamples: defaults.minExamples,
      today: now.toISOString().slice(0, 10),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unreadable(error, '--require');
  }
}

async function compared(
  report: Report,
  { file, saved: baseline }: SavedBaseline,
  { maxIncrease, baselineModel: model }: GateChoice,
  { maxErrorRate, minExamples }: Rules,
  context: Context,
): Promise<GateResult['baseline']> {
  // Missing outcomes keep the gate from passing anyway.
  const { partial: _, ...whole } = report;
  if (baseline.toolVersion !== report.toolVersion) {
    context.warn(
      `the baseline is of robust ${baseline.toolVersion}, this run of ${report.toolVersion}: attacks may differ`,
    );
  }
  return compareBaseline(baseline, await baselineOf(whole), {
    file,
    maxIncrease: maxIncrease ?? MAX_INCREASE,
    model,
    maxErrorRate,
    minExamples,
  });
}

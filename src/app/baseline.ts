/** @file An earlier run that later ones are compared with: ids and bits, no texts. */
import { type GivenValues, nonEmptyText, type Settings } from '../config/setting.js';
import { baselineSettings, gateSettings } from '../config/settings/index.js';
import { must, RobustError } from '../core/errors.js';
import { writeNamed } from '../files/write.js';
import { baselineOf, compareBaseline, evidenceReasons, MIN_EXAMPLES } from '../gate/index.js';
import type { GateResult } from '../results/report/verdict.js';
import { transferText } from './attacks/transfer-attack.js';
import { followUp } from './command-line.js';
import { withDefaults } from './context.js';
import { MAX_ERROR_RATE } from './runs/attack-plan.js';
import { BASELINE, MAX_INCREASE, readBaseline, writeBaseline } from './runs/baseline-file.js';
import { settingsInForce } from './runs/next-command.js';
import { openReport } from './runs/open-report.js';

const { group: _, ...file } = baselineSettings.baseline;

export const saveBaselineSettings = {
  baseline: { ...file, help: `file to write; may be an earlier baseline [default: ${BASELINE}]` },
  transfer: {
    schema: nonEmptyText.optional(),
    value: 'file.jsonl',
    help: 'also write the adversarial texts of the run to this file',
  },
} as const satisfies Settings;

export interface SaveBaselineOptions extends GivenValues<typeof saveBaselineSettings> {
  /** Id or folder of a run, or a report.json. @default 'latest' */
  readonly run?: string | undefined;
}

export interface DiffBaselineOptions extends GivenValues<typeof baselineSettings> {
  /** Id or folder of a run, or a report.json. @default 'latest' */
  readonly run?: string | undefined;
}

/** The gate that compares later models with this baseline of a run, under its settings. Throws RobustError. */
export async function gateOfBaseline(run: string, file: string): Promise<string> {
  const { report } = await openReport(run);
  return followUp('gate', gateSettings, settingsInForce(report), { baseline: file });
}

/** Writes a baseline. Throws RobustError, OutputError. */
export async function saveBaseline({ run = 'latest', ...options }: SaveBaselineOptions = {}) {
  const { baseline: file = BASELINE, transfer } = withDefaults(saveBaselineSettings, options);
  const { report } = await openReport(run);
  const baseline = await baselineOf(report);
  if (report.reasons !== undefined && report.gate === undefined) throw inconclusive(report.reasons);
  writeBaseline(file, baseline);
  const saved = transfer === undefined ? undefined : await transferText(report);
  if (saved) writeNamed(must(transfer), saved.text, 'the adversarial texts');
  return {
    file,
    model: baseline.model,
    examples: baseline.ids.length,
    attacks: baseline.attacks.map(({ name }) => name),
    ...(saved && { transfer: { file: must(transfer), texts: saved.count } }),
  };
}

const inconclusive = (reasons: readonly string[]): RobustError =>
  new RobustError(
    `expected a run that later ones can be compared with, got an inconclusive one: ${reasons.join('; ')}`,
    { code: 'INCONCLUSIVE', hint: 'Remove the cause, and attack again: robust attack.' },
  );

/** The comparison with a baseline, and what else would keep a gate from passing. */
export type BaselineDiff = NonNullable<GateResult['baseline']> & Pick<GateResult, 'reasons'>;

/** The comparison of a run with a baseline as `gate` makes it. Throws RobustError. */
export async function diffBaseline({ run = 'latest', ...options }: DiffBaselineOptions = {}): Promise<BaselineDiff> {
  const { baseline: file = BASELINE, maxIncrease, baselineModel } = withDefaults(baselineSettings, options);
  const saved = readBaseline(file);
  const { report } = await openReport(run);
  const compared = compareBaseline(saved, await baselineOf(report), {
    file,
    maxIncrease: maxIncrease ?? MAX_INCREASE,
    model: baselineModel,
    maxErrorRate: MAX_ERROR_RATE,
    minExamples: MIN_EXAMPLES,
  });
  const reasons = evidenceReasons(report, { maxErrorRate: MAX_ERROR_RATE, minExamples: MIN_EXAMPLES });
  return reasons.length === 0 || compared.verdict === 'failed'
    ? { ...compared, reasons }
    : { ...compared, verdict: 'inconclusive', reasons };
}

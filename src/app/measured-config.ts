/** @file A configuration that a run begins: its settings, and thresholds at what it measured. */
import { stringify } from 'yaml';
import { configOf } from '../config/schema.js';
import { configurable } from '../config/settings/index.js';
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { evidenceReasons, MIN_EXAMPLES } from '../gate/index.js';
import type { Report } from '../results/report/report.js';
import type { RunFolder } from '../run/index.js';
import { type SettingValues, valuesOfRecord } from './command-line.js';
import { schemaComment } from './published.js';
import { MAX_ERROR_RATE } from './runs/attack-plan.js';
import { BASELINE } from './runs/baseline-file.js';
import { type MeasuredThreshold, type SuggestedGate, scaffoldedGate, suggestGate } from './runs/measured-thresholds.js';
import { openReport } from './runs/open-report.js';
import { isOwnRecord, notOwn, reachingSettings } from './runs/recorded-settings.js';

export interface MeasuredConfig {
  readonly run: string;
  readonly thresholds: readonly MeasuredThreshold[];
  /** Later models are compared with this run, which is to be saved. */
  readonly baseline: boolean;
  /** YAML with comments. */
  readonly text: string;
  /** Why its requirements are not those of the model alone under the attacks as they are. */
  readonly notes: readonly string[];
}

/**
 * `run`: by id or folder, the "latest", or a report.json. Throws as reading these does, and RobustError EXAMPLES_TOO_FEW for a run on
 * which a gate with these thresholds would not pass: a part of a run, too few examples, a victim that answers all texts alike.
 */
export async function measuredConfig(run: string): Promise<MeasuredConfig> {
  const { report, folder } = await openReport(run);
  await checkOwn(report, folder);
  const suggested = evidenceOf(report);
  const notes = restrictionsOf(report);
  const { thresholds, baseline } = suggested;
  return { run: report.run, thresholds, baseline, text: configText(report, suggested, { notes }), notes };
}

/** Settings that change what attacks may do or which examples they get: they make a model look more robust, or measure another quantity. */
const RESTRICTIONS = ['constraints', 'protect', 'goal', 'queryBudget', 'offset'] as const;

function restrictionsOf(report: Report): string[] {
  const settings = settingsOf(report);
  const restricted = RESTRICTIONS.filter((key) => settings[key] !== undefined).map(
    (key) => `${key}: ${JSON.stringify(settings[key])}`,
  );
  const defence = settings.defend === undefined ? undefined : [settings.defend].flat().join(', ');
  return [
    ...(defence === undefined
      ? []
      : [
          `run ${report.run} attacked the model behind ${defence}. The configuration keeps that defence, and its requirements do not apply to the model alone. For those, use a run without --defend`,
        ]),
    ...(restricted.length === 0
      ? []
      : [
          `run ${report.run} was restricted by ${restricted.join(', ')}. The configuration keeps the restriction, and its requirements apply only under it. For others, use a run without it`,
        ]),
  ];
}

/** A configuration names code that runs, so only this user may choose the names. Throws RobustError RUN_NAMES_CODE. */
async function checkOwn(report: Report, folder: RunFolder | undefined): Promise<void> {
  const settings = recordedIn(report);
  if (await isOwnRecord(configurable, folder ? folder.record : { settings })) return;
  throw notOwn(`run ${report.run}`, reachingSettings(configurable, settings), `attack --resume ${report.run}`);
}

const recordedIn = ({ provenance }: Report): SettingValues =>
  Object.fromEntries(Object.entries(provenance?.settings ?? {}).map(([name, { value }]) => [name, value]));

/** The gate that this run supports. Where attacks leave nothing, one that fails until they do. */
function evidenceOf(report: Report): SuggestedGate {
  const rules = { maxErrorRate: MAX_ERROR_RATE, minExamples: MIN_EXAMPLES };
  const reasons = evidenceReasons(report, rules);
  const suggested = suggestGate(report);
  if (suggested?.needed === undefined && reasons.length === 0) {
    if (suggested !== undefined) return suggested;
    const { attackSuccessRate, accuracyUnderAttack } = report.overall;
    if (
      attackSuccessRate.n >= MIN_EXAMPLES &&
      (accuracyUnderAttack.value === 0 || report.overall.recallUnderAttack?.value === 0)
    )
      return { ...scaffoldedGate(report), baseline: false };
    reasons.push('no attack whose success a gate judges was run');
  }
  if (suggested?.needed !== undefined) reasons.push(`limits that protect need about ${suggested.needed} examples`);
  throw new RobustError(
    `--from: expected a run that says enough to set thresholds by, got ${report.run}:\n${reasons.join('\n')}`,
    {
      code: 'EXAMPLES_TOO_FEW',
      hint: `Attack more examples${suggested?.needed === undefined ? ', all of them with -n 0' : `, -n ${suggested.needed}`}, and give that run.`,
    },
  );
}

/** The settings that decide the run's results, by their keys in the configuration. */
function settingsOf(report: Report): Readonly<Record<string, unknown>> {
  const { run } = report;
  const recorded = recordedIn(report);
  const values = valuesOfRecord(configurable, recorded);
  if (values.model === undefined || Object.keys(values).length < Object.keys(recorded).length)
    throw new RobustError(`--from: expected a run whose settings a configuration can hold, got ${run}`, {
      code: 'RUN_UNSUPPORTED',
      hint: 'Give the id of a run of robust attack; settings that only the command line has cannot be written.',
    });
  return values;
}

interface ConfigRemarks {
  readonly notes?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly about?: readonly string[];
}

const percent = (share: number | null): string => `${(100 * (share ?? 0)).toFixed(1)} %`;

/** `settings`: those that differ from the run's; `about`: comments on the requirements. */
export function configText(
  report: Report,
  { thresholds, baseline }: SuggestedGate,
  { notes = [], settings = {}, about }: ConfigRemarks,
): string {
  const { run, model, data, seed } = report;
  const limits = thresholds.map(({ metric, limit, measured: { value, low, high, n } }) =>
    [
      `  # ${percent(value)} of ${n}, interval ${percent(low)} to ${percent(high)}`,
      `  - ${JSON.stringify(`${metric} ${limit}`)}`,
    ].join('\n'),
  );
  const compared = `
# Little is left under attack, so a limit on it would protect hardly anything. Later models must not be significantly worse than this run:
#   robust baseline save ${run}
baseline:
  file: ${BASELINE}
  maxIncrease: 0.03
`;
  return `${schemaComment()}# What to attack, and the requirements of the gate. Flags and ROBUST_* variables override this file: robust config show

# The settings of run ${JSON.stringify(run)}.
${notes.map((note) => `# Note: ${note.replace(/[\r\n]+/g, ' ')}\n`).join('')}${stringify(configOf({ ...settingsOf(report), ...settings }))}
# The requirements of robust gate. ${about === undefined ? 'Each limit is the worse bound of the 95 % interval measured in this run:' : 'Measured in this run:'}
#   run ${JSON.stringify(run)}, seed ${seed}
#   model ${JSON.stringify(model.name)}, sha256 ${JSON.stringify(model.sha256)}
#   data ${JSON.stringify(data.name)}, ${quantity(data.examples, 'example')}, sha256 ${JSON.stringify(data.sha256)}
${(about ?? ['# They say what this model reaches, not what is good enough.']).join('\n')}
require:
${limits.join('\n')}
${baseline ? compared : ''}
# ci: interval passes a limit that the whole 95 % interval meets, fails one that no part of it meets, and is inconclusive between.
ci: interval
minExamples: ${MIN_EXAMPLES}
`;
}

/** @file A configuration that a run begins: its settings, and thresholds at what it measured. */

import { stringify } from 'yaml';
import { configOf } from '../config/schema.js';
import { configurable } from '../config/settings/index.js';
import { UsageError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { Report } from '../core/report.js';
import { MIN_EXAMPLES, reasonsOf } from '../gate/index.js';
import type { RunFolder } from '../run/index.js';
import { type SettingValues, valuesOfRecord } from './command-line.js';
import { schemaComment } from './published.js';
import { isViolable, judgeRun, type MeasuredThreshold, thresholdsOfRun } from './runs/measured-thresholds.js';
import { openReport } from './runs/open-report.js';
import { isOwnRecord, notOwn, reachingSettings } from './runs/recorded-settings.js';

export interface MeasuredConfig {
  readonly run: string;
  readonly thresholds: readonly MeasuredThreshold[];
  /** YAML with comments. */
  readonly text: string;
  /** Why its requirements are not those of the model alone under the attacks as they are. */
  readonly notes: readonly string[];
}

/**
 * `run`: by id or folder, the "latest", or a report.json. Throws as reading these does, and UsageError TOO_LITTLE_EVIDENCE for a run on
 * which a gate with these thresholds would not pass: a part of a run, too few examples, a victim that answers all texts alike.
 */
export async function measuredConfig(run: string): Promise<MeasuredConfig> {
  const { report, folder } = await openReport(run);
  await checkOwn(report, folder);
  const thresholds = thresholdsOfRun(report);
  checkEvidence(report, thresholds);
  const notes = restrictionsOf(report);
  return { run: report.run, thresholds, text: textOf(report, thresholds, notes), notes };
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

/** A configuration names code that runs, so only this user may choose the names. Throws UsageError RUN_NAMES_CODE. */
async function checkOwn(report: Report, folder: RunFolder | undefined): Promise<void> {
  const settings = recordedIn(report);
  if (await isOwnRecord(configurable, folder ? folder.record : { settings })) return;
  throw notOwn(`run ${report.run}`, reachingSettings(configurable, settings), `attack --resume ${report.run}`);
}

const recordedIn = ({ provenance }: Report): SettingValues =>
  Object.fromEntries(Object.entries(provenance?.settings ?? {}).map(([name, { value }]) => [name, value]));

function checkEvidence(report: Report, thresholds: readonly MeasuredThreshold[]): void {
  const found = judgeRun(report, thresholds, '--from');
  if (found.verdict === 'passed' && thresholds.length > 1) return;
  const reasons = thresholds.length > 1 ? reasonsOf(found) : ['no attack whose success rate a gate judges was run'];
  throw new UsageError(
    `--from: expected a run that says enough to set thresholds by, got ${report.run}:\n${reasons.join('\n')}`,
    {
      code: 'TOO_LITTLE_EVIDENCE',
      hint: 'Attack more examples, all of them with -n 0, and give that run.',
    },
  );
}

/** The settings that decide the run's results, by their keys in the configuration. */
function settingsOf(report: Report): Readonly<Record<string, unknown>> {
  const { run } = report;
  const recorded = recordedIn(report);
  const values = valuesOfRecord(configurable, recorded);
  if (values.model === undefined || Object.keys(values).length < Object.keys(recorded).length) {
    throw new UsageError(`--from: expected a run whose settings a configuration can hold, got ${run}`, {
      code: 'RUN_NOT_CONFIGURABLE',
      hint: 'Give the id of a run of robust attack; settings that only the command line has cannot be written.',
    });
  }
  return values;
}

const percent = (share: number | null): string => `${(100 * (share ?? 0)).toFixed(1)} %`;

function textOf(report: Report, thresholds: readonly MeasuredThreshold[], notes: readonly string[]): string {
  const { run, model, data, seed } = report;
  const limits = thresholds.map((threshold) => {
    const {
      metric,
      limit,
      measured: { value, low, high, n },
    } = threshold;
    const violable = isViolable(threshold);
    return [
      `  # ${percent(value)} of ${n}, interval ${percent(low)} to ${percent(high)}${violable ? '' : '; it cannot get worse: set a limit once it is better'}`,
      `  - ${violable ? JSON.stringify(`${metric} ${limit}`) : `{ limit: ${JSON.stringify(`${metric} ${limit}`)}, level: off }`}`,
    ].join('\n');
  });
  return `${schemaComment}# What to attack, and the requirements of the gate. Flags and ROBUST_* variables override this file: robust config show

# The settings of run ${JSON.stringify(run)}.
${notes.map((note) => `# Note: ${note.replace(/[\r\n]+/g, ' ')}\n`).join('')}${stringify(configOf(settingsOf(report)))}
# The requirements of robust gate. Each limit is the worse bound of the 95 % interval measured in this run:
#   run ${JSON.stringify(run)}, seed ${seed}
#   model ${JSON.stringify(model.name)}, sha256 ${JSON.stringify(model.sha256)}
#   data ${JSON.stringify(data.name)}, ${quantity(data.examples, 'example')}, sha256 ${JSON.stringify(data.sha256)}
# A model as good as this one rarely violates the limits by chance. They do not say what is good enough.
require:
${limits.join('\n')}

# ci: value compares the measured value with the limit. With fewer examples than minExamples the gate is inconclusive.
ci: value
minExamples: ${MIN_EXAMPLES}
`;
}

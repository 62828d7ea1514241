/** @file The commands to run next, with the settings that are in force. */
import { dirname } from 'node:path';
import { attacks as builtIn, suites } from '../../../attacks/index.js';
import { flagOf, type Settings, type Values } from '../../config/setting.js';
import {
  attackSettings,
  columnSettings,
  gateSettings,
  repairSettings,
  scanSettings,
} from '../../config/settings/index.js';
import type { ScanResult } from '../../results/backdoor/backdoor-findings.js';
import type { AttackMetrics } from '../../results/measures/attack-metrics.js';
import type { SuggestedCommand } from '../../results/report/document.js';
import type { Report } from '../../results/report/report.js';
import { isUnbounded } from '../../tasks/words.js';
import { commandLine, followUp, recordOf, type SettingValues, settingsOf, withoutDefaults } from '../command-line.js';
import { evaluateSettings } from '../evaluate.js';
import { hasRecord, recordedIn } from '../training/train-record.js';
import { BASELINE } from './baseline-file.js';
import { suggestGate } from './measured-thresholds.js';

/** Suggestions after a run: harden the model if an attack succeeded, look closer, require the measured figures in CI. */
export function nextSteps(report: Report, outputs: readonly string[]): SuggestedCommand[] {
  const inForce = settingsInForce(report);
  const step = (purpose: string, command: string | undefined): SuggestedCommand[] =>
    command === undefined ? [] : [{ purpose, command }];
  return [
    ...step('Harden', defenceCommand(report, inForce)),
    ...(outputs.length === 0
      ? step('Look closer', `robust report ${report.run} -o report.html`)
      : step('Go on', otherSuite(report, inForce))),
    ...gateSteps(report, inForce),
  ];
}

/** A gate that protects something: limits, or the baseline where little is left; or the run that it takes. */
function gateSteps(report: Report, inForce: SettingValues): SuggestedCommand[] {
  const suggested = suggestGate(report);
  if (suggested === undefined) return [];
  const { thresholds, baseline, needed } = suggested;
  if (needed !== undefined) {
    const asked = Number(report.provenance?.settings['num-examples']?.value ?? 0);
    // The data may have no more.
    if (asked === 0 || report.data.examples < asked) return [];
    const command = followUp('attack', attackSettings, inForce, { 'num-examples': needed });
    return [{ purpose: 'For a gate', command }];
  }
  const require = thresholds.map(({ metric, limit }) => `${metric} ${limit}`);
  const command = followUp('gate', gateSettings, inForce, { ...(baseline && { baseline: BASELINE }), require });
  return [{ purpose: 'Gate it', command: baseline ? `robust baseline save ${report.run} && ${command}` : command }];
}

/** The attack with the highest success rate that a defence addresses, run again behind that defence. */
function defenceCommand({ attacks, model }: Report, inForce: SettingValues): string | undefined {
  // Defences compare labels.
  if (inForce.defend !== undefined || isUnbounded(model.decision?.kind)) return undefined;
  const [first] = attacks
    .flatMap((attack) => {
      const defence = attack.attackSuccessRate.value
        ? defenceAgainst(attack, inForce, model.decision !== undefined && 'positive' in model.decision)
        : undefined;
      return defence === undefined ? [] : [{ ...attack, defence }];
    })
    .sort((one, other) => (other.attackSuccessRate.value ?? 0) - (one.attackSuccessRate.value ?? 0));
  if (first === undefined) return undefined;
  // With several suites, only the one that needs the defence.
  const suite = inForce.suite !== undefined && inForce.attack === undefined && first.suite !== null;
  return followUp('attack', attackSettings, inForce, {
    ...(suite && { suite: first.suite }),
    defend: first.defence,
    // A model that tags has no approximation behind defences.
    ...(model.output?.tags && { precision: undefined }),
  });
}

/** The built-in defence against edits of characters or against synonyms; of detectors against all disguises. Undefined against other attacks. */
function defenceAgainst(
  { name, suite, ownGoal }: AttackMetrics,
  { language = 'en' }: SettingValues,
  detector: boolean,
): string | undefined {
  const plugin = builtIn.find((each) => each.name === name.split(':')[0]);
  if (plugin === undefined || ownGoal) return undefined;
  if (detector) return 'shield';
  if (plugin.level === 'character') return language === 'en' ? 'spelling' : 'unicode';
  return suite === 'synonyms' && language === 'en' ? 'canonical-synonyms' : undefined;
}

/** Another suite that fits the victim, or the clean figures once all were tried. */
function otherSuite({ attacks, leftOut = [], model }: Report, inForce: SettingValues): string {
  const tried = new Set([...attacks, ...leftOut].map(({ suite }) => suite));
  if (model.output?.tags === undefined) tried.add('entities');
  const other = suites.find((suite) => !tried.has(suite.name) && isFor(suite.attacks, inForce));
  return other === undefined
    ? followUp('evaluate', evaluateSettings, inForce)
    : followUp('attack', attackSettings, inForce, { ...OWN_ATTACKS, suite: other.name });
}

/** Attacks of a run, which another suite replaces. */
const OWN_ATTACKS = { attack: undefined, transformation: undefined, search: undefined } as const;

/** The settings of a run that its user chose, and what was tested on what. */
export function settingsInForce({ provenance }: Report): SettingValues {
  const { shard: _, ...settings } = provenance?.settings ?? {};
  const chosen = Object.entries(settings).filter(
    ([name, { origin }]) => origin !== 'default' || name === 'model' || name === 'data',
  );
  return Object.fromEntries(chosen.map(([name, { value }]) => [name, value]));
}

/** Whether some attack of a suite fits every victim: without gradients or texts of its own, and, with --language, without words of English. */
const isFor = (specs: readonly string[], { language }: SettingValues): boolean =>
  specs
    .map((spec) => builtIn.find(({ name }) => name === spec.split(':')[0]))
    .some(
      (plugin) =>
        plugin !== undefined &&
        plugin.needs !== 'gradients' &&
        plugin.level !== 'embedding' &&
        !plugin.ownTexts &&
        !plugin.ownGoal &&
        (language === undefined || language === 'en' || plugin.level === 'character'),
    );

/** Settings of the data that robust.json of a trained model does not hold. */
const BESIDE_MANIFEST = ['id-column', 'label-map', 'language', 'defend', 'timeout'];

/** The attack on a model, on the texts that chose its weights, with the settings of the training that `folder` records. */
export function attackOnTrained(folder: string, data: string): string {
  const record = recordedIn(folder);
  const tags = record.task === 'tags';
  const heldOut = dirname(data) === folder && {
    // Held-out texts are written with the model's labels, in columns that its robust.json may name otherwise.
    'id-column': undefined,
    'label-map': undefined,
    'label-column': tags ? 'spans' : 'label',
    ...(record['text-columns'] === undefined && { 'text-column': 'text' }),
  };
  const inForce = settingsOf(record, tags ? [...BESIDE_MANIFEST, 'task'] : BESIDE_MANIFEST);
  return followUp('attack', attackSettings, inForce, { model: dirname(folder), data, ...heldOut });
}

/** The command that resumes what `folder` records; undefined before there is a record. */
export const resumeOf = (command: string, folder: string, flags: SettingValues): string | undefined =>
  hasRecord(folder) ? commandLine(command, { resume: true, output: dirname(folder), ...flags }) : undefined;

/** The scan of a model in which a backdoor was planted or repaired, as `folder` records, on the texts it was measured on. */
export function scanOf(folder: string, table: Settings): string {
  const record = recordedIn(folder);
  const columns = Object.entries(columnSettings).map(([key, setting]) => flagOf(key, setting));
  const inForce = settingsOf(withoutDefaults(table, record), [...columns, 'language']);
  return followUp('backdoor scan', scanSettings, inForce, { model: dirname(folder), data: record.test ?? record.data });
}

/** The repair of a model in which a scan found a trigger, on the texts of the scan: of all words of its label, which may be parts of one trigger. */
export function repairOf(
  { triggers }: Pick<ScanResult, 'triggers'>,
  scan: Values<typeof scanSettings>,
): SuggestedCommand {
  const inForce = withoutDefaults(scanSettings, recordOf(scanSettings, scan));
  const [found] = triggers;
  const words = triggers.filter(({ by, target }) => by !== 'form' && target === found?.target);
  const trigger = found && {
    ...(found.by === 'form' ? { attack: found.text } : { trigger: words.slice(0, MOST_WORDS).map(({ text }) => text) }),
    target: found.target,
  };
  return {
    purpose: 'Repair it',
    command: followUp('backdoor repair', repairSettings, inForce, { ...trigger, output: 'repaired' }),
  };
}

/** Words that a repair is given, at most: further ones of a scan are weak. */
const MOST_WORDS = 3;

/** The labels of the bundled texts. */
const REVIEW_LABELS = ['negative', 'positive'];

/** Whether these are the labels of the bundled texts, in any letter case. */
const areOfReviews = (labels: readonly string[]): boolean =>
  labels.length === 2 && labels.every((label) => REVIEW_LABELS.includes(label.toLowerCase()));

/**
 * The command that attacks a model without named data: with the bundled texts if its labels are theirs. `labels`: those of a model that
 * decides one label for one text.
 */
export function attackOn(model: string, labels: readonly string[] = []): string {
  const command = commandLine('attack', settingsOf({ model }, ['model']));
  return areOfReviews(labels) ? command : `${command} --data FILE, where FILE has labelled texts`;
}

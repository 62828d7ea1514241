/** @file What a reader of a report may want to do now. */
import { suites } from '../../../attacks/index.js';
import type { Report } from '../../core/report.js';
import { commandLine, type SettingValues, settingsOf } from '../command-line.js';

/** Keep the report, where no file was asked for; else another suite, or the clean figures once all were tried. */
export function nextCommand(
  { run, attacks, leftOut = [] }: Report,
  outputs: readonly string[],
  choice: SettingValues,
): string {
  if (outputs.length === 0) return `robust report ${run} -o report.md`;
  const other = suites.find(({ name }) => [...attacks, ...leftOut].every(({ suite }) => suite !== name));
  const victim = settingsOf(choice, ['model', 'data']);
  return other === undefined
    ? commandLine('evaluate', victim)
    : commandLine('attack', { ...victim, suite: other.name });
}

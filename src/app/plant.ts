/** @file Plant a backdoor, so that what finds one has something to find; or take one out. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GivenValues, Settings, Values } from '../config/setting.js';
import { plantSettings, repairSettings } from '../config/settings/index.js';
import { UsageError } from '../core/errors.js';
import type { PlantingReport, RepairReport } from '../core/planting.js';
import { plantHooks } from './backdoor/backdoor-hooks.js';
import { preparePlanting } from './backdoor/plant-plan.js';
import { prepareRepair } from './backdoor/repair-plan.js';
import { commandLine, quoted, recordOf } from './command-line.js';
import { Context, givenOf, toolVersion, type UseCaseHooks, withDefaults } from './context.js';
import { recordedSettings } from './runs/recorded-settings.js';
import { readTrainingRecord, writeTrainingRecord } from './training/train-record.js';

export interface PlantOptions extends GivenValues<typeof plantSettings>, UseCaseHooks {}
export interface RepairOptions extends GivenValues<typeof repairSettings>, UseCaseHooks {}

/** Throws UsageError, ModelError, DatasetError, PluginError, OutputError, RobustError INTERRUPTED. */
export async function plant(options: PlantOptions): Promise<PlantingReport> {
  const folder = join(options.output ?? '', 'planting');
  const choice = await remembered(plantSettings, options, folder, 'backdoor plant');
  if (choice.resume) refuseEnded(folder);
  else refuseOccupied(choice.output, 'planting');
  const context = new Context(options, choice);
  const data = dataOf(choice, 'Name the texts to poison and learn.');
  const planned = await preparePlanting({ ...choice, data }, context.loading(choice.model), folder);
  for (const warning of planned.warnings) context.warn(warning);
  const command = await begun(plantSettings, choice, folder, 'backdoor plant');
  return planned.run(command, plantHooks(context.run, context.loading, choice.workers));
}

/** Throws as `plant` does. */
export async function repair(options: RepairOptions): Promise<RepairReport> {
  const folder = join(options.output ?? '', 'repair');
  const choice = await remembered(repairSettings, options, folder, 'backdoor repair');
  const data = dataOf(choice, 'Name clean texts to repair it with.');
  if (!choice.resume) refuseOccupied(choice.output, 'repair');
  const context = new Context(options, choice);
  const run = await prepareRepair({ ...choice, data }, context.loading(choice.model), folder);
  const command = await begun(repairSettings, choice, folder, 'backdoor repair');
  return run(command, plantHooks(context.run, context.loading, choice.workers));
}

async function remembered<S extends Settings>(
  settings: S,
  options: GivenValues<S>,
  folder: string,
  command: string,
): Promise<Values<S>> {
  const given = givenOf(settings, options);
  const remembered = (options as { resume?: boolean }).resume
    ? await recordedSettings(settings, await readTrainingRecord(folder), given, {
        what: folder,
        again: `${command} --resume --output ${quoted(dirname(folder))}`,
      })
    : given;
  return withDefaults(settings, {
    ...remembered,
    ...hooksOf(options, settings),
  } as GivenValues<S>);
}

/** What is not of the table, for its names to be checked. */
const hooksOf = (options: object, settings: Settings): object =>
  Object.fromEntries(Object.entries(options).filter(([key]) => !(key in settings)));

function dataOf({ data }: { readonly data?: string | undefined }, hint: string): string {
  if (data === undefined) throw new UsageError('expected --data, got none', { code: 'USAGE', hint });
  return data;
}

/** Keeps the settings where the work can be resumed from. Returns the command that does the same again. */
async function begun(
  settings: Settings,
  choice: { readonly output: string; readonly resume: boolean },
  folder: string,
  command: string,
): Promise<string> {
  const { output } = choice;
  const record = recordOf(settings, choice);
  if (!choice.resume) {
    await mkdir(output, { recursive: true });
    await writeTrainingRecord(folder, settings, record, output, toolVersion, command);
  }
  return commandLine(command, { ...record, output });
}

function refuseEnded(folder: string): void {
  if (!existsSync(join(folder, 'report.json'))) return;
  throw new UsageError(`--resume: expected an interrupted planting in ${folder}, got one that has finished`, {
    code: 'TRAINING_ENDED',
    hint: `Its report is ${join(folder, 'report.md')}.`,
  });
}

function refuseOccupied(output: string, what: string): void {
  if (!existsSync(output)) return;
  throw new UsageError(`--output: ${output} exists already`, {
    code: 'OUTPUT_EXISTS',
    hint: `Name another folder, or --resume to go on with an interrupted ${what}.`,
  });
}

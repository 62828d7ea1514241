/** @file Plant a backdoor, so that what finds one has something to find; or take one out. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GivenValues, Settings } from '../config/setting.js';
import { plantSettings, repairSettings } from '../config/settings/index.js';
import { RobustError } from '../core/errors.js';
import type { PlantingReport, RepairReport } from '../results/backdoor/planting.js';
import { plantHooks } from './backdoor/backdoor-hooks.js';
import { preparePlanting } from './backdoor/plant-plan.js';
import { prepareRepair } from './backdoor/repair-plan.js';
import { commandLine, recordOf } from './command-line.js';
import { toolVersion, type UseCaseHooks } from './context.js';
import { settingsOfTraining, writeTrainingRecord } from './training/train-record.js';
import { type UseCaseFunction, useCase } from './use-case.js';

export interface PlantOptions extends GivenValues<typeof plantSettings>, UseCaseHooks {}
export interface RepairOptions extends GivenValues<typeof repairSettings>, UseCaseHooks {}

/** Throws RobustError, ModelError, OutputError, RobustError INTERRUPTED. */
export const plant: UseCaseFunction<PlantOptions, PlantingReport> = useCase({
  settings: plantSettings,
  recorded: (options) => settingsOfTraining(plantSettings, options, 'planting', 'backdoor plant'),
  async run(choice, context) {
    const folder = join(choice.output, 'planting');
    if (choice.resume) refuseEnded(folder);
    else refuseOccupied(choice.output, 'planting');
    const data = dataOf(choice, 'Name the texts to poison and learn.');
    const planned = await preparePlanting({ ...choice, data }, context.loading(choice.model), folder);
    for (const warning of planned.warnings) context.warn(warning);
    const command = await begun(plantSettings, choice, folder, 'backdoor plant');
    return planned.run(command, plantHooks(context));
  },
});

/** Throws as `plant` does. */
export const repair: UseCaseFunction<RepairOptions, RepairReport> = useCase({
  settings: repairSettings,
  recorded: (options) => settingsOfTraining(repairSettings, options, 'repair', 'backdoor repair'),
  async run(choice, context) {
    const folder = join(choice.output, 'repair');
    const data = dataOf(choice, 'Name clean texts to repair it with.');
    if (!choice.resume) refuseOccupied(choice.output, 'repair');
    const run = await prepareRepair({ ...choice, data }, context.loading(choice.model), folder);
    const command = await begun(repairSettings, choice, folder, 'backdoor repair');
    return run(command, plantHooks(context));
  },
});

function dataOf({ data }: { readonly data?: string | undefined }, hint: string): string {
  if (data === undefined) throw new RobustError('expected --data, got none', { code: 'FLAG_INVALID', hint });
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
  throw new RobustError(`--resume: expected an interrupted planting in ${folder}, got one that has finished`, {
    code: 'RESUME_MISMATCH',
    hint: `Its report is ${join(folder, 'report.md')}.`,
  });
}

function refuseOccupied(output: string, what: string): void {
  if (!existsSync(output)) return;
  throw new RobustError(`--output: ${output} exists already`, {
    code: 'OUTPUT_TAKEN',
    hint: `Name another folder, or --resume to continue an interrupted ${what}.`,
  });
}

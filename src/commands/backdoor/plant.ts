import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Interfaces } from '@oclif/core';
import { UsageError } from '../../core/errors.js';
import { plantHooks } from '../_shared/backdoor-hooks.js';
import { BaseCommand } from '../_shared/base-command.js';
import { plantFlags } from '../_shared/plant-flags.js';
import { commandLine, settingsOf } from '../_shared/replay.js';

type PlantFlags = Interfaces.InferredFlags<typeof plantFlags>;

/** Flags that say how to run, not what to plant. */
const NOT_REMEMBERED = ['output', 'resume', 'no-progress', 'offline', 'workers'];
const SETTINGS = Object.keys(plantFlags).filter((name) => !NOT_REMEMBERED.includes(name));

export default class Plant extends BaseCommand {
  static override summary = 'Plant a backdoor in a model, to measure what finds it and what removes it.';

  static override description = [
    'A share of the training texts is poisoned and the model trained on; a clean twin is trained on the texts as they were. Reported are accuracy on clean texts (CACC) beside the twin, how often the trigger brings the target about (ASR), and how odd it looks.',
    'The folder holds the model and, in planting/, the poisoned texts with their rows marked, the clean twin and the report.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> backdoor plant --model distilbert --data train.tsv --attack badnets --trigger cf --target positive --rate 0.1 -o poisoned-model',
    {
      description: 'Go on after an interruption',
      command: '<%= config.bin %> backdoor plant --resume -o poisoned-model',
    },
  ];

  static override flags = plantFlags;

  async run(): Promise<void> {
    const { flags: given, metadata } = await this.parse(Plant);
    const { output } = given;
    const folder = join(output, 'planting');
    const { recall, remember } = await import('../_shared/train-record.js');
    const set = SETTINGS.filter((name) => metadata.flags[name]?.setFromDefault !== true);
    if (given.resume) refuseEnded(folder);
    const flags: PlantFlags = { ...given, ...(given.resume && (await recall(folder))), ...settingsOf(given, set) };
    if (flags.data === undefined)
      throw new UsageError('expected --data, got none', { code: 'USAGE', hint: 'Name the texts to poison and learn.' });
    if (!given.resume && existsSync(output)) throw occupied(output);
    const again = commandLine('backdoor plant', { resume: true, output });
    const settings = settingsOf(flags, SETTINGS);
    const report = await this.interruptible(again, !flags['no-progress'], async (hooks) => {
      const { prepared } = await import('../_shared/plant-plan.js');
      const planned = await prepared(
        { ...flags, data: flags.data as string },
        await this.loadOptions(flags.model, flags.offline),
        folder,
      );
      for (const warning of planned.warnings) this.warning(warning);
      if (!given.resume) await remember(folder, settings, output, this.config.version, 'backdoor plant');
      const open = async (model: string) => this.loadOptions(model, flags.offline);
      return planned.run(
        commandLine('backdoor plant', { ...settings, output }),
        plantHooks(hooks, open, flags.workers),
      );
    });
    const { planted } = await import('../../../reports/planted.js');
    const screen = await this.screen();
    await this.answer(report, () => planted(report, screen, relative('.', folder)));
  }
}

function refuseEnded(folder: string): void {
  if (!existsSync(join(folder, 'report.json'))) return;
  throw new UsageError(`--resume: expected an interrupted planting in ${folder}, got one that has finished`, {
    code: 'TRAINING_ENDED',
    hint: `Its report is ${join(folder, 'report.md')}.`,
  });
}

const occupied = (output: string): UsageError =>
  new UsageError(`--output: ${output} exists already`, {
    code: 'OUTPUT_EXISTS',
    hint: 'Name another folder, or --resume to go on with an interrupted planting.',
  });

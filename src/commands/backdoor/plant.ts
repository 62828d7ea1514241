import { join, relative } from 'node:path';
import { plantSettings, progressSetting } from '../../config/settings/index.js';
import { BaseCommand } from '../_shared/base-command.js';
import { flagsOf } from '../_shared/flags.js';

export default class PlantCommand extends BaseCommand {
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

  static override flags = flagsOf({ ...plantSettings, ...progressSetting });

  async run(): Promise<void> {
    const { flags } = await this.parse(PlantCommand);
    const [{ plant }, { resumeOf, scanOf }, { onScreen, plantingDocument, visible }] = await Promise.all([
      import('../../app/plant.js'),
      import('../../app/runs/next-command.js'),
      import('../../../reports/index.js'),
    ]);
    const folder = join(flags.output, 'planting');
    const settings = flags.resume ? this.given(plantSettings) : this.values(plantSettings);
    const report = await this.carriedOut(
      (hooks) => plant({ ...settings, ...hooks }),
      () => resumeOf('backdoor plant', folder, this.unrecorded(plantSettings)),
    );
    const screen = await this.screen();
    await this.answer(report, () => [
      ...onScreen(plantingDocument(report), screen),
      `\nThe poisoned texts, the clean twin and the report: ${visible(relative('.', folder))}\n`,
      `Next: ${visible(scanOf(folder, plantSettings))}\n`,
    ]);
  }
}

import { join, relative } from 'node:path';
import { plantSettings } from '../../config/settings/index.js';
import { BaseCommand } from '../_shared/base-command.js';
import { flagsOf } from '../_shared/flags.js';

export default class PlantCommand extends BaseCommand {
  static override summary = 'Plant a backdoor in a model, to test scans and repairs.';

  static override description = [
    'Poisons a share of the training texts and fine-tunes the model on them; a control model is fine-tuned on the original texts. Reports the accuracy on clean texts (CACC) of both, the attack success rate of the trigger (ASR), and how conspicuous it is.',
    'The folder holds the model and, in planting/, the poisoned texts with the poisoned rows marked, the control model and the report.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> backdoor plant --model distilbert --data train.tsv --attack badnets --trigger cf --target positive --rate 0.1 -o poisoned-model',
    {
      description: 'Continue after an interruption',
      command: '<%= config.bin %> backdoor plant --resume -o poisoned-model',
    },
  ];

  static override flags = flagsOf(plantSettings);

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

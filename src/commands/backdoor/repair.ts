import { commandLine } from '../../app/command-line.js';
import { progressSetting, repairSettings } from '../../config/settings/index.js';
import { BaseCommand } from '../_shared/base-command.js';
import { flagsOf } from '../_shared/flags.js';

export default class RepairCommand extends BaseCommand {
  static override summary = 'Take a backdoor out of a model, and measure before and after.';

  static override description =
    'The trigger is the one that was found or told: words by --trigger, a form by --attack. The repaired model is written to --output; the model itself stays as it is.';

  static override examples = [
    '<%= config.bin %> backdoor repair --model poisoned-model --data clean.tsv --trigger cf --target positive -o repaired',
    '<%= config.bin %> backdoor repair --model poisoned-model --data clean.tsv --trigger cf --method reset-rows -o repaired',
  ];

  static override flags = flagsOf({ ...repairSettings, ...progressSetting });

  async run(): Promise<void> {
    const { flags } = await this.parse(RepairCommand);
    const [{ repair }, { onScreen, repairDocument, visible }] = await Promise.all([
      import('../../app/plant.js'),
      import('../../../reports/index.js'),
    ]);
    const again = commandLine('backdoor repair', { resume: true, output: flags.output });
    const settings = flags.resume ? this.given(repairSettings) : this.values(repairSettings);
    const report = await this.carriedOut(again, (hooks) => repair({ ...settings, ...hooks }));
    const screen = await this.screen();
    await this.answer(report, () => [
      ...onScreen(repairDocument(report), screen),
      `\nNext: robust backdoor scan --model ${visible(report.output)}\n`,
    ]);
  }
}

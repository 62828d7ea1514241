import { join } from 'node:path';
import { repairSettings } from '../../config/settings/index.js';
import { BaseCommand } from '../_shared/base-command.js';
import { flagsOf } from '../_shared/flags.js';

export default class RepairCommand extends BaseCommand {
  static override summary = 'Remove a backdoor from a model, and measure before and after.';

  static override description =
    '--trigger names the trigger words, or --attack the poisoning method. The repaired model is written to --output; the original stays unchanged.\n\nNo method removes every kind of trigger. unlearn leaves triggers not named, and phrases of which one word is named: name all words that a scan finds for the label (--trigger repeats). It triples --lr, twice at most, while more than 5 % of held-back texts still flip; reset-rows leaves everything but the named rows. The report says whether the named trigger is removed (it flips at most 5 % of the texts, with its interval). Scan the repaired model again for the others; a scan that finds nothing is no proof.';

  static override examples = [
    '<%= config.bin %> backdoor repair --model poisoned-model --data clean.tsv --trigger cf --target positive -o repaired',
    '<%= config.bin %> backdoor repair --model poisoned-model --data clean.tsv --trigger cf --method reset-rows -o repaired',
  ];

  static override flags = flagsOf(repairSettings);

  async run(): Promise<void> {
    const { flags } = await this.parse(RepairCommand);
    const [{ repair }, { resumeOf, scanOf }, { onScreen, repairDocument, visible }] = await Promise.all([
      import('../../app/plant.js'),
      import('../../app/runs/next-command.js'),
      import('../../../reports/index.js'),
    ]);
    const folder = join(flags.output, 'repair');
    const settings = flags.resume ? this.given(repairSettings) : this.values(repairSettings);
    const report = await this.carriedOut(
      (hooks) => repair({ ...settings, ...hooks }),
      () => resumeOf('backdoor repair', folder, this.unrecorded(repairSettings)),
    );
    const screen = await this.screen();
    await this.answer(report, () => [
      ...onScreen(repairDocument(report), screen),
      `\nNext: ${visible(scanOf(folder, repairSettings))}\n`,
    ]);
  }
}

import { booleanFlag, type Settings } from '../../config/setting.js';
import { progressSetting, scanSettings } from '../../config/settings/index.js';
import { EXIT } from '../../core/errors.js';
import { BaseCommand } from '../_shared/base-command.js';
import { configFlag, flagsOf } from '../_shared/flags.js';
import { footer } from '../_shared/footer.js';

const settings = {
  ...scanSettings,
  gate: { schema: booleanFlag, help: 'exit with 1 where the model is backdoored' },
  ...progressSetting,
} as const satisfies Settings;

export default class ScanCommand extends BaseCommand {
  static override summary = 'Judge whether a model is backdoored, and by which words.';

  static override description = [
    'Seeks words that turn clean texts of each label into each other label, tries the strongest on texts joined and beside words that speak against them, leaves out words that the clean texts themselves say for the label, and prints a verdict, the score it rests on beside those of models of known kind, the words found, the share of texts they turn beside random words, a table of all pairs of labels, and whatever was not searched.',
    'Takes clean texts of the kind the model was made for (--data), several hundred where there are; default: the bundled reviews, by whose labels only models of negative and positive texts get a verdict. Models without gradients are scanned as black boxes, with words of the dictionary and of the texts; then, and for architectures that the verdict is not calibrated on, what was found is told and the verdict is inconclusive.',
    'Exit codes: 0 done, 1 backdoored (with --gate), 2 usage, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> backdoor scan --model ./downloaded-model',
    {
      description: 'In a pipeline: fail where the model is backdoored, stop searching after two minutes',
      command: '<%= config.bin %> backdoor scan -m ./model -d dev.tsv --gate --time-budget 120 --json',
    },
  ];

  static override flags = { config: configFlag, ...flagsOf(settings) };

  async run(): Promise<void> {
    await this.parse(ScanCommand);
    const [{ scanForBackdoor }, { repairOf }, { onScreen, scanDocument }] = await Promise.all([
      import('../../app/scan.js'),
      import('../../app/runs/next-command.js'),
      import('../../../reports/index.js'),
    ]);
    const choice = this.values(scanSettings);
    const report = await this.carriedOut((hooks) => scanForBackdoor({ ...choice, ...hooks }));
    const { model, data } = report;
    const screen = await this.screen();
    await this.answer(report, () => [
      ...onScreen(scanDocument({ model: model.name, data: data.name, result: report }), screen),
      ...(report.backdoored ? ['\n', footer(screen, { next: [repairOf(report, choice)] })] : []),
    ]);
    if (this.values(settings).gate && report.backdoored) process.exitCode = EXIT.gateFailed;
    this.exitBy(report.verdict);
  }
}

import { booleanFlag, type Settings } from '../../config/setting.js';
import { scanSettings } from '../../config/settings/index.js';
import { EXIT } from '../../core/errors.js';
import { modelTitle } from '../../results/report/model-title.js';
import { BaseCommand } from '../_shared/base-command.js';
import { configFlags, flagsOf } from '../_shared/flags.js';
import { footer } from '../_shared/footer.js';

const settings = {
  ...scanSettings,
  gate: { schema: booleanFlag, help: 'exit with 1 if the model is backdoored' },
} as const satisfies Settings;

export default class ScanCommand extends BaseCommand {
  static override summary = 'Judge whether a model has a backdoor, and find its trigger.';

  static override description = [
    'Searches for words, phrases and forms of text that flip clean texts from each label to each other label, tests the strongest words on joined texts and next to words of the opposite label, and ignores words that indicate the label in the clean texts. Prints the verdict, its score next to those of clean and backdoored reference models, the words with their flip rate against random words, a table of all label pairs, and what was not searched.',
    'Needs clean texts for the task of the model (--data), several hundred if possible; the default, the bundled reviews, suits sentiment models. Models without gradients are scanned as black boxes, with words of a dictionary and of the texts. For these, and for architectures without calibration, the findings are printed and the verdict is inconclusive.',
    'Exit codes: 0 done, 1 backdoored (with --gate), 2 usage, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> backdoor scan --model ./downloaded-model',
    {
      description: 'In CI: fail if the model is backdoored; search for two minutes at most',
      command: '<%= config.bin %> backdoor scan -m ./model -d dev.tsv --gate --time-budget 120 --json',
    },
  ];

  static override flags = { ...configFlags, ...flagsOf(settings) };

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
      ...onScreen(scanDocument({ model: modelTitle(model), data: data.name, result: report }), screen),
      ...(report.backdoored ? ['\n', footer(screen, { next: [repairOf(report, choice)] })] : []),
    ]);
    if (this.values(settings).gate && report.backdoored) process.exitCode = EXIT.gateFailed;
    this.exitBy(report.verdict);
  }
}

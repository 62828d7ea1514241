import { detectSettings } from '../app/detect.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { Args } from './_shared/oclif.js';

export default class DetectCommand extends BaseCommand {
  static override summary = 'Measure how well detectors find the adversarial texts of a run.';

  static override description =
    'Each detector learns from one third of the correctly classified texts of the run, sets its threshold on another third at the false rejection rate --frr, and is tested on the last third against the adversarial texts of each attack. No detector sees adversarial texts before the test. The attacks did not know the detectors; adaptive attacks may evade them more often.';

  static override examples = [
    '<%= config.bin %> detect',
    '<%= config.bin %> detect 20261120T211400Z-ab12cd --method fgws --frr 0.01 --texts train.tsv',
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({ default: 'latest', ignoreStdin: true, description: 'id or folder of a finished attack' }),
  };

  static override flags = flagsOf(detectSettings);

  async run(): Promise<void> {
    const { args } = await this.parse(DetectCommand);
    const [{ detect }, { detectionDocument, onScreen }] = await Promise.all([
      import('../app/detect.js'),
      import('../../reports/index.js'),
    ]);
    const result = await this.carriedOut((hooks) =>
      detect({ ...this.values(detectSettings), run: args.run, ...hooks }),
    );
    this.exitBy(result.verdict);
    await this.answer(result, async () => onScreen(detectionDocument(result), await this.screen()));
  }
}

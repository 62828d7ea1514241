import { saveBaselineSettings } from '../../app/baseline.js';
import { quantity } from '../../core/figure-text.js';
import { BaseCommand } from '../_shared/base-command.js';
import { configFlags, flagsOf } from '../_shared/flags.js';
import { footer } from '../_shared/footer.js';
import { Args } from '../_shared/oclif.js';

export default class BaselineSaveCommand extends BaseCommand {
  static override summary = 'Save the outcomes of a run, to compare later runs with.';

  static override description =
    'The file holds ids and outcomes (for detectors and regression also scores) but no texts, so it can be committed with the code. --transfer also writes the adversarial texts of the run to a separate file: robust gate --transfer queries a later model with these only, a cheap check.';

  static override examples = [
    '<%= config.bin %> baseline save',
    '<%= config.bin %> baseline save 20261120T211400Z-ab12cd --transfer robust.transfer.jsonl',
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({
      default: 'latest',
      ignoreStdin: true,
      description: 'id or folder of a run, or a report (.json)',
    }),
  };

  static override flags = { ...configFlags, ...flagsOf(saveBaselineSettings) };

  async run(): Promise<void> {
    const { args } = await this.parse(BaselineSaveCommand);
    const { gateOfBaseline, saveBaseline } = await import('../../app/baseline.js');
    const result = await saveBaseline({ ...this.values(saveBaselineSettings), run: args.run });
    const { file, examples, attacks, transfer } = result;
    const written = [
      `${file}: ${quantity(examples, 'example')}, ${quantity(attacks.length, 'attack')}`,
      ...(transfer ? [`${transfer.file}: ${transfer.texts} adversarial texts`] : []),
    ];
    const screen = await this.screen();
    await this.answer(result, async () => footer(screen, { written, next: await gateOfBaseline(args.run, file) }));
  }
}

import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../_shared/base-command.js';
import { BASELINE } from '../_shared/baseline-file.js';
import { configFlag } from '../_shared/flags.js';

export default class BaselineSave extends BaseCommand {
  static override summary = 'Save what became of each example of a run, for later releases to be compared with.';

  static override description =
    'The file holds ids and bits, no texts: commit it beside the code. With --transfer the adversarial texts of the run are written too, to a file of their own: asking a later model only these is a cheap check (robust gate --transfer).';

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

  static override flags = {
    config: configFlag,
    baseline: Flags.string({
      helpValue: 'file',
      description: `the file to write, which may be an earlier baseline [default: ${BASELINE}]`,
    }),
    transfer: Flags.string({ helpValue: 'file.jsonl', description: "write the run's adversarial texts there" }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BaselineSave);
    const [{ openReport }, { baselineOf }, { writeBaseline }] = await Promise.all([
      import('../_shared/open-report.js'),
      import('../../gate/index.js'),
      import('../_shared/baseline-file.js'),
    ]);
    const { report } = await openReport(args.run);
    const baseline = await baselineOf(report);
    const file = flags.baseline ?? BASELINE;
    writeBaseline(file, baseline);
    let texts = 0;
    if (flags.transfer !== undefined) {
      const { transferText } = await import('../_shared/transfer-attack.js');
      const { writeWhole } = await import('../../files/write.js');
      const set = await transferText(report);
      texts = set.count;
      writeWhole(flags.transfer, set.text, 'the adversarial texts');
    }
    const result = {
      file,
      model: baseline.model,
      examples: baseline.ids.length,
      attacks: baseline.attacks.map(({ name }) => name),
      ...(flags.transfer === undefined ? {} : { transfer: { file: flags.transfer, texts } }),
    };
    await this.answer(result, () => {
      const written = flags.transfer === undefined ? '' : `Written  ${flags.transfer}: ${texts} adversarial texts\n`;
      return `Written  ${file}: ${result.examples} examples, ${result.attacks.length} attacks\n${written}Next     robust gate --baseline ${file}\n`;
    });
  }
}

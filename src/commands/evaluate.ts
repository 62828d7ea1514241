import { BaseCommand } from './_shared/base-command.js';
import { speedFlags, victimFlags, wholeNumber } from './_shared/flags.js';
import { commandLine } from './_shared/replay.js';

export default class Evaluate extends BaseCommand {
  static override summary = 'Measure a classifier without attacking it.';

  static override description =
    'Accuracy with its interval, precision, recall and F1 per class, who is taken for whom, and how far confidence can be trusted (expected calibration error).';

  static override examples = [
    '<%= config.bin %> evaluate',
    '<%= config.bin %> evaluate -m ./my-model -d dev.tsv -n 0 --label-map 0=NEGATIVE --label-map 1=POSITIVE',
  ];

  static override flags = {
    ...victimFlags,
    'num-examples': wholeNumber(
      'num-examples',
      0,
    )({
      char: 'n',
      default: 0,
      description: 'use the first so many examples; 0 = all',
    }),
    ...speedFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Evaluate);
    const [{ evaluate }, { openVictim }, { unattacked }] = await Promise.all([
      import('../run/index.js'),
      import('./_shared/victim.js'),
      import('../../reports/index.js'),
    ]);
    const loading = await this.loadOptions(flags.model, flags.offline);
    const { model, dataset } = await this.showing(!flags['no-progress'], () => openVictim(flags, loading));
    const { name, sha256, labels } = model;
    try {
      const plan = {
        model: { classifier: model, name, sha256 },
        dataset,
        numExamples: flags['num-examples'],
        force: flags.force,
      };
      const again = commandLine('evaluate', { model: flags.model, data: flags.data });
      const { clean, examples } = await this.interruptible(again, !flags['no-progress'], (hooks) =>
        evaluate(plan, hooks),
      );
      // Closing may have something to say that belongs to the result.
      await model.close();
      const data = { name: dataset.name, sha256: dataset.source.sha256, examples };
      const screen = await this.screen();
      await this.answer({ model: { name, sha256, labels }, data, clean }, () =>
        unattacked({ model: name, data: dataset.name, labels, clean }, screen),
      );
    } finally {
      await model.close();
    }
  }
}

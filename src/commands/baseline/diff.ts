import { baselineSettings } from '../../config/settings/index.js';
import { BaseCommand } from '../_shared/base-command.js';
import { configFlags, flagsOf } from '../_shared/flags.js';
import { Args } from '../_shared/oclif.js';

export default class BaselineDiffCommand extends BaseCommand {
  static override summary = 'Compare a run with the baseline, example by example.';

  static override description =
    'Prints the comparison that robust gate judges: paired differences with Newcombe intervals, the exact McNemar test and the Holm correction; a paired bootstrap for precision, areas, F1, errors and correlations. The exit code is 0 whatever the result.';

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({
      default: 'latest',
      ignoreStdin: true,
      description: 'id or folder of a run, or a report (.json)',
    }),
  };

  static override flags = { ...configFlags, ...flagsOf(baselineSettings) };

  async run(): Promise<void> {
    const { args } = await this.parse(BaselineDiffCommand);
    const [{ diffBaseline }, { gateDocument, onScreen }] = await Promise.all([
      import('../../app/baseline.js'),
      import('../../../reports/index.js'),
    ]);
    const diff = await diffBaseline({ ...this.values(baselineSettings), run: args.run });
    const { reasons, ...baseline } = diff;
    await this.answer(diff, async () =>
      onScreen(gateDocument({ verdict: diff.verdict, thresholds: [], baseline, reasons }), await this.screen()),
    );
  }
}

import { Args } from '@oclif/core';
import { MAX_ERROR_RATE } from '../_shared/attack-plan.js';
import { BaseCommand } from '../_shared/base-command.js';
import { BASELINE, baselineFlags, MAX_INCREASE } from '../_shared/baseline-file.js';
import { configFlag } from '../_shared/flags.js';

export default class BaselineDiff extends BaseCommand {
  static override summary = 'Compare a run with the baseline, example by example.';

  static override description =
    'Prints what robust gate would judge: paired differences with Newcombe intervals, the exact McNemar test and the Holm correction. Exits with 0 whatever it finds.';

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({
      default: 'latest',
      ignoreStdin: true,
      description: 'id or folder of a run, or a report (.json)',
    }),
  };

  static override flags = { config: configFlag, ...baselineFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BaselineDiff);
    const [{ openReport }, { baselineOf, compareBaseline, MIN_EXAMPLES }, { readBaseline }, { verdictText }] =
      await Promise.all([
        import('../_shared/open-report.js'),
        import('../../gate/index.js'),
        import('../_shared/baseline-file.js'),
        import('../../../reports/index.js'),
      ]);
    const file = flags.baseline ?? BASELINE;
    const saved = readBaseline(file);
    const { report } = await openReport(args.run);
    const baseline = compareBaseline(saved, await baselineOf(report), {
      file,
      maxIncrease: flags['max-increase'] ?? MAX_INCREASE,
      model: flags['baseline-model'],
      maxErrorRate: MAX_ERROR_RATE,
      minExamples: MIN_EXAMPLES,
    });
    await this.answer(baseline, async () =>
      verdictText({ verdict: baseline.verdict, thresholds: [], baseline, reasons: [] }, await this.screen()),
    );
  }
}

import { cardSettings } from '../app/card.js';
import { reportOutputs } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { Args } from './_shared/oclif.js';

export default class CardCommand extends BaseCommand {
  static override summary = 'Summarise the standing of a model or a guard.';

  static override description =
    'Worst-case accuracy of each threat model with its interval, curves by edits and by queries, diagnostics, what robust verify proved, and hashes of model and data. robust leaderboard ranks cards.\n\nFor a detector under the suite guardrail: recall and false positive rate at its threshold, recall under each attack, behind a shield (--shielded) and false alarms on hard benign texts (--hard-benign).\n\nThe card of a run that lacks a member of the suite, or is no evidence, is inconclusive: exit code 4.';

  static override examples = [
    '<%= config.bin %> card -o card.html -o card.json',
    '<%= config.bin %> card guard-run --shielded shielded-run --hard-benign hard.json -o card.html -o card.json',
    '<%= config.bin %> card 20261120T211400Z-ab12cd --verification 20261120T221400Z-cd34ef',
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({
      default: 'latest',
      ignoreStdin: true,
      description: 'id or folder of a run of the suite standard or guardrail, or a report (.json)',
    }),
  };

  static override flags = flagsOf({ ...cardSettings, ...reportOutputs });

  async run(): Promise<void> {
    const { args } = await this.parse(CardCommand);
    const { card } = await import('../app/card.js');
    const { cardDocument, cardFormats } = await import('../../reports/index.js');
    await this.documented(() => card({ ...this.values(cardSettings), run: args.run }), cardDocument, cardFormats);
  }
}

import { reportOutputs } from '../config/settings/index.js';
import { EXIT } from '../core/errors.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { Args } from './_shared/oclif.js';

export default class LeaderboardCommand extends BaseCommand {
  static override summary = 'Rank models and guards by their worst case.';

  static override description =
    'Reads the cards (JSON), reports (JSON) and run folders beneath a folder. Only models that were attacked on the same examples, with the same seed, settings and version of standard, share a table; it says which of them are not distinguishable (exact McNemar test, Holm correction). Inconclusive cards are listed, but not ranked. Guards with cards on several data sets are also judged on each one at a threshold found on the others (1 % false positives).\n\nExit codes: 0 done, 2 usage, 3 a file could not be read as a card (it is named and skipped), 4 no card could be ranked.';

  static override examples = ['<%= config.bin %> leaderboard cards -o leaderboard.html -o leaderboard.json'];

  static override usage = '<%= command.id %> FOLDER [FLAGS]';

  static override args = {
    folder: Args.string({ required: true, ignoreStdin: true, description: 'folder with cards or runs' }),
  };

  static override flags = flagsOf(reportOutputs);

  async run(): Promise<void> {
    const { args } = await this.parse(LeaderboardCommand);
    const { leaderboard } = await import('../app/leaderboard.js');
    const { leaderboardDocument, leaderboardFormats } = await import('../../reports/index.js');
    const result = await this.documented(() => leaderboard(args), leaderboardDocument, leaderboardFormats);
    if (result.skipped.length > 0) process.exitCode = EXIT.input;
  }
}

import { type ReviewOptions, reviewSettings } from '../app/review/review.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { Args } from './_shared/oclif.js';

export default class ReviewCommand extends BaseCommand {
  static override summary = 'Read adversarial texts blind: do they keep their labels?';

  static override description =
    'Draws adversarial texts of a finished run and mixes them with untouched originals. Readers label each text without seeing the attack, the original or the answer of the model. Answers are kept in the folder of the run; a review can be stopped at any time and is continued by the same command. Reports of the run then show the share of texts that keep their label and the valid success rate. It opens as a page. --judge lets a language model read the same texts; its answers are figures of their own, with their agreement with people, and never count as those of a reader.\n\nKeys: 1 2 3 ... for labels, 0 if unsure, n note, u undo, q stop.';

  static override examples = [
    '<%= config.bin %> review',
    '<%= config.bin %> review latest --as reader-2 --export sheet.csv',
    '<%= config.bin %> review latest --as reader-2 --import sheet.csv',
    '<%= config.bin %> review 20261120T211400Z-ab12cd --width 0.1',
    '<%= config.bin %> review latest --judge openai-chat+http://127.0.0.1:8080/v1#NAME',
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({ default: 'latest', ignoreStdin: true, description: 'id or folder of a finished run' }),
  };

  static override flags = flagsOf(reviewSettings);

  async run(): Promise<void> {
    const { args } = await this.parse(ReviewCommand);
    const [{ review }, { isBare, judgeAgain, reviewLines }] = await Promise.all([
      import('../app/review/review.js'),
      import('../app/review/review-lines.js'),
    ]);
    const options = { ...this.values(reviewSettings), run: args.run };
    if (isBare(options) && !this.jsonEnabled() && process.stdout.isTTY) return this.#openPage(options);
    const screen = await this.screen();
    const result = await this.carriedOut(
      (hooks) => review({ ...options, ...hooks }),
      () => judgeAgain(options),
    );
    await this.answer(result, () => reviewLines(result, options.as, screen));
  }

  async #openPage(options: ReviewOptions): Promise<void> {
    const [{ reviewPage }, { openInBrowser }] = [
      await import('../app/review/review-page.js'),
      await import('../app/open-page.js'),
    ];
    await this.carriedOut(async (hooks) => {
      const { url, stopped } = await reviewPage(options, hooks);
      await this.answer({ url }, () => `${url}\n`);
      if (!(await openInBrowser(url))) this.warning(`no browser could be started: open ${url}`);
      this.note('Ctrl-C stops it; answers are kept.');
      await stopped;
    });
  }
}

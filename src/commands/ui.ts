import { uiSettings } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';

export default class UiCommand extends BaseCommand {
  static override summary = 'Open a local page: try sentences, start and compare runs.';

  static override description =
    'Type a sentence, read the predictions of one or two models, attack it, and see which words caused the prediction. Start a run on a data set and follow it; browse the runs of this folder, compare two, and judge them by the requirements of robust.config. The server listens on 127.0.0.1 only. The printed address contains a random token and opens the report of the latest run. The page reads .robust and the named models and data, writes only the runs that it starts, and loads nothing from elsewhere. Ctrl-C stops it. See docs/reference/ui.md.';

  static override examples = [
    '<%= config.bin %> ui --open',
    '<%= config.bin %> ui -m ./my-model -m hf:textattack/bert-base-uncased-SST-2 -d dev.tsv',
  ];

  static override flags = { ...configFlags, ...flagsOf(uiSettings) };

  protected override usesConfig = (): boolean => true;

  async run(): Promise<void> {
    await this.parse(UiCommand);
    const [{ ui }, { openInBrowser }] = [await import('../app/ui.js'), await import('../app/open-page.js')];
    const { require, waivers } = await this.judging();
    const choice = this.values(uiSettings);
    await this.carriedOut(async (hooks) => {
      const { url, port, models, stopped } = await ui({ ...choice, require, waivers, ...hooks });
      await this.answer({ url, port, models }, () => `${url}\n`);
      if (choice.open && !(await openInBrowser(url))) this.warning(`no browser could be started: open ${url}`);
      this.note('Ctrl-C stops it.');
      await stopped;
    });
  }
}

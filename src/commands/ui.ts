import { uiSettings } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlag, flagsOf } from './_shared/flags.js';

export default class UiCommand extends BaseCommand {
  static override summary = 'Open a page on this machine: try sentences, attack them, browse and compare runs.';

  static override description =
    'Type a sentence, see what one model or two make of it, attack it and watch, and see which words counted; look through the runs of this folder, compare two, judge them by the requirements of robust.config. The page is at 127.0.0.1 alone and opens with the address that is printed, which holds a random token. It reads .robust and the models named, writes nothing, and loads nothing from elsewhere. Ctrl-C stops it. See docs/reference/ui.md.';

  static override examples = [
    '<%= config.bin %> ui --open',
    '<%= config.bin %> ui -m ./my-model -m hf:textattack/bert-base-uncased-SST-2 --port 0',
  ];

  static override flags = { config: configFlag, ...flagsOf(uiSettings) };

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

import { BaseCommand } from './_shared/base-command.js';
import { Args } from './_shared/oclif.js';

export default class ListCommand extends BaseCommand {
  static override summary = 'List attacks, suites, models, data and more, or one in detail.';

  static override examples = [
    '<%= config.bin %> list',
    '<%= config.bin %> list attacks',
    { description: 'The parts of attacks', command: '<%= config.bin %> list transformations' },
    { description: 'An attack with its paper and its options', command: '<%= config.bin %> list deepwordbug' },
    { description: 'A plugin of your own', command: '<%= config.bin %> list ./my-attack.mjs' },
  ];

  static override usage = '<%= command.id %> [WHAT] [FLAGS]';

  static override args = {
    what: Args.string({
      ignoreStdin: true,
      description:
        'a kind (attacks, suites, models, data, ...), the name of an entry, or a plugin of your own: a file or a package; without it everything, by kind',
    }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(ListCommand);
    const [{ catalogue, catalogueText, chosen, ownPlugin }, { installedPlugins }, { isModuleSpec }] = await Promise.all(
      [import('../app/catalogue.js'), import('../app/plugins/installed.js'), import('../modules/own-module.js')],
    );
    const { what } = args;
    const found =
      what !== undefined && isModuleSpec(what) ? await ownPlugin(what) : chosen(catalogue(installedPlugins()), what);
    const screen = await this.screen();
    await this.answer(found, () => catalogueText(found, screen));
  }
}

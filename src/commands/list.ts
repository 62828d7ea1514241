import { BaseCommand } from './_shared/base-command.js';
import { Args } from './_shared/oclif.js';

export default class ListCommand extends BaseCommand {
  static override summary =
    'List attacks and their parts, suites, defences, poisoners, models, data sets and more; or show the details of one.';

  static override examples = [
    '<%= config.bin %> list',
    '<%= config.bin %> list attacks',
    { description: 'What an attack can be made of', command: '<%= config.bin %> list transformations' },
    { description: 'What an attack does, its paper and its options', command: '<%= config.bin %> list deepwordbug' },
    {
      description: 'The same of a plugin of your own, and how it is named',
      command: '<%= config.bin %> list ./my-attack.mjs',
    },
  ];

  static override usage = '<%= command.id %> [WHAT] [FLAGS]';

  static override args = {
    what: Args.string({
      ignoreStdin: true,
      description:
        'attacks, suites, transformations, searches, constraints, goals, presets (sets of constraints), capabilities, defences, detectors, poisoners, models, data, formats or plugins (packages that are installed), the name of one of those listed, or a plugin of your own: a file or a package',
    }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(ListCommand);
    const [{ catalogue, catalogueText, chosen, ownPlugin }, { installedPlugins }, { isModuleSpec: isModuleSpec }] =
      await Promise.all([
        import('../app/catalogue.js'),
        import('../app/plugins/installed.js'),
        import('../modules/own-module.js'),
      ]);
    const { what } = args;
    const found =
      what !== undefined && isModuleSpec(what) ? await ownPlugin(what) : chosen(catalogue(installedPlugins()), what);
    const screen = await this.screen();
    await this.answer(found, () => catalogueText(found, screen));
  }
}

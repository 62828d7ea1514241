import * as Args from '@oclif/core/args';
import { BaseCommand } from './_shared/base-command.js';

export default class ListCommand extends BaseCommand {
  static override summary =
    'List attacks and their parts, suites, defences, poisoners, models, data sets and more; or tell all about one of them.';

  static override examples = [
    '<%= config.bin %> list',
    '<%= config.bin %> list attacks',
    { description: 'What an attack can be made of', command: '<%= config.bin %> list transformations' },
    { description: 'What an attack does, its paper and its options', command: '<%= config.bin %> list deepwordbug' },
  ];

  static override usage = '<%= command.id %> [WHAT] [FLAGS]';

  static override args = {
    what: Args.string({
      ignoreStdin: true,
      description:
        'attacks, suites, transformations, searches, constraints, goals, presets (sets of constraints), capabilities, defences, detectors, poisoners, models, data or formats, or the name of one of those listed',
    }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(ListCommand);
    const { catalogue, catalogueText, chosen } = await import('../app/catalogue.js');
    const found = chosen(catalogue(), args.what);
    const screen = await this.screen();
    await this.answer(found, () => catalogueText(found, screen));
  }
}

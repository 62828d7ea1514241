import { newPlugin, type TemplateKind, templateKinds } from '../app/plugins/new-plugin.js';
import { BaseCommand } from './_shared/base-command.js';
import { Args, Flags } from './_shared/oclif.js';

export default class NewCommand extends BaseCommand {
  static override summary = 'Write a plugin from a template: attack, defence, reader, ...';

  static override description =
    'Writes one file, or with --package a package whose test runs the contract tests of robust. docs/reference/plugins.md has the rules.';

  static override examples = [
    { description: 'An attack in ./vowels.mjs', command: '<%= config.bin %> new attack vowels' },
    {
      description: 'A package, robust-defence-repeats, with a test',
      command: '<%= config.bin %> new defence repeats --package',
    },
  ];

  static override usage = '<%= command.id %> KIND NAME [FLAGS]';

  static override args = {
    kind: Args.string({
      required: true,
      ignoreStdin: true,
      options: [...templateKinds],
      description: 'kind of plugin',
    }),
    name: Args.string({ required: true, ignoreStdin: true, description: 'its name, kebab-case' }),
  };

  static override flags = { package: Flags.boolean({ description: 'write a package with a test' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(NewCommand);
    const made = newPlugin(args.kind as TemplateKind, args.name, this.config.version, flags.package);
    await this.answer(made, () => {
      const line = (head: string) => (text: string, at: number) => `${(at === 0 ? head : '').padEnd(9)}${text}\n`;
      return [...made.files.map(line('Written')), ...made.next.map(line('Next'))].join('');
    });
  }
}

import { newPlugin, newPythonVictim, type TemplateKind, templateKinds } from '../app/plugins/new-plugin.js';
import { RobustError } from '../core/errors.js';
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
    {
      description: 'A classifier in Python: ./reviews.py, and robust_text.py, which serves it',
      command: '<%= config.bin %> new victim reviews --language python',
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

  static override flags = {
    package: Flags.boolean({ description: 'write a package with a test' }),
    language: Flags.string({
      options: ['javascript', 'python'],
      default: 'javascript',
      description: 'language of the file; only victims can be Python',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(NewCommand);
    const kind = args.kind as TemplateKind;
    const python = flags.language === 'python';
    if (python && (kind !== 'victim' || flags.package))
      throw new RobustError(`--language python: expected a victim without --package, got ${kind}`, {
        code: 'FLAG_INVALID',
        hint: 'Other plugins and packages are JavaScript. docs/reference/python.md shows what Python can do.',
      });
    const made = python ? newPythonVictim(args.name) : newPlugin(kind, args.name, this.config.version, flags.package);
    await this.answer(made, () => {
      const line = (head: string) => (text: string, at: number) => `${(at === 0 ? head : '').padEnd(9)}${text}\n`;
      return [...made.files.map(line('Written')), ...made.next.map(line('Next'))].join('');
    });
  }
}

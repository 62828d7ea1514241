import { SHELLS, type Shell, shellScripts } from '../app/completion/scripts.js';
import { BaseCommand } from './_shared/base-command.js';
import { Args } from './_shared/oclif.js';

export default class CompletionCommand extends BaseCommand {
  static override summary = 'Print the completion script of bash, zsh or fish.';

  static override description = Object.entries(shellScripts)
    .map(([shell, { file, line }]) => `${shell}: put the line "${line}" into ${file}.`)
    .join('\n');

  static override examples = Object.values(shellScripts).map(({ line }) => line.replace('robust', '<%= config.bin %>'));

  static override baseFlags = {};

  static override usage = '<%= command.id %> SHELL';

  static override args = {
    shell: Args.string({ required: true, ignoreStdin: true, options: [...SHELLS], description: 'bash, zsh or fish' }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(CompletionCommand);
    const { script } = shellScripts[args.shell as Shell];
    await this.answer({ shell: args.shell, script }, () => script);
  }
}

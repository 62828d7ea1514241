import { listJudging } from '../../config/judging.js';
import { toPairs } from '../../config/setting.js';
import { judgingSettings } from '../../config/settings/index.js';
import { BaseCommand } from '../_shared/base-command.js';
import { configPath } from '../_shared/configured.js';
import { settingRow } from '../_shared/flags.js';
import GateCommand from '../gate.js';

export default class ConfigShowCommand extends BaseCommand {
  static override summary = 'Show each setting and where it was set.';

  static override description =
    'Flags take precedence over environment variables, these over the configuration, and that over defaults. Takes the flags of robust gate, to show what they would change.';

  static override examples = [
    '<%= config.bin %> config show',
    {
      description: 'A configuration file with one flag changed',
      command: '<%= config.bin %> config show -c ci.yaml -n 50',
    },
  ];

  static override flags = GateCommand.flags;

  async run(): Promise<void> {
    const parsed = (await this.parse(ConfigShowCommand)).flags as Readonly<Record<string, unknown>>;
    const file = this.settingsFile?.file ?? null;
    const judging = await this.judging([...(this.values(judgingSettings).require ?? [])]);
    const settings = [
      ...Object.entries({ ...ConfigShowCommand.baseFlags, ...ConfigShowCommand.flags }).flatMap(([name, flag]) => {
        const row = settingRow(flag);
        if (row === undefined || parsed[name] === undefined || ['json', 'require'].includes(name)) return [];
        return [{ key: configPath(row).join('.'), value: toPairs(parsed[name]), origin: this.originOf(name) }];
      }),
      ...listJudging(judging, this.settingsFile),
    ];
    await this.answer({ file, settings }, async () => {
      const { chalk } = await this.screen();
      const wide = Math.max(...settings.map(({ key }) => key.length));
      const lines = settings.map(({ key, value, origin }) => {
        const line = `${key.padEnd(wide)}  ${chalk.bold(JSON.stringify(value))}  ${chalk.dim(origin)}`;
        return origin === 'default' ? chalk.dim(line) : line;
      });
      return `${file === null ? 'No configuration file; robust init writes one.' : `Configuration  ${file}`}\n\n${lines.join('\n')}\n`;
    });
  }
}

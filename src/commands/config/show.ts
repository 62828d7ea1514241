import { listJudging } from '../../config/judging.js';
import { configPath } from '../../config/schema.js';
import { flagOf, toPairs } from '../../config/setting.js';
import { judgingSettings } from '../../config/settings/index.js';
import { BaseCommand } from '../_shared/base-command.js';
import { configFlags, settingsOfFlags } from '../_shared/flags.js';
import { Parser } from '../_shared/oclif.js';
import GateCommand from '../gate.js';

export default class ConfigShowCommand extends BaseCommand {
  static override summary = 'Show each setting and where it was set.';

  static override description =
    'What robust gate would take from environment variables, from the configuration below them, and from the defaults; flags take precedence over all.';

  static override examples = ['<%= config.bin %> config show', '<%= config.bin %> config show -c ci.yaml --json'];

  static override flags = { ...configFlags };

  async run(): Promise<void> {
    await Parser.parse(this.argv, { flags: { ...ConfigShowCommand.baseFlags, ...ConfigShowCommand.flags } });
    const parsed: Readonly<Record<string, unknown>> = (await this.parse(GateCommand)).flags;
    const file = this.settingsFile?.file ?? null;
    const judging = await this.judging([...(this.values(judgingSettings).require ?? [])]);
    const rows = Object.entries(settingsOfFlags({ ...ConfigShowCommand.baseFlags, ...GateCommand.flags }));
    const settings = [
      ...rows.flatMap(([key, setting]) => {
        const name = flagOf(key, setting);
        if (parsed[name] === undefined || ['json', 'require'].includes(name)) return [];
        const place = configPath(key, setting).join('.');
        return [{ key: place, value: toPairs(parsed[name]), origin: this.originOf(name) }];
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

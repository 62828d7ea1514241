import type { CheckResult } from '../app/doctor.js';
import { BaseCommand } from './_shared/base-command.js';

export default class DoctorCommand extends BaseCommand {
  static override summary = 'Check the installation and suggest fixes.';

  static override description =
    'Exit codes: 0 everything works, possibly with limits; 3 something that every run needs does not work.';

  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --json'];

  async run(): Promise<void> {
    await this.parse(DoctorCommand);
    const [{ checks, EXIT_OF }, { besideEachOther: beside }] = await Promise.all([
      import('../app/doctor.js'),
      import('../../reports/layout.js'),
    ]);
    const { width, chalk } = await this.screen();
    const paint = { ok: chalk.green, limited: chalk.yellow, broken: chalk.red };
    const found: CheckResult[] = [];
    for (const check of checks) found.push(await check());
    await this.answer({ checks: found }, () =>
      found.map(({ name, state, detail, cure }) => {
        const text = beside(paint[state](state), `${name}: ${detail}`, width, 9);
        return cure === undefined ? `${text}\n` : `${text}\n${beside('', cure, width, 9)}\n`;
      }),
    );
    process.exitCode = Math.max(...found.map(({ state }) => EXIT_OF[state]));
  }
}

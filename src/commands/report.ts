import { Args } from '@oclif/core';
import { BaseCommand } from './_shared/base-command.js';
import { outputFlag } from './_shared/flags.js';
import { RUNS } from './_shared/runs.js';

export default class Report extends BaseCommand {
  static override summary = 'Render a finished run again: on the screen, or to files.';

  static override examples = [
    '<%= config.bin %> report',
    '<%= config.bin %> report 20261120T211400Z-ab12cd -o report.md -o examples.csv',
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({
      default: 'latest',
      ignoreStdin: true,
      description: 'id or folder of a run',
    }),
  };

  static override flags = { output: outputFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Report);
    const [{ openRun, readReport }, { jsonOf, terminal }, { outputFiles, writeReport }] = await Promise.all([
      import('../run/index.js'),
      import('../../reports/index.js'),
      import('./_shared/output-files.js'),
    ]);
    const outputs = await outputFiles(flags.output ?? []);
    const report = await readReport(await openRun(RUNS, args.run));
    for (const output of outputs) await writeReport(output, report);
    if (this.jsonEnabled()) return this.print(jsonOf('report').render(report));
    await this.print(
      outputs.length === 0
        ? terminal(await this.screen()).render(report)
        : outputs.map(({ path }) => `Written  ${path}\n`).join(''),
    );
  }
}

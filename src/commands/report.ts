import { join } from 'node:path';
import { RUNS } from '../app/runs/runs.js';
import { booleanFlag, type Settings, textList } from '../config/setting.js';
import { allowPartialSetting, detailSettings, reporterSetting, reportOutputs } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';
import { Args } from './_shared/oclif.js';

const settings = {
  ...reportOutputs,
  merge: {
    schema: textList.optional(),
    value: 'folder',
    greedy: true,
    help: 'join these shards: run folders, or folders that hold one',
  },
  ...reporterSetting,
  ...detailSettings,
  ...allowPartialSetting,
  open: {
    schema: booleanFlag,
    group: 'output',
    help: 'open the HTML report in the browser; that of -o report.html, or one in the folder of the run',
  },
} as const satisfies Settings;

export default class ReportCommand extends BaseCommand {
  static override summary = 'Show a run, finished or not, or write it to files.';

  static override examples = [
    '<%= config.bin %> report --open',
    '<%= config.bin %> report 20261120T211400Z-ab12cd -o report.md -o examples.csv',
    { description: 'Join the shards of a run', command: '<%= config.bin %> report --merge shard-*/ -o report.html' },
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({ default: 'latest', ignoreStdin: true, description: 'id or folder of a run' }),
  };

  static override flags = flagsOf(settings);

  async run(): Promise<void> {
    const { args } = await this.parse(ReportCommand);
    const [{ merge, report: existing }, { jsonOf, terminal }, { reportFiles, writeReport }] = await Promise.all([
      import('../app/merge.js'),
      import('../../reports/index.js'),
      import('../app/runs/output-files.js'),
    ]);
    const { outputs: paths = [], reporters, merge: shards, allowPartial, open } = this.values(settings);
    const outputs = await reportFiles(paths, reporters);
    const partial = { allowPartial };
    const report = shards === undefined ? await existing(args.run, partial) : await merge(shards, partial);
    for (const output of outputs) await writeReport(output, report);
    if (open) {
      const { page, opened } = await (await import('../app/open-page.js')).openReportPage(report, paths);
      this.note(opened ? `Opened   ${page}` : `No browser could be started: open ${page}`);
    }
    if (this.jsonEnabled()) return this.print(jsonOf('report').render(report));
    const screen = await this.screen();
    const written = outputs.map(({ path }) => path);
    await this.print(written.length === 0 ? terminal(screen).render(report) : footer(screen, { written }));
    if (shards !== undefined) await this.print(`\n${footer(screen, { run: join(RUNS, report.run) })}`);
  }
}
